package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/layerobject"
)

// uploader writes this worker's shares of committed layers into buckets.
type uploader struct {
	self    string
	stores  *stores
	buckets *bucket.Pool
}

// perform performs an upload. Its errors have one line that the coordinator accepts.
func (u *uploader) perform(ctx context.Context, o *everystatev1.Upload) (bytes int64, err error) {
	if bytes, err = u.upload(ctx, o); err != nil {
		err = errors.New(cut(strings.Join(strings.Fields(err.Error()), " ")))
	}
	return bytes, err
}

// upload writes one object, unless it is there already. An object reported lost is
// replaced unless the one there has the expected size.
func (u *uploader) upload(ctx context.Context, o *everystatev1.Upload) (bytes int64, err error) {
	phase, err := phaseOf(o.GetPhase())
	if err != nil {
		return 0, err
	}
	bkt, err := u.buckets.Run(ctx, o.GetBucket())
	if err != nil {
		return 0, err
	}
	id := store.SegmentID{Phase: phase, Layer: o.GetDepth(), Epoch: uint32(o.GetEpoch())}
	meant, err := wire.IdentityOf(o.GetRunIdentity())
	if err != nil {
		return 0, err
	}
	object, lost := o.GetObject(), o.GetObject() != ""
	if !lost {
		object = bucket.ObjectName(id.Phase, id.Layer, id.Epoch, meant.Writer(u.self))
	}
	bytes, err = bkt.Stat(ctx, object)
	if err == nil && lost && (o.GetDamaged() || uint64(bytes) != o.GetBytes()) {
		err = bucket.ErrNotExist // what is there is damaged
	}
	if !errors.Is(err, bucket.ErrNotExist) {
		return bytes, err
	}
	run, err := u.stores.take(o.GetRun(), nil)
	if err != nil {
		return 0, err
	}
	defer func() {
		if o.GetDropped() && errors.Is(err, layerobject.ErrNoRecords) {
			bytes, err = 0, nil
		}
		u.stores.noteDamage(run.Name, err)
		err = errors.Join(err, u.stores.give(run))
	}()
	if here := run.Identity(); meant.Known() && here.Known() && here != meant {
		return 0, fmt.Errorf("run %s here is %v, and %v is to be uploaded", run.Name, here, meant)
	}
	if lost {
		return layerobject.Rewrite(ctx, bkt, object, int64(o.GetBytes()), run.Store, run.Shape, id, o.GetPartitions())
	}
	return layerobject.Write(ctx, bkt, object, run.Store, run.Shape, id, o.GetPartitions())
}
