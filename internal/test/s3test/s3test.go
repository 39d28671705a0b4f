// Package s3test starts a real S3 server for a test: versitygw, built from the
// version that tools/s3/go.mod pins, on files in a temporary directory.
//
// It takes part only where EVERYSTATE_S3=1 is set, as `make s3` does: plain
// `go test ./...` needs nothing but Go and takes no server.
package s3test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Variable is the environment variable that is 1 where a server may be started.
const Variable = "EVERYSTATE_S3"

// Bucket is the name of the bucket that Start makes.
const Bucket = "everystate-test"

// readyWait bounds the wait for the server to answer.
const readyWait = 30 * time.Second

// Start starts a server with an empty bucket and returns the bucket's URL, as
// checkpoint.Open takes it, and the variables with its credentials. They are set
// for the test, which therefore is not parallel; processes that it starts with
// an environment of their own need them too. The server ends with the test.
// Start skips the test unless EVERYSTATE_S3=1.
func Start(tb testing.TB) (bucketURL string, env map[string]string) {
	tb.Helper()
	if os.Getenv(Variable) != "1" {
		tb.Skipf("needs %s=1, and builds an S3 server", Variable)
	}
	program := build(tb)
	dir := tb.TempDir()
	for _, sub := range []string{"data/" + Bucket, "meta"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	env = map[string]string{
		"AWS_ACCESS_KEY_ID":           rand.Text(),
		"AWS_SECRET_ACCESS_KEY":       rand.Text(),
		"AWS_REGION":                  "us-east-1",
		"AWS_SESSION_TOKEN":           "",
		"AWS_PROFILE":                 "",
		"AWS_CONFIG_FILE":             os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_EC2_METADATA_DISABLED":   "true",
	}
	for name, value := range env {
		tb.Setenv(name, value)
	}
	endpoint := serve(tb, program, dir, env)
	q := url.Values{"endpoint": {endpoint}, "region": {env["AWS_REGION"]}}
	return (&url.URL{Scheme: "s3", Host: Bucket, RawQuery: q.Encode()}).String(), env
}

// build returns the path of the server, which stays in Go's build cache.
func build(tb testing.TB) string {
	tb.Helper()
	mod, err := exec.CommandContext(tb.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		tb.Fatalf("go env GOMOD: %v", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	began := time.Now()
	cmd := exec.CommandContext(tb.Context(), "go", "tool", "-modfile="+filepath.Join(root, "tools", "s3", "go.mod"), "-n", "versitygw")
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("build versitygw: %v\n%s", err, said.Bytes())
	}
	tb.Logf("versitygw built, or found built, in %v", time.Since(began).Round(time.Millisecond))
	return strings.TrimSpace(string(out))
}

// serve runs the server until the test ends and returns its URL.
func serve(tb testing.TB, program, dir string, env map[string]string) string {
	tb.Helper()
	address := freeAddress(tb)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program,
		"--port", address, "--health", "/health", "--quiet", "--keep-alive",
		"posix", "--sidecar", filepath.Join(dir, "meta"), filepath.Join(dir, "data"))
	cmd.Env = append(os.Environ(),
		"ROOT_ACCESS_KEY="+env["AWS_ACCESS_KEY_ID"], "ROOT_SECRET_KEY="+env["AWS_SECRET_ACCESS_KEY"])
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		cancel()
		tb.Fatalf("start versitygw: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	if err := answers(tb.Context(), "http://"+address+"/health", ended); err != nil {
		cancel()
		tb.Fatalf("versitygw does not answer: %v\n%s", err, said.Bytes())
	}
	tb.Cleanup(func() {
		cancel()
		if err := <-ended; err == nil {
			tb.Error("versitygw ended by itself")
		}
		if tb.Failed() {
			tb.Logf("versitygw said:\n%s", said.Bytes())
		}
	})
	return "http://" + address
}

func freeAddress(tb testing.TB) string {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	return address
}

// answers waits until the server does.
func answers(ctx context.Context, healthURL string, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := get(ctx, healthURL)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case err := <-ended:
			return fmt.Errorf("it has ended: %w", err)
		case <-tick.C:
		}
	}
}

func get(ctx context.Context, healthURL string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, healthURL, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s", resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}
