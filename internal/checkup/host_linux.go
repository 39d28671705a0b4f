package checkup

import (
	"errors"
	"syscall"
)

// Clock asks the kernel whether the clock is synchronised.
func Clock() Finding {
	const unsynchronised = 5 // TIME_ERROR of adjtimex(2)
	state, err := syscall.Adjtimex(new(syscall.Timex))
	switch {
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EPERM):
		return Finding{Check: "clock", Verdict: Unknown, Found: "the kernel does not report whether it is synchronized"}
	case err != nil:
		return Finding{Check: "clock", Verdict: Unknown, Found: err.Error()}
	case state == unsynchronised:
		return found("clock", "not synchronized").but(Warn, "run an NTP client: certificates and S3 depend on the clock; results never do")
	}
	return found("clock", "synchronized")
}
