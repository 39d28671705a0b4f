package bucket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/everystate/everystate/internal/test/s3test"
)

// credentials sets some that no server knows.
func credentials(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "some", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "",
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_MAX_ATTEMPTS": "1", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "",
	} {
		t.Setenv(name, value)
	}
}

// server returns the URL of a bucket on a server of the test's own.
func server(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return withEndpoint("s3://bucket/prefix", s.URL)
}

func withEndpoint(bucketURL, endpoint string) string {
	return bucketURL + "?" + url.Values{"endpoint": {endpoint}}.Encode()
}

func answer(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		if code != "" {
			_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>This is\nwhat it\nsays.</Message></Error>")
		}
	}
}

func TestS3OpenErrors(t *testing.T) {
	credentials(t)
	silent := make(chan struct{})
	t.Cleanup(func() { close(silent) })
	for _, test := range []struct {
		name, url string
		want      string
		retryable bool
	}{
		{"no bucket", server(t, answer(404, "NoSuchBucket")), "open: there is no such bucket", false},
		{"denied", server(t, answer(403, "AccessDenied")), "open: AccessDenied: This is what it says (403)", false},
		{"signature", server(t, answer(403, "SignatureDoesNotMatch")), "SignatureDoesNotMatch", false},
		{"key", server(t, answer(403, "InvalidAccessKeyId")), "InvalidAccessKeyId", false},
		{"busy", server(t, answer(503, "SlowDown")), "SlowDown: This is what it says (503)", true},
		{"throttled", server(t, answer(429, "")), "(429)", true},
		{"broken", server(t, answer(500, "InternalError")), "InternalError", true},
		{"gateway", server(t, answer(502, "")), "(502)", true},
		{"unknown to the server", server(t, answer(501, "NotImplemented")), "NotImplemented", false},
		// No process is given port 1 by chance.
		{"refused", withEndpoint("s3://bucket", "http://127.0.0.1:1"), "connection refused", true},
		{"closed", server(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), "the server closed the connection", true},
		{"silent", server(t, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-silent:
			}
		}), "open: context deadline exceeded", true},
		{"no bucket in the URL", "s3:///prefix", "s3://bucket/prefix?parameters", false},
		{"no region", "s3://bucket", "no region", false},
		{"unknown parameter", "s3://bucket?color=red", `unknown query parameter "color"`, false},
		{"no flag", "s3://bucket?use_path_style=maybe", `use_path_style must be true or false, not "maybe"`, false},
		{"no encryption", "s3://bucket?ssetype=rot13", `unknown ssetype "rot13"`, false},
		{"no URL", "s3://bucket?endpoint=localhost:9000", "endpoint must be a URL", false},
		{"endpoint with credentials", "s3://bucket?endpoint=http%3A%2F%2Fu%3Asecret%40h", "no credentials", false},
		{"dots", "s3://bucket/a/../b", "dotted", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if test.name == "silent" {
				ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
			}
			_, err := Open(ctx, test.url)
			wantError(t, err, test.want)
			if Retryable(err) != test.retryable {
				t.Errorf("retryable is %v: %v", !test.retryable, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("a secret is shown: %v", err)
			}
			t.Log(err)
		})
	}
}

func TestS3NoCredentials(t *testing.T) {
	credentials(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, err := Open(t.Context(), withEndpoint("s3://bucket", "http://127.0.0.1:1"))
	wantError(t, err, "no valid credentials found")
	if Retryable(err) {
		t.Error("retryable")
	}
}

func TestS3WrongCredentials(t *testing.T) {
	u, _ := s3test.Start(t)
	for name, value := range map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong", "AWS_ACCESS_KEY_ID": "unknown"} {
		t.Setenv(name, value)
		_, err := Open(t.Context(), u)
		wantError(t, err, "(40") // 403, and 404 for a key that versitygw does not know
		if Retryable(err) {
			t.Errorf("retryable: %v", err)
		}
		t.Log(err)
	}
}

func TestS3NoBucket(t *testing.T) {
	u, _ := s3test.Start(t)
	_, err := Open(t.Context(), strings.Replace(u, s3test.Bucket, "another", 1))
	wantError(t, err, "there is no such bucket")
	if Retryable(err) || errors.Is(err, ErrNotExist) {
		t.Errorf("retryable, or about an object: %v", err)
	}
}

// A writer that was given up leaves no parts on the server, and neither does one
// whose context was cancelled.
func TestS3NoPartsLeft(t *testing.T) {
	u, _ := s3test.Start(t)
	b := opened(t, u)
	r := b.Run("r")
	must(t, r.Append(t.Context(), 0, nil))
	client := b.backend.(blobs).client.(*s3Client).requests
	uploads := func() int {
		t.Helper()
		out, err := client.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: aws.String(s3test.Bucket)})
		must(t, err)
		return len(out.Uploads)
	}
	for _, cancelled := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		w, err := r.NewLayer(ctx, ObjectName(1, 1, 1, "w"))
		must(t, err)
		for range 70 {
			must(t, w.Append(1, make([]byte, BlockBytesMax)))
		}
		if n := uploads(); n != 1 {
			t.Errorf("%d uploads under way, want 1", n)
		}
		if cancelled {
			cancel()
		}
		w.Abort()
		cancel()
		if n := uploads(); n != 0 {
			t.Errorf("cancelled %v: %d uploads left", cancelled, n)
		}
	}
}

// A server whose replies to writes are lost: the connection breaks when all has
// been done.
func TestS3LostReplies(t *testing.T) {
	u, _ := s3test.Start(t)
	target, err := url.Parse(u)
	must(t, err)
	endpoint, err := url.Parse(target.Query().Get("endpoint"))
	must(t, err)
	var lose atomic.Int32
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(endpoint)
			r.Out.Host = r.In.Host // which is signed
		},
		ModifyResponse: func(resp *http.Response) error {
			if resp.Request.Method == http.MethodPut && lose.Add(-1) >= 0 {
				panic(http.ErrAbortHandler)
			}
			return nil
		},
	})
	t.Cleanup(front.Close)
	r := opened(t, withEndpoint("s3://"+s3test.Bucket, front.URL)).Run("r")
	for n, losses := range []int32{0, 1, 2, 1, 3, 9} {
		lose.Store(losses)
		must(t, r.Append(t.Context(), n, []byte{byte(n)}))
	}
	lose.Store(0)
	entries, err := r.Log(t.Context(), 0)
	if err != nil || len(entries) != 6 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	lose.Store(1)
	writeLayer(t, r, ObjectName(1, 1, 1, "w"), blocks{1: {[]byte("x")}})
	lose.Store(1)
	must(t, r.SetControl(t.Context(), []byte("x")))
}

func TestRetryableOwn(t *testing.T) {
	for _, err := range []error{
		nil, &TakenError{}, &CorruptionError{}, ErrNotExist, ErrExist, ErrRemains, context.Canceled, os.ErrPermission,
		errors.New("something"), &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true},
	} {
		if Retryable(err) {
			t.Errorf("%v is retryable", err)
		}
	}
	if err := (&net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}); !Retryable(err) {
		t.Errorf("%v is not retryable", err)
	}
}
