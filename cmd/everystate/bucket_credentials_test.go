package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestBucketCredentials names a bucket without credentials, or with a profile that is not
// there, in each kind of command: one line says what to set, and the exit code is that of
// bad usage. A bucket that does not answer has another.
func TestBucketCredentials(t *testing.T) { //nolint:paralleltest // it sets environment variables
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_MAX_ATTEMPTS": "1",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "",
	} {
		t.Setenv(name, value)
	}
	const bkt = "s3://states/prefix?region=eu-central-1&endpoint=http://127.0.0.1:1"
	run := filepath.Join(t.TempDir(), "run")
	commands := [][]string{
		{"checkpoints", bkt},
		{"restore", strings.Replace(bkt, "?", "/jam?", 1), run},
		{"resume", strings.Replace(bkt, "?", "/jam?", 1), "--run", run},
		{"explore", puzzleFile(t, "small-4x4.txt"), "--run", run, "--bucket", bkt},
		{"coordinator", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--bucket", bkt},
	}
	check := func(code int, says string) {
		t.Helper()
		for _, command := range commands {
			if r := call("", command...); r.code != code || !strings.Contains(r.errs, says) || strings.Count(r.errs, "\n") != 1 {
				t.Errorf("%s: exit %d: %s, want %d: %s", command[0], r.code, r.errs, code, says)
			}
		}
	}
	check(exit.Usage, "no valid credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or a role of this machine\n")
	t.Setenv("AWS_PROFILE", "nobody")
	check(exit.Usage, `AWS profile "nobody" does not exist: AWS_PROFILE, or profile=... in the URL, must name one of the AWS configuration files`)
	t.Setenv("AWS_PROFILE", "")
	t.Setenv("AWS_ACCESS_KEY_ID", "some")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	commands = commands[:1]
	check(exit.Failed, "connection refused")
}
