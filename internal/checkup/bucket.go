package checkup

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/everystate/everystate/store/bucket"
)

// bucketWait is how long the few requests to a bucket may take.
const bucketWait = 30 * time.Second

// forget returns a function that removes the directories of a bucket that are not there
// yet, unless something is in them by then.
func forget(dir string) func() {
	var made []string
	for at := filepath.FromSlash(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	return func() {
		if len(made) > 0 {
			_ = os.Remove(filepath.Join(made[0], ".writing")) // as below
		}
		for _, at := range made {
			_ = os.Remove(at) // It may not be empty, and then it stays.
		}
	}
}

// Bucket checks whether a bucket can create an object only if it does not exist,
// which is what prevents two coordinators from running at once.
func Bucket(ctx context.Context, url string) (found Finding) {
	found = Finding{Check: "bucket", Verdict: Fail, Change: "a bucket whose server supports conditional writes (If-None-Match), and credentials that may list, read, write and delete"}
	ctx, cancel := context.WithTimeout(ctx, bucketWait)
	defer cancel()
	if dir, is := strings.CutPrefix(url, "file://"); is {
		defer forget(dir)()
	}
	b, err := bucket.Open(ctx, url)
	if err != nil {
		found.Found = err.Error()
		return found
	}
	run := b.Run("doctor-" + rand.Text())
	var taken *bucket.TakenError
	first := run.Append(ctx, 0, []byte("first"))
	second := run.Append(ctx, 0, []byte("second"))
	_, deleted := run.Delete(ctx)
	switch err := errors.Join(first, deleted, b.Close()); {
	case err != nil:
		found.Found = err.Error()
	case second == nil:
		found.Found = url + " overwrites existing objects in conditional writes"
	case !errors.As(second, &taken):
		found.Found = second.Error()
	default:
		return Finding{Check: "bucket", Verdict: OK, Found: url + " supports conditional writes"}
	}
	return found
}
