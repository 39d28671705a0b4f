// Package cloudtest is a bucket in memory that fails as buckets do: answers are late
// or lost though the work was done, writes are done twice, lists show what was there
// a while ago. A test says for each request what is to happen to it.
//
// Above it is the code that ships for S3, down to the client that sends requests: the
// package implements that, with the errors of S3. It keeps what a bucket must keep to
// be one: a conditional write is done at most once, an object is seen whole or not at
// all, and who reads an object by its name sees the last write. It must never be part
// of a program.
package cloudtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/aws/smithy-go"
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
func (c *Cloud) Client(fate func(op, key string) Fate) *Client {
	return &Client{cloud: c, fate: fate}
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
	cut := list[n].is
	_ = c.set(list[n].key, &object{body: cut.body[:len(cut.body)/2], mod: time.Now()}, false)
	for _, o := range list[:n] {
		_ = c.set(o.key, nil, false) // it is there
	}
	return true
}

// Bend changes a byte in the middle of objects whose names begin with a prefix, the first n
// by name. It reports whether there were as many.
func (c *Cloud) Bend(prefix string, n int) bool {
	list := c.asOf(time.Now(), prefix)
	if len(list) < n {
		return false
	}
	for _, o := range list[:n] {
		body := slices.Clone(o.is.body)
		body[len(body)/2] ^= 0x10
		_ = c.set(o.key, &object{body: body, mod: time.Now()}, false)
	}
	return true
}

// What S3 says.
var (
	errNotFound = &smithy.GenericAPIError{Code: "NoSuchKey", Message: "There is no such object"}
	errTaken    = &smithy.GenericAPIError{Code: "PreconditionFailed", Message: "There is an object of that name"}
)

// Client is the bucket of one process. It is safe for concurrent use.
type Client struct {
	cloud *Cloud
	fate  func(op, key string) Fate
}

// ask asks for the fate of a request, and waits until it has arrived.
func (c *Client) ask(ctx context.Context, op, key string) (Fate, error) {
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

func (c *Client) get(key string) (*object, error) {
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

// Stat returns the size of an object and its time.
func (c *Client) Stat(ctx context.Context, key string) (size int64, mod time.Time, err error) {
	f, err := c.ask(ctx, Stat, key)
	if err != nil {
		return 0, time.Time{}, err
	}
	o, err := c.get(key)
	if err != nil {
		return 0, time.Time{}, err
	}
	return int64(len(o.body)), o.mod, f.Lost
}

// Get reads up to n bytes from an offset on.
func (c *Client) Get(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	f, err := c.ask(ctx, Read, key)
	if err != nil {
		return nil, err
	}
	o, err := c.get(key)
	if err != nil {
		return nil, err
	}
	body := o.body[min(offset, int64(len(o.body))):]
	body = body[:min(n, int64(len(body)))]
	if f.Lost != nil {
		body = body[:len(body)/2] // the connection breaks on the way
	}
	return io.NopCloser(&reader{bytes.NewReader(body), f.Lost}), nil
}

type reader struct {
	io.Reader
	lost error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.EOF) && r.lost != nil {
		err = r.lost
	}
	return n, err
}

// Put makes an object of what it reads.
func (c *Client) Put(ctx context.Context, key string, body io.Reader, onlyNew bool) error {
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	f, err := c.ask(ctx, Write, key)
	if err != nil {
		return err
	}
	o := &object{body: content, mod: time.Now()}
	if err := c.cloud.set(key, o, onlyNew); err != nil {
		return err
	}
	if f.Again > 0 {
		time.AfterFunc(f.Again, func() { _ = c.cloud.set(key, o, onlyNew) }) // nobody waits for the answer
	}
	return f.Lost
}

// Delete removes an object.
func (c *Client) Delete(ctx context.Context, key string) error {
	f, err := c.ask(ctx, Drop, key)
	if err != nil {
		return err
	}
	if err := c.cloud.set(key, nil, false); err != nil {
		return err
	}
	return f.Lost
}

// list returns the objects whose names begin with a prefix.
func (c *Client) list(ctx context.Context, prefix string) ([]change, error) {
	f, err := c.ask(ctx, List, prefix)
	if err == nil {
		err = f.Lost
	}
	if err != nil {
		return nil, err
	}
	return c.cloud.asOf(time.Now().Add(-f.Stale), prefix), nil
}

// List calls f with every object whose name begins with a prefix.
func (c *Client) List(ctx context.Context, prefix string, f func(key string, bytes int64, mod time.Time) error) error {
	list, err := c.list(ctx, prefix)
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := f(o.key, int64(len(o.is.body)), o.is.mod); err != nil {
			return err
		}
	}
	return nil
}

// Dirs returns what is before the first slash of names.
func (c *Client) Dirs(ctx context.Context) ([]string, error) {
	list, err := c.list(ctx, "")
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, o := range list {
		dir, _, in := strings.Cut(o.key, "/")
		if in && (len(dirs) == 0 || dirs[len(dirs)-1] != dir) { // names are sorted
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// asOf returns the objects that there were at a time, by name.
func (c *Cloud) asOf(then time.Time, prefix string) []change {
	c.mu.Lock()
	defer c.mu.Unlock()
	objects := make(map[string]change)
	for _, ch := range c.seen {
		if ch.at.After(then) {
			break
		}
		objects[ch.key] = ch
	}
	var list []change
	for key, ch := range objects {
		if ch.is != nil && strings.HasPrefix(key, prefix) {
			list = append(list, ch)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].key < list[j].key })
	return list
}
