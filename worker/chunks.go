package worker

import "sync"

// Chunks is a pool of equally large slices for records. The workers of a
// process share it. It is safe for concurrent use.
type Chunks struct {
	words int

	mu   sync.Mutex // guards free
	free [][]uint64
}

// NewChunks returns a pool of chunks of at most the given number of bytes, each
// a whole number of records of stride words, but at least 64 records.
func NewChunks(bytes int64, stride int) *Chunks {
	records := max(64, int(bytes)/8/stride)
	return &Chunks{words: records * stride}
}

// Bytes returns the size of one chunk in bytes.
func (c *Chunks) Bytes() int64 { return int64(c.words) * 8 }

// Get returns an empty chunk. Its holder passes it on or puts it back.
func (c *Chunks) Get() []uint64 { return c.get() }

// Put takes back a chunk that is no longer in use.
func (c *Chunks) Put(chunk []uint64) { c.put(chunk) }

func (c *Chunks) get() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		chunk := c.free[n-1]
		c.free = c.free[:n-1]
		return chunk
	}
	return make([]uint64, 0, c.words)
}

func (c *Chunks) put(chunk []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = append(c.free, chunk[:0])
}

func (c *Chunks) putAll(chunks [][]uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, chunk := range chunks {
		c.free = append(c.free, chunk[:0])
	}
}
