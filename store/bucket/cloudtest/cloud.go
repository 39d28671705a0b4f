// Package cloudtest is a bucket in memory that fails as buckets do: answers are late
// or lost though the work was done, writes are done twice, lists show what was there
// a while ago. A test says for each request what is to happen to it.
//
// Above it is the code that ships for S3, with its library: the package implements
// that library's driver. It keeps what a bucket must keep to be one: a conditional
// write is done at most once, an object is seen whole or not at all, and who reads an
// object by its name sees the last write. It must never be part of a program.
package cloudtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sort"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// Cloud holds the objects of a bucket, which any number of processes open. It is
// safe for concurrent use.
type Cloud struct {
	mu      sync.Mutex // guards the fields below
	objects map[string]*object
	seen    []change // all there have been
}

type object struct {
	body []byte
	mod  time.Time
}

// change is that an object came, or went away.
type change struct {
	at  time.Time
	key string
	is  *object // nil when it is gone
}

// New returns an empty bucket.
func New() *Cloud { return &Cloud{objects: make(map[string]*object)} }

// Fate is what happens to a request. The zero Fate is that of most.
type Fate struct {
	// Late is how long the request takes to arrive.
	Late time.Duration
	// Err is what is answered in place of doing what was asked.
	Err error
	// Lost is what is answered though what was asked is done.
	Lost error
	// Again is how long after it was done a write is done once more, as by a client
	// or a proxy that believes it lost. Zero means that it is not.
	Again time.Duration
	// Stale is how old what a list shows is.
	Stale time.Duration
}

// The operations that are asked for.
const (
	Read  = "read"
	Stat  = "stat"
	Write = "write"
	List  = "list"
	Drop  = "drop"
)

// Client returns the bucket as one process sees it, for bucket.Of. fate is asked about
// every request.
func (c *Cloud) Client(fate func(op, key string) Fate) *blob.Bucket {
	return blob.NewBucket(&client{cloud: c, fate: fate})
}

// Size returns how many objects there are.
func (c *Cloud) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.objects)
}

// Lose deletes objects whose names begin with a prefix, the first n by name, and cuts
// the one behind them short. It reports whether there were as many.
func (c *Cloud) Lose(prefix string, n int) bool {
	list := c.asOf(time.Now(), prefix)
	if len(list) <= n {
		return false
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	c.mu.Lock()
	cut := c.objects[list[n].Key]
	c.mu.Unlock()
	_ = c.set(list[n].Key, &object{body: cut.body[:len(cut.body)/2], mod: time.Now()}, false)
	for _, o := range list[:n] {
		_ = c.set(o.Key, nil, false) // it is there
	}
	return true
}

var (
	errNotFound = errors.New("no such object")
	errTaken    = errors.New("there is an object of that name")
	errNever    = errors.New("nobody asks for that")
)

// client is the driver of one process.
type client struct {
	cloud *Cloud
	fate  func(op, key string) Fate
}

func (c *client) ErrorCode(err error) gcerrors.ErrorCode {
	switch {
	case errors.Is(err, errNotFound):
		return gcerrors.NotFound
	case errors.Is(err, errTaken):
		return gcerrors.FailedPrecondition
	}
	return gcerrors.Unknown
}

func (c *client) As(any) bool             { return false }
func (c *client) ErrorAs(error, any) bool { return false }
func (c *client) Close() error            { return nil }

// ask asks for the fate of a request, and waits until it has arrived.
func (c *client) ask(ctx context.Context, op, key string) (Fate, error) {
	f := c.fate(op, key)
	if f.Late > 0 {
		select {
		case <-time.After(f.Late):
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
	if err := ctx.Err(); err != nil {
		return f, err
	}
	return f, f.Err
}

func (c *client) get(key string) (*object, error) {
	c.cloud.mu.Lock()
	defer c.cloud.mu.Unlock()
	if o := c.cloud.objects[key]; o != nil {
		return o, nil
	}
	return nil, errNotFound
}

// set makes an object, or removes it if o is nil.
func (c *Cloud) set(key string, o *object, onlyNew bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.objects[key]
	switch {
	case onlyNew && was != nil:
		return errTaken
	case o == nil && was == nil:
		return errNotFound
	case o == nil:
		delete(c.objects, key)
	default:
		c.objects[key] = o
	}
	c.seen = append(c.seen, change{time.Now(), key, o})
	return nil
}

func (c *client) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	f, err := c.ask(ctx, Stat, key)
	if err != nil {
		return nil, err
	}
	o, err := c.get(key)
	if err != nil {
		return nil, err
	}
	return &driver.Attributes{Size: int64(len(o.body)), ModTime: o.mod}, f.Lost
}

func (c *client) NewRangeReader(ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	f, err := c.ask(ctx, Read, key)
	if err != nil {
		return nil, err
	}
	o, err := c.get(key)
	if err != nil {
		return nil, err
	}
	body := o.body[min(offset, int64(len(o.body))):]
	if length >= 0 {
		body = body[:min(length, int64(len(body)))]
	}
	r := &reader{attrs: driver.ReaderAttributes{Size: int64(len(o.body)), ModTime: o.mod}, lost: f.Lost}
	if f.Lost != nil {
		body = body[:len(body)/2] // the connection breaks on the way
	}
	r.Reader = bytes.NewReader(body)
	return r, nil
}

type reader struct {
	*bytes.Reader
	attrs driver.ReaderAttributes
	lost  error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.EOF) && r.lost != nil {
		err = r.lost
	}
	return n, err
}

func (r *reader) Attributes() *driver.ReaderAttributes { return &r.attrs }
func (r *reader) As(any) bool                          { return false }
func (r *reader) Close() error                         { return nil }

func (c *client) NewTypedWriter(ctx context.Context, key, _ string, opts *driver.WriterOptions) (driver.Writer, error) {
	return &writer{client: c, ctx: ctx, key: key, onlyNew: opts.IfNotExist}, nil
}

type writer struct {
	*client
	ctx     context.Context //nolint:containedctx // the library's driver has it so
	key     string
	onlyNew bool
	body    bytes.Buffer
	broken  error // what was to be sent could not be read
}

func (w *writer) Write(p []byte) (int, error) { return w.body.Write(p) }

func (w *writer) Upload(r io.Reader) error {
	_, w.broken = w.body.ReadFrom(r)
	return w.broken
}

// Close sends what was written.
func (w *writer) Close() error {
	if w.broken != nil {
		return w.broken
	}
	f, err := w.ask(w.ctx, Write, w.key)
	if err != nil {
		return err
	}
	o := &object{body: w.body.Bytes(), mod: time.Now()}
	if err := w.cloud.set(w.key, o, w.onlyNew); err != nil {
		return err
	}
	if f.Again > 0 {
		time.AfterFunc(f.Again, func() { _ = w.cloud.set(w.key, o, w.onlyNew) }) // nobody waits for the answer
	}
	return f.Lost
}

func (c *client) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	f, err := c.ask(ctx, Drop, key)
	if err != nil {
		return err
	}
	if err := c.cloud.set(key, nil, false); err != nil {
		return err
	}
	return f.Lost
}

// ListPaged lists in one page.
func (c *client) ListPaged(ctx context.Context, opts *driver.ListOptions) (*driver.ListPage, error) {
	f, err := c.ask(ctx, List, opts.Prefix)
	if err != nil {
		return nil, err
	}
	if f.Lost != nil {
		return nil, f.Lost
	}
	page := &driver.ListPage{}
	dirs := make(map[string]bool)
	for _, o := range c.cloud.asOf(time.Now().Add(-f.Stale), opts.Prefix) {
		dir, _, in := strings.Cut(o.Key[len(opts.Prefix):], opts.Delimiter)
		if opts.Delimiter == "" || !in {
			page.Objects = append(page.Objects, o)
			continue
		}
		if dir = opts.Prefix + dir + opts.Delimiter; !dirs[dir] {
			dirs[dir] = true
			page.Objects = append(page.Objects, &driver.ListObject{Key: dir, IsDir: true})
		}
	}
	return page, nil
}

// asOf returns the objects that there were at a time.
func (c *Cloud) asOf(then time.Time, prefix string) []*driver.ListObject {
	c.mu.Lock()
	defer c.mu.Unlock()
	objects := make(map[string]*object)
	for _, ch := range c.seen {
		if ch.at.After(then) {
			break
		}
		objects[ch.key] = ch.is
	}
	var list []*driver.ListObject
	for key, o := range objects {
		if o != nil && strings.HasPrefix(key, prefix) {
			list = append(list, &driver.ListObject{Key: key, Size: int64(len(o.body)), ModTime: o.mod})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	return list
}

func (c *client) Copy(context.Context, string, string, *driver.CopyOptions) error { return errNever }

func (c *client) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errNever
}
