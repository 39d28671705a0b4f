package bucket

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/everystate/everystate/store/naming"
)

const (
	objectBytesMax = 200 // of the name of a layer object, so that file systems accept it

	logDir     = "log/"
	layersDir  = "layers/"
	controlKey = "control"
)

func plain(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.'
}

// ObjectName returns the name of the object that a worker writes in one attempt
// at a layer. Different attempts and workers have different names. Bytes of
// worker other than letters, digits, '-' and '.' are written as '_' and two
// hexadecimal digits.
func ObjectName(phase uint8, layer, epoch uint32, worker string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d-%010d-%010d-", layersDir, phase, layer, epoch)
	for _, c := range []byte(worker) {
		if plain(rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return b.String()
}

func checkObject(name string) error {
	rest, ok := strings.CutPrefix(name, layersDir)
	if !ok || rest == "" || rest[0] == '.' || len(rest) > objectBytesMax ||
		strings.ContainsFunc(rest, func(c rune) bool { return !plain(c) && c != '_' }) {
		return fmt.Errorf("%q is not a name of a layer object", name)
	}
	return nil
}

// ours reports whether an object of a run, named relative to the run, is one that this
// package makes. Other objects belong to somebody else.
func ours(name string) bool {
	if number, ok := strings.CutPrefix(name, logDir); ok {
		return len(number) >= 8 && strings.Trim(number, "0123456789") == ""
	}
	if checkObject(name) != nil {
		return name == controlKey
	}
	// The fields of ObjectName: phase, layer and epoch, then the worker.
	fields := strings.SplitN(strings.TrimPrefix(name, layersDir), "-", 4)
	return len(fields) == 4 && len(fields[0]) > 0 && len(fields[1]) == 10 && len(fields[2]) == 10 &&
		strings.Trim(fields[0]+fields[1]+fields[2], "0123456789") == ""
}

func entryKey(n int) string { return fmt.Sprintf("%s%08d", logDir, n) }

// EntryName returns the name of the object that holds a log entry.
func EntryName(n int) string { return entryKey(n) }

// SplitRun splits the URL of a run, such as file:///dir/run or
// s3://bucket/prefix/run?region=x, into its bucket's URL and its name.
func SplitRun(runURL string) (bucket, run string, err error) {
	u, err := parseURL(runURL)
	if err != nil {
		return "", "", err
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	dir, run := path.Split(u.Path)
	if err := naming.CheckRun(run); err != nil {
		return "", "", fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	u.RawPath = ""
	u.Path = dir
	if len(dir) > 1 || u.Host != "" {
		u.Path = strings.TrimSuffix(dir, "/")
	}
	return u.String(), run, nil
}

// parseURL parses the URL of a bucket or a run. It may not contain credentials, as URLs
// are shown and stored.
func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // the outer error shows the whole URL
		}
		return nil, fmt.Errorf("bucket: not a URL: %w", err)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%s: a bucket's URL holds no credentials: they come from the environment", u.Redacted())
	}
	return u, nil
}
