package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store"
)

// bucketFile names the bucket in which a run directory is kept as well, so that
// later commands keep it there.
const bucketFile = "bucket.json"

type bucketNote struct {
	Run string `json:"run"` // URL of the run
}

// BucketURL returns the URL under which a run directory is kept in a bucket, or ""
// if it is in none.
func BucketURL(dir string) (runURL string, err error) {
	body, err := store.ReadFile(vfs.Default, filepath.Join(dir, bucketFile))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	var k bucketNote
	if err == nil {
		err = json.Unmarshal(body, &k)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(dir, bucketFile), err)
	}
	return k.Run, nil
}

// Forget detaches a run directory from its bucket, whose contents stay.
func Forget(dir string) error {
	if err := os.Remove(filepath.Join(dir, bucketFile)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// rememberBucket notes where the run is kept. The note is not synced: every
// command that is given the bucket writes it again.
func (r *Run) rememberBucket() error {
	url := r.opts.Bucket.URL()
	if was, err := BucketURL(r.dir); r.opts.FS != nil || err == nil && was == url {
		return nil
	}
	body, err := json.Marshal(bucketNote{Run: url})
	if err != nil {
		return err
	}
	if err := store.RewriteFile(filepath.Join(r.dir, bucketFile), append(body, '\n')); err != nil {
		return fmt.Errorf("note the bucket: %w", err)
	}
	return nil
}

// bucketURL returns the URL under which the run is kept, or "" if it is in no
// bucket.
func (r *Run) bucketURL() string {
	if r.opts.Bucket != nil {
		return r.opts.Bucket.URL()
	}
	if r.opts.FS != nil {
		return ""
	}
	url, err := BucketURL(r.dir)
	if err != nil {
		return "" // the error is reported when the run is resumed
	}
	return url
}
