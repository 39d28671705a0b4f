package bucket

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder answers as S3 does as far as one object goes, and keeps the requests.
type recorder struct {
	mu   sync.Mutex // guards seen
	seen []*http.Request
}

func (s *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	switch {
	case r.Method == http.MethodPost: // to the service that assumes roles
		_, _ = io.WriteString(w, `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASSUMED</AccessKeyId>`+
			`<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>`+
			`</Credentials></AssumeRoleResult></AssumeRoleResponse>`)
	case r.URL.Query().Has("list-type"):
		s.list(w, r.URL.Query())
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, "ab")
	}
}

// list gives two pages.
func (s *recorder) list(w io.Writer, q url.Values) {
	next, key := "<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>", "x"
	if q.Get("continuation-token") == "more" {
		next, key = "", "y__0x5f___0x2f__z"
	}
	if q.Has("delimiter") {
		key = "<CommonPrefixes><Prefix>p/" + key + "/</Prefix></CommonPrefixes>"
	} else {
		key = "<Contents><Key>" + q.Get("prefix") + key + "</Key><Size>7</Size><LastModified>2026-01-02T03:04:05Z</LastModified></Contents>"
	}
	fmt.Fprintf(w, "<ListBucketResult>%s%s</ListBucketResult>", next, key)
}

// take returns the requests since the last call.
func (s *recorder) take() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

func recorded(t *testing.T) (s *recorder, endpoint string) {
	t.Helper()
	s = &recorder{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// What the parameters of a URL do to the write of an entry.
func TestS3Parameters(t *testing.T) {
	credentials(t)
	s, endpoint := recorded(t)
	t.Setenv("AWS_ENDPOINT_URL_STS", endpoint)
	profiles := filepath.Join(t.TempDir(), "credentials")
	must(t, os.WriteFile(profiles, []byte("[other]\naws_access_key_id = OTHER\naws_secret_access_key = s\n"), 0o600))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", profiles)
	const signed, encrypted = "Authorization", "X-Amz-Server-Side-Encryption"
	for _, test := range []struct{ query, header, want string }{
		{"", signed, "Credential=some/"},
		{"", signed, "/us-east-1/s3/"},
		{"", "If-None-Match", "*"},
		{"", "Content-Type", "application/octet-stream"},
		{"", "X-Amz-Sdk-Checksum-Algorithm", "CRC32"},
		{"", encrypted, ""},
		{"region=eu-west-1", signed, "/eu-west-1/s3/"},
		{"profile=other", signed, "Credential=OTHER/"},
		{"role=arn:aws:iam::1:role/r&region=eu-west-1", signed, "Credential=ASSUMED/"},
		{"role=arn:aws:iam::1:role/r&region=eu-west-1", "X-Amz-Security-Token", "t"},
		{"anonymous=true", signed, ""},
		{"anonymous=false", signed, "Credential=some/"},
		{"ssetype=AWS:kms&kmskeyid=k1", encrypted, "aws:kms"},
		{"ssetype=AWS:kms&kmskeyid=k1", "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id", "k1"},
		{"ssetype=aes256", encrypted, "AES256"},
		{"request_checksum_calculation=when_required", "X-Amz-Sdk-Checksum-Algorithm", ""},
		{"request_checksum_calculation=WHEN_SUPPORTED", "X-Amz-Sdk-Checksum-Algorithm", "CRC32"},
		{"fips=false&dualstack=false&accelerate=false&disable_https=false", signed, "Credential=some/"},
		{"rate_limiter_capacity=100&hostname_immutable=true&s3ForcePathStyle=true&awssdk=v2", signed, "Credential=some/"},
	} {
		q, err := url.ParseQuery(test.query)
		must(t, err)
		q.Set("endpoint", endpoint)
		must(t, opened(t, "s3://b/p?"+q.Encode()).Run("r").Append(t.Context(), 0, []byte("x")))
		seen := s.take()
		put := seen[len(seen)-1]
		if put.Method != http.MethodPut || put.URL.Path != "/b/p/r/log/00000000" {
			t.Fatalf("%s: %s %s", test.query, put.Method, put.URL)
		}
		if got := put.Header.Get(test.header); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%q: %s is %q, want %q", test.query, test.header, got, test.want)
		}
	}
	for query, want := range map[string]string{
		"role=r&region=x":                      "arn:",
		"role=arn:aws:iam::1:role/r":           "region",
		"fips=true":                            "FIPS",
		"dualstack=true":                       "dual-stack",
		"accelerate=true":                      "ccelerate",
		"fips=maybe":                           "fips",
		"dualstack=maybe":                      "dualstack",
		"anonymous=maybe":                      "anonymous",
		"rate_limiter_capacity=many":           "capacity",
		"request_checksum_calculation=always":  "when_required",
		"response_checksum_validation=always":  "when_required",
		"use_path_style=true&disable_https=ja": "disable_https",
	} {
		_, err := Open(t.Context(), "s3://b?"+query+"&endpoint="+url.QueryEscape(endpoint))
		wantError(t, err, want)
	}
}

// What the operations of a bucket ask for.
func TestS3Requests(t *testing.T) {
	credentials(t)
	s, endpoint := recorded(t)
	b := opened(t, "s3://b/p?endpoint="+url.QueryEscape(endpoint)).backend
	ctx := t.Context()
	if first := s.take(); len(first) != 1 || first[0].URL.String() != "/b?list-type=2&max-keys=1" {
		t.Errorf("Open asked for %v", first[0].URL)
	}
	body, err := read(ctx, b, "k", 3, 2)
	if r := s.take()[0]; err != nil || string(body) != "ab" || r.Header.Get("Range") != "bytes=3-4" || r.Header.Get("X-Amz-Checksum-Mode") != "ENABLED" {
		t.Errorf("read %q, %v, with %v", body, err, r.Header)
	}
	body, err = read(ctx, b, "k", 3, 0)
	if r := s.take()[0]; err != nil || len(body) != 0 || r.Header.Get("Range") != "bytes=3-3" {
		t.Errorf("read %q, %v, with %v", body, err, r.Header)
	}
	var got []string
	must(t, b.list(ctx, "dots..", func(o object) error {
		got = append(got, fmt.Sprint(o.key, " ", o.bytes, " ", o.mod.Unix()))
		return nil
	}))
	if want := []string{"dots../x 7 1767323045", "dots../y__0x2f__z 7 1767323045"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if r := s.take(); len(r) != 2 || r[0].URL.Query().Get("prefix") != "p/dots..__0x2f__" || r[0].URL.Query().Get("max-keys") != "1000" {
		t.Errorf("%d requests, %v", len(r), r[0].URL)
	}
	dirs, err := b.dirs(ctx)
	if want := []string{"x", "y__0x2f__z"}; err != nil || !slices.Equal(dirs, want) {
		t.Errorf("directories %q, %v, want %q", dirs, err, want)
	}
	s.take()
	must(t, write(ctx, b, "dots../a__0x2f__b", nil, true))
	if r := s.take()[0]; r.URL.Path != "/b/p/dots..__0x2f__a__0x5f___0x2f__b" || r.Header.Get("If-None-Match") != "" {
		t.Errorf("%s %v", r.URL, r.Header)
	}
	must(t, b.remove(ctx, []string{"k"}))
	if r := s.take(); r[len(r)-1].Method != http.MethodDelete || r[len(r)-1].URL.Path != "/b/p/k" {
		t.Errorf("%s %s", r[len(r)-1].Method, r[len(r)-1].URL)
	}
}

// Checksums of answers are asked for unless the URL says otherwise.
func TestS3ResponseChecksums(t *testing.T) {
	credentials(t)
	s, endpoint := recorded(t)
	b := opened(t, "s3://b?response_checksum_validation=when_required&endpoint="+url.QueryEscape(endpoint)).backend
	s.take()
	_, err := read(t.Context(), b, "k", 0, 2)
	must(t, err)
	if mode := s.take()[0].Header.Get("X-Amz-Checksum-Mode"); mode != "" {
		t.Errorf("asked for checksums: %s", mode)
	}
}

// A request is sent as often as AWS_MAX_ATTEMPTS says, and no more.
func TestS3Attempts(t *testing.T) {
	credentials(t)
	t.Setenv("AWS_MAX_ATTEMPTS", "2")
	n := 0
	_, err := Open(t.Context(), server(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		answer(http.StatusServiceUnavailable, "SlowDown")(w, r)
	}))
	wantError(t, err, "SlowDown")
	if n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// Keys come back as they went, and two are never one.
func TestS3Keys(t *testing.T) {
	for key, want := range map[string]string{
		"r/log/00000000":   "r/log/00000000",
		"a../log":          "a..__0x2f__log",
		"a.../b/../c":      "a...__0x2f__b/..__0x2f__c",
		"a__0x2f__b":       "a__0x5f___0x2f__b",
		"__0x41__0x42__":   "__0x5f___0x41__0x5f___0x42__",
		"a__0x__b":         "a__0x__b",
		"a__0xfffffffff__": "a__0xfffffffff__",
		"a__0x2g__é/日":     "a__0x2g__é/日",
	} {
		got := escapeKey(key)
		if got != want || unescapeKey(got) != key {
			t.Errorf("%q is %q, and back %q; want %q", key, got, unescapeKey(got), want)
		}
	}
}
