package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
)

// serviceProcess is the program as a service, in a process of its own.
type serviceProcess struct {
	addr string

	mu    sync.Mutex // guards lines
	lines []string
}

// startService starts a command that listens, and waits until it says where.
func startService(t *testing.T, args ...string) *serviceProcess {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), beProgram+"=1")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &serviceProcess{}
	listens := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		address := regexp.MustCompile(` address=(\S+)`)
		for in := bufio.NewScanner(pipe); in.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, in.Text())
			p.mu.Unlock()
			if found := address.FindStringSubmatch(in.Text()); found != nil {
				select {
				case listens <- found[1]:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Errorf("%q has ended before: %v", args, err)
		}
		<-read
		if err := cmd.Wait(); err == nil {
			t.Errorf("%q has ended before", args)
		}
		if t.Failed() {
			t.Logf("%q\n%s", args, p.log())
		}
	})
	select {
	case p.addr = <-listens:
	case <-read:
		t.Fatalf("%q does not listen: %s", args, p.log())
	}
	return p
}

func (p *serviceProcess) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// until waits until the service has said something.
func (p *serviceProcess) until(t *testing.T, text string) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for begun := time.Now(); !strings.Contains(p.log(), text); <-ticker.C {
		if time.Since(begun) > time.Minute {
			t.Fatalf("it does not say %q:\n%s", text, p.log())
		}
	}
}

// trial is a set of certificates, and a token file.
type trial struct{ dir string }

// The tokens of a trial.
const (
	trialWorker   = "trial-worker-0123456789"
	trialOperator = "trial-operator-0123456789"
	trialViewer   = "trial-viewer-0123456789"
)

func newTrial(t *testing.T) trial {
	t.Helper()
	s := trial{filepath.Join(t.TempDir(), "certs")}
	must(t, "certs", s.dir)
	s.write(t, "tokens", "worker "+trialWorker+"\noperator "+trialOperator+"\nviewer "+trialViewer+"\n")
	s.write(t, "worker.token", "worker "+trialWorker+"\n")
	s.write(t, "operator.token", trialOperator+"\n")
	s.write(t, "viewer.token", "viewer "+trialViewer+"\n")
	s.write(t, "other.token", "viewer something-else-0123456789\n")
	return s
}

func (s trial) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(s.file(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s trial) file(name string) string { return filepath.Join(s.dir, name) }

// pair are the flags for a certificate.
func (s trial) pair(name string) []string {
	return []string{"--tls-cert", s.file(name + ".crt"), "--tls-key", s.file(name + ".key")}
}

// certificate are the flags of a client that has one.
func (s trial) certificate(name string) []string {
	return append(s.pair(name), "--tls-ca", s.file("ca.crt"))
}

// token are the flags of a client that has one.
func (s trial) token(name string) []string {
	return []string{"--token-file", s.file(name + ".token")}
}

func with(flags []string, args ...string) []string { return append(args, flags...) }

// join starts a coordinator and two workers, and returns its address.
func join(t *testing.T, coordinator, worker []string) *serviceProcess {
	t.Helper()
	c := startService(t, with(coordinator, "coordinator", "--listen", "127.0.0.1:0", "--data", t.TempDir())...)
	for range 2 {
		w := startService(t, with(worker, "worker", "--coordinator", c.addr, "--data", t.TempDir(), "--memory", "64M", "--lanes", "1")...)
		c.until(t, "address="+w.addr) // partitions go to those that are there
	}
	return c
}

// TestSecureCluster explores with processes that prove to each other who they
// are, asks what they have found, and is denied what it must not have.
func TestSecureCluster(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode")
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := newTrial(t)
	ca := []string{"--tls-ca", s.file("ca.crt")}
	tokens := []string{"--token-file", s.file("tokens")}
	for _, test := range []struct {
		name                string
		coordinator, worker []string
		operator, viewer    []string
		viewerName          string
	}{
		{
			name:        "mutual TLS",
			coordinator: with(s.pair("coordinator"), "--client-ca", s.file("ca.crt")), worker: s.certificate("worker"),
			operator: s.certificate("operator"), viewer: s.certificate("viewer"), viewerName: "viewer",
		},
		{
			name:        "TLS and tokens",
			coordinator: with(with(s.pair("coordinator"), ca...), tokens...), worker: with(s.certificate("worker"), s.token("worker")...),
			operator: with(ca, s.token("operator")...), viewer: with(ca, s.token("viewer")...), viewerName: "token 0cddc1a4",
		},
		{
			name:        "either",
			coordinator: with(with(s.pair("coordinator"), "--client-ca", s.file("ca.crt")), tokens...), worker: s.certificate("worker"),
			operator: with(ca, s.token("operator")...), viewer: s.certificate("viewer"), viewerName: "viewer",
		},
		{
			name:        "tokens on one machine",
			coordinator: tokens, worker: s.token("worker"),
			operator: s.token("operator"), viewer: s.token("viewer"), viewerName: "token 0cddc1a4",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			small := puzzleFile(t, "small-4x4.txt")
			c := join(t, test.coordinator, test.worker)
			run := c.addr + "/small"
			got := summaryOf(t, must(t, with(test.operator, "submit", small, "--name", "small", "--coordinator", c.addr, "--goal-distance", "--wait", "--json", "-q")...))
			want := summaryOf(t, must(t, "explore", small, "--run", t.TempDir(), "--goal-distance", "--json", "-q"))
			if !got.Complete || got.Digest != want.Digest {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			for _, args := range [][]string{
				{"hardest", run, "-q"},
				{"trace", run, "--hardest", "--to-goal"},
				{"layers", run},
				{"show", run, "E.BB / ECCC / AA.F / DD.F"},
				{"export", run},
				{"status", run},
				{"watch", run, "-q"},
				{"runs", c.addr},
				{"list", c.addr},
			} {
				must(t, with(test.viewer, args...)...)
			}
			denied := func(call string, args ...string) {
				t.Helper()
				r := callWith(nil, with(test.viewer, args...)...)
				want := "everystate: " + c.addr + ": " + call + " is for operators, but " + test.viewerName + " is a viewer\n"
				if r.code != exit.Usage || r.errs != want {
					t.Errorf("%q: exit %d\n%s%swant %s", args, r.code, r.out, r.errs, want)
				}
			}
			denied("SubmitRun", "submit", small, "--coordinator", c.addr)
			denied("ControlRun", "pause", run)
			denied("ControlRun", "delete", run, "--yes")
			must(t, with(test.operator, "delete", run, "--yes")...)
			if log := c.log(); !strings.Contains(log, "call=SubmitRun by=") || !strings.Contains(log, `msg="call denied" call=ControlRun`) {
				t.Errorf("the log does not say who has done what:\n%s", log)
			}
		})
	}
}

// TestDenials reads what people are told about credentials that are of no use.
//
//nolint:paralleltest // The environment is one of the ways to give them.
func TestDenials(t *testing.T) {
	s, foreign := newTrial(t), newTrial(t)
	ca := []string{"--tls-ca", s.file("ca.crt")}
	listen := []string{"coordinator", "--listen", "127.0.0.1:0", "--data"}
	mutual := startService(t, with(with(s.pair("coordinator"), "--client-ca", s.file("ca.crt")), append(listen, t.TempDir())...)...)
	tokens := startService(t, with(with(s.pair("coordinator"), "--token-file", s.file("tokens")), append(listen, t.TempDir())...)...)
	open := startService(t, append(listen, t.TempDir())...)

	const usage, failed = exit.Usage, exit.Failed
	for _, test := range []struct {
		at   *serviceProcess
		args []string
		code int
		want string
	}{
		{mutual, s.certificate("viewer"), 0, ""},
		{mutual, nil, failed, "no coordinator answers at ADDR: it may be stopping; if it speaks TLS, name its authority with --tls-ca FILE"},
		{mutual, s.certificate("worker"), usage, "ADDR: ListRuns is for viewers and operators, but worker is a worker"},
		{mutual, with(s.pair("viewer"), "--tls-ca", foreign.file("ca.crt")), usage, "ADDR: the server's certificate is not signed by any authority in " + foreign.file("ca.crt") + ": --tls-ca must name the one that signed it"},
		{mutual, with(s.certificate("viewer"), "--tls-server-name", "c.example"), usage, "ADDR: the server's certificate is for localhost, 127.0.0.1, ::1, not for c.example: use such a name, or give one with --tls-server-name"},
		{mutual, s.pair("viewer"), usage, "--tls-cert FILE also needs --tls-ca FILE (or EVERYSTATE_TLS_CA in the environment)"},
		{mutual, with(ca, "--tls-cert", s.file("viewer.crt")), usage, "--tls-cert FILE and --tls-key FILE go together (or EVERYSTATE_TLS_CERT and EVERYSTATE_TLS_KEY in the environment)"},
		{mutual, []string{"--tls-ca", s.file("none")}, usage, s.file("none") + ": no such file or directory"},
		{tokens, with(ca, s.token("viewer")...), 0, ""},
		{tokens, ca, usage, "ADDR: a token is needed: --token-file FILE or EVERYSTATE_TOKEN"},
		{tokens, with(ca, s.token("other")...), usage, "ADDR: unknown token: --token-file must name a file with a valid one"},
		{tokens, with(ca, s.token("worker")...), usage, "ADDR: ListRuns is for viewers and operators, but token 2636940f is a worker"},
		{tokens, with(ca, "--token-file", s.file("ca.key")), usage, s.file("ca.key") + ":1: must be a role and a token, and nothing more"},
		{open, s.token("viewer"), 0, ""},
		{open, s.certificate("viewer"), usage, "ADDR: it does not speak TLS: leave out --tls-ca here, or give it --tls-cert and --tls-key"},
	} {
		r := call("", with(test.args, "runs", test.at.addr)...)
		got := strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(r.errs, "everystate: "), test.at.addr, "ADDR"), "\n")
		if r.code != test.code || got != test.want {
			t.Errorf("%q: exit %d, want %d\n%s\nwant\n%s", test.args, r.code, test.code, got, test.want)
		}
	}

	// Without a certificate the connection ends after the handshake, and the alert
	// may be overtaken by that.
	r := call("", with(ca, "runs", mutual.addr)...)
	if !strings.Contains(r.errs, "a client certificate is needed: --tls-cert FILE and --tls-key FILE") || r.code == exit.Complete {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}

	// The environment stands in for flags, and flags go first.
	t.Setenv(shell.CAVar, s.file("ca.crt"))
	t.Setenv(shell.TokenVar, trialViewer)
	must(t, "runs", tokens.addr)
	t.Setenv(shell.TokenFileVar, s.file("operator.token"))
	must(t, "runs", tokens.addr)
	t.Setenv(shell.CertVar, s.file("viewer.crt"))
	t.Setenv(shell.KeyVar, s.file("viewer.key"))
	must(t, "runs", mutual.addr)
	must(t, "runs", open.addr, "--tls-ca=", "--tls-cert=", "--tls-key=", "--token-file=")

	// What everybody can read is not a secret.
	if err := os.Chmod(s.file("operator.token"), 0o644); err != nil {
		t.Fatal(err)
	}
	r = call("", "runs", tokens.addr)
	if want := "everystate: everyone on this machine can read " + s.file("operator.token") + ": chmod 600 " + s.file("operator.token") + "\n"; r.errs != want || r.code != exit.Complete {
		t.Errorf("exit %d: %q, want %q", r.code, r.errs, want)
	}
}

// TestWorkerWithoutRole shows that only workers join.
func TestWorkerWithoutRole(t *testing.T) {
	t.Parallel()
	s := newTrial(t)
	c := join(t, with(s.pair("coordinator"), "--client-ca", s.file("ca.crt")), s.certificate("worker"))
	startService(t, with(with(s.pair("coordinator"), "--tls-ca", s.file("ca.crt")), "worker", "--coordinator", c.addr, "--data", t.TempDir(), "--memory", "64M")...)
	c.until(t, "Synchronize is for workers, but coordinator is a coordinator")
}

// TestCertsRefused makes certificates where there can be none.
func TestCertsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "")
	for dir, want := range map[string]string{
		"":                        "DIR is empty: name a directory",
		file:                      file + " is a file, not a directory",
		filepath.Join(file, "in"): file + " is a file, not a directory",
	} {
		if r := call("", "certs", dir); r.code != exit.Usage || !strings.HasPrefix(r.errs, "everystate: "+want) {
			t.Errorf("certs %q: exit %d, %s", dir, r.code, r.errs)
		}
	}
}
