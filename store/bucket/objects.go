package bucket

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ObjectInfo is what a bucket reports about an object.
type ObjectInfo struct {
	// Name is relative to the run: log/00000000, layers/..., control.
	Name  string
	Bytes int64
	// Written is when the object was written, by the bucket's clock.
	Written time.Time
}

// Entry returns the number of the log entry that an object holds.
func (o *ObjectInfo) Entry() (n int, ok bool) {
	digits, ok := strings.CutPrefix(o.Name, logDir)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && entryKey(n) == o.Name
}

// Layer returns the attempt that wrote a layer object, from its name.
func (o *ObjectInfo) Layer() (phase uint8, layer, epoch uint32, ok bool) {
	n, err := fmt.Sscanf(o.Name, layersDir+"%d-%d-%d-", &phase, &layer, &epoch)
	return phase, layer, epoch, err == nil && n == 3
}

// Objects calls f with every object of the run, in no particular order. An error of f
// ends it and is returned.
func (r *Run) Objects(ctx context.Context, f func(o ObjectInfo) error) error {
	if r.bad != nil {
		return r.bad
	}
	var ferr error
	err := r.bucket.backend.list(ctx, r.name, func(o object) error {
		ferr = f(ObjectInfo{Name: strings.TrimPrefix(o.key, r.name+"/"), Bytes: o.bytes, Written: o.mod})
		return ferr
	})
	if ferr != nil {
		return ferr
	}
	return r.fail("list", "", err)
}
