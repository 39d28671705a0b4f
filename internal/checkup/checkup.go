// Package checkup examines a machine before a run does: memory, files, clock, disk,
// ports, certificates. Each check reports what it found and, if that is not good
// enough, what to change.
//
// A check must leave nothing behind, must end by itself within seconds, and must
// never report success when it could not look.
package checkup

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/everystate/everystate/internal/platform/disk"
)

// Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Warn    Verdict = "warn" // it will work, but worse than it could
	Fail    Verdict = "fail" // it will not work
	Unknown Verdict = "unknown"
)

// Finding is the result of a check.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"`
	Change  string  `json:"change,omitempty"` // what to change, empty for nothing
}

func found(check, format string, args ...any) Finding {
	return Finding{Check: check, Verdict: OK, Found: fmt.Sprintf(format, args...)}
}

func (f Finding) but(v Verdict, format string, args ...any) Finding {
	f.Verdict, f.Change = v, fmt.Sprintf(format, args...)
	return f
}

// Processor reports how many cores Go uses.
func Processor() Finding {
	f := found("processor", "%d of %d cores are used", runtime.GOMAXPROCS(0), runtime.NumCPU())
	if os.Getenv("GOMAXPROCS") != "" {
		return f.but(Warn, "unset GOMAXPROCS: everystate detects the limit of the control group")
	}
	return f
}

// Memory compares a budget with what this process may take, both in bytes.
func Memory(budget, limit int64, limitFrom string) Finding {
	if limit == 0 {
		return Finding{Check: "memory", Verdict: Unknown, Found: "this system does not report its memory"}
	}
	f := found("memory", "%s (%s)", mib(limit), limitFrom)
	if budget == 0 {
		f.Found += fmt.Sprintf("; --memory %dMiB would leave enough for the rest", limit*3/4>>20)
		return f
	}
	f.Found += ", --memory " + mib(budget)
	switch {
	case budget > limit:
		return f.but(Fail, "--memory %dMiB: a process that exceeds the limit is killed", limit*3/4>>20)
	case budget > limit/5*4:
		return f.but(Warn, "--memory %dMiB, or more memory: stacks, kernel buffers and peaks need a quarter more", limit*3/4>>20)
	}
	return f
}

// GoMemoryLimit looks for settings that interfere.
func GoMemoryLimit() Finding {
	for _, name := range []string{"GOMEMLIMIT", "GOGC"} {
		if v := os.Getenv(name); v != "" {
			return found("go", "%s=%s in the environment", name, v).but(Warn, "unset %s: everystate sets the limit from --memory", name)
		}
	}
	return found("go", "%s, set from --memory", runtime.Version())
}

// filesLeast is how many a worker may need: 512 for each of four stores, and
// connections.
const filesLeast = 8192

// Files checks how many files may be open; 0 means unknown.
func Files(limit uint64) Finding {
	if limit == 0 {
		return Finding{Check: "files", Verdict: Unknown, Found: "this system reports no limit"}
	}
	f := found("files", "%d files may be open", limit)
	if limit < filesLeast {
		return f.but(Warn, "allow %d (ulimit -n, LimitNOFILE=, or nofile of the container)", filesLeast)
	}
	return f
}

// What a disk should achieve.
const (
	probeBytes   = 128 << 20
	freeLeast    = 10 << 30
	writeLeast   = 100e6
	syncMost     = 20 * time.Millisecond
	sharePercent = 5
)

// Space checks the free disk space.
func Space(dir string) Finding {
	s, err := disk.SpaceOf(dir)
	if errors.Is(err, disk.ErrUnknown) {
		return Finding{Check: "disk space", Verdict: Unknown, Found: err.Error()}
	}
	if err != nil {
		return Finding{Check: "disk space", Found: err.Error()}.but(Fail, "make the directory, or name another with --data")
	}
	f := found("disk space", "%s of %s free at %s", gib(s.Free), gib(s.Size), dir)
	if s.Free < freeLeast || s.Free < s.Size/100*sharePercent {
		return f.but(Warn, "a larger disk: a state takes about three bytes, and temporarily twice that")
	}
	return f
}

// Speed measures the disk.
func Speed(dir string) Finding {
	s, err := disk.Probe(dir, probeBytes)
	if err != nil {
		f := Finding{Check: "disk speed", Found: err.Error()}
		switch {
		case errors.Is(err, syscall.ENOSPC):
			return f.but(Fail, "free some space in %s", dir)
		case errors.Is(err, os.ErrNotExist):
			return f.but(Fail, "make the directory, or name another with --data")
		}
		return f.but(Fail, "give this user write permission for %s", dir)
	}
	f := found("disk speed", "writes %.0f MB/s, syncs a small write in %v", s.WriteBytesPerSecond/1e6, s.Sync.Round(10*time.Microsecond))
	switch {
	case s.WriteBytesPerSecond < writeLeast:
		return f.but(Warn, "a faster disk: below %.0f MB/s the disk limits a run", writeLeast/1e6)
	case s.Sync > syncMost:
		return f.but(Warn, "a local SSD: each small layer waits for several syncs")
	}
	return f
}

// Port checks whether an address can be listened at.
func Port(ctx context.Context, address string) Finding {
	var config net.ListenConfig
	lis, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		if errors.Is(err, syscall.EADDRNOTAVAIL) {
			return Finding{Check: "port", Found: err.Error()}.but(Fail, "use an address of this machine: %s is not one", address)
		}
		return Finding{Check: "port", Found: err.Error()}.but(Fail, "stop what listens at %s, or choose another --listen", address)
	}
	f := found("port", "%s is free", address)
	if err := lis.Close(); err != nil {
		return f.but(Fail, "%v", err)
	}
	return f
}

// certSoon is how long before its expiry a certificate gets a warning.
const certSoon = 30 * 24 * time.Hour

// TLS checks a certificate with its key and the authorities that should vouch for it,
// each given by file, empty for none.
func TLS(certFile, keyFile, caFile string, exposed []string, now time.Time) []Finding {
	var all []Finding
	var pool *x509.CertPool
	if caFile != "" && caFile != "system" {
		f, roots := authorities(caFile)
		all = append(all, f)
		pool = roots
	}
	if certFile != "" {
		all = append(all, certificate(certFile, keyFile, pool, now))
	}
	for _, file := range exposed {
		all = append(all, found("tls", "everyone on this machine can read %s", file).but(Warn, "chmod 600 %s", file))
	}
	return all
}

func authorities(file string) (Finding, *x509.CertPool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Finding{Check: "tls", Found: err.Error()}.but(Fail, "name the file of the authorities with --tls-ca"), nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return found("tls", "%s holds no certificate", file).but(Fail, "name the file of the authorities with --tls-ca"), nil
	}
	return found("tls", "%s holds authorities", file), pool
}

func certificate(certFile, keyFile string, pool *x509.CertPool, now time.Time) Finding {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return Finding{Check: "tls", Found: err.Error()}.but(Fail, "a certificate with its own key, both in PEM")
	}
	leaf := pair.Leaf
	f := found("tls", "%s is for %s until %s", certFile, cmp.Or(strings.Join(leaf.DNSNames, ", "), leaf.Subject.String()), leaf.NotAfter.UTC().Format(time.DateOnly))
	if pool != nil {
		between := x509.NewCertPool()
		for _, der := range pair.Certificate[1:] {
			if c, err := x509.ParseCertificate(der); err == nil {
				between.AddCert(c)
			}
		}
		_, err := leaf.Verify(x509.VerifyOptions{Roots: pool, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
		if err != nil {
			f.Found += ": " + err.Error()
			return f.but(Fail, "a certificate that is valid now and signed by an authority in --tls-ca")
		}
	}
	switch {
	case now.Before(leaf.NotBefore) || now.After(leaf.NotAfter):
		return f.but(Fail, "a certificate that is valid now, and a correct clock")
	case leaf.NotAfter.Sub(now) < certSoon:
		return f.but(Warn, "a new certificate soon: running processes reload the files")
	}
	return f
}

// Versions asks processes, at their metrics addresses, for their program versions,
// and reports whether all equal mine.
func Versions(ctx context.Context, addresses []string, mine string) []Finding {
	var all []Finding
	for _, a := range addresses {
		v, err := versionOf(ctx, a)
		f := found("version", "%s runs %s", a, v)
		switch {
		case err != nil:
			f = Finding{Check: "version", Found: fmt.Sprintf("%s: %v", a, err)}.but(Fail, "start it, or give the address of its --metrics")
		case v != mine:
			f = f.but(Warn, "run one version everywhere: this program is %s", mine)
		}
		all = append(all, f)
	}
	return all
}

// pageBytesMax bounds a page of metrics.
const pageBytesMax = 16 << 20

func versionOf(ctx context.Context, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, pageBytesMax))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(text), "\neverystate_build_info{")
	info, _, _ := strings.Cut(rest, "\n")
	if !ok {
		return "", errors.New("no everystate process there")
	}
	return Version(label(info, "version"), label(info, "commit")), nil
}

// Version returns a version in the form in which versions are compared.
func Version(number, commit string) string {
	if commit == "" {
		return number
	}
	return number + " " + commit
}

func label(text, name string) string {
	_, rest, _ := strings.Cut(","+text, ","+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func mib(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

func gib(n uint64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }
