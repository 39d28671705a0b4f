package checkup

import (
	"errors"
	"syscall"
)

// Clock asks the kernel whether the clock is kept right.
func Clock() Finding {
	const unsynchronised = 5 // TIME_ERROR of adjtimex(2)
	state, err := syscall.Adjtimex(new(syscall.Timex))
	switch {
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EPERM):
		return Finding{Check: "clock", Verdict: Unknown, Found: "the kernel does not say whether it is kept right"}
	case err != nil:
		return Finding{Check: "clock", Verdict: Unknown, Found: err.Error()}
	case state == unsynchronised:
		return found("clock", "nothing keeps it right").but(Warn, "run an NTP client: certificates and S3 go by the clock; results never do")
	}
	return found("clock", "is kept right")
}
