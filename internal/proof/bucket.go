package proof

import (
	"math/bits"
	"sync"
)

const (
	// bucketsMax bounds the number of buckets: each has one buffer per goroutine.
	bucketsMax = 4096
	// cachedBuckets is how many buckets there are if memory allows fewer: tables of a
	// few hundred KiB stay in the processor's cache.
	cachedBuckets = 1024
	// bufferRecordsMax is the greatest number of nodes or edges in a buffer.
	bufferRecordsMax = 256
)

// A bucket is the states whose hash begins with the bucket's number.
type bucket struct {
	mu    sync.Mutex // guards the fields below while nodes and edges are added
	table *table     // nil unless all tables are in memory
	nodes file
	edges file
}

// hash spreads keys. The top bits choose the bucket, the low ones the place in its
// table. It is unrelated to the order in which a run stores its states.
func hash(key []uint64) uint64 {
	h := uint64(0)
	for _, w := range key {
		h = hashWord(h ^ w)
	}
	return h
}

func hashWord(h uint64) uint64 {
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>29
}

// divide chooses the number of buckets for the given number of states, and whether
// their tables fit in memory.
func (c *checker) divide(states int64) {
	nodeBytes, memory := int64(8*c.nodeWords), max(c.opts.MemoryBytes, 1)
	// Tables have a load factor of one third to two thirds.
	need := 2 * nodeBytes * states
	c.inMemory = need <= memory/2
	n := int64(1)
	if c.inMemory {
		for n < cachedBuckets && states/n > 1<<12 {
			n *= 2
		}
	} else {
		// Each goroutine holds one table at a time.
		for n < bucketsMax && need/n*int64(c.opts.Workers) > memory/4 {
			n *= 2
		}
	}
	c.buckets, c.hashBits = make([]bucket, n), uint(bits.Len64(uint64(n))-1)
	c.bufferWords = int(min(bufferRecordsMax*int64(c.edgeWords), memory/8/8/(n*int64(c.opts.Workers))))
	if c.inMemory {
		for i := range c.buckets {
			// States spread almost evenly over the buckets.
			c.buckets[i].table = c.newTable(states / n)
		}
	}
}

// router passes a goroutine's nodes or edges to their buckets in batches.
type router struct {
	c      *checker
	stride int
	most   int // words of a buffer
	to     func(bucket int, recs []uint64) error
	all    []uint64 // the buffers
	away   *away    // takes what others keep; nil if nobody does
	used   []int    // words of each
}

func (c *checker) newRouter(stride int, to func(bucket int, recs []uint64) error) *router {
	return c.newRouterOf(stride, max(4, c.bufferWords/stride)*stride, to)
}

// newRouterOf returns a router with buffers of so many words.
func (c *checker) newRouterOf(stride, most int, to func(bucket int, recs []uint64) error) *router {
	return &router{c: c, stride: stride, most: most, to: to, all: make([]uint64, most*len(c.buckets)), used: make([]int, len(c.buckets))}
}

// add adds a record, which begins with its key.
func (r *router) add(rec []uint64) error {
	if r.away != nil {
		if gone, err := r.away.add(rec); gone || err != nil {
			return err
		}
	}
	b := int(hash(rec[:r.c.words]) >> (64 - r.c.hashBits))
	at := b*r.most + r.used[b]
	copy(r.all[at:at+r.stride], rec)
	if r.used[b] += r.stride; r.used[b] == r.most {
		return r.send(b)
	}
	return nil
}

// addNarrow is add for records of two words whose key is one word.
func (r *router) addNarrow(key, word uint64) error {
	if r.away != nil {
		if gone, err := r.away.addNarrow(key, word); gone || err != nil {
			return err
		}
	}
	b := hashWord(key) >> (64 - r.c.hashBits)
	at := int(b)*r.most + r.used[b]
	r.all[at], r.all[at+1] = key, word
	if r.used[b] += 2; r.used[b] == r.most {
		return r.send(int(b))
	}
	return nil
}

func (r *router) send(b int) error {
	recs := r.all[b*r.most : b*r.most+r.used[b]]
	r.used[b] = 0
	return r.to(b, recs)
}

func (r *router) flush() error {
	for b, used := range r.used {
		if used == 0 {
			continue
		}
		if err := r.send(b); err != nil {
			return err
		}
	}
	if r.away != nil {
		return r.away.flush()
	}
	return nil
}

// addNodes adds nodes to a bucket.
func (c *checker) addNodes(bucket int, nodes []uint64) error {
	b := &c.buckets[bucket]
	b.mu.Lock()
	defer b.mu.Unlock()
	if !c.inMemory {
		return c.files.append(&b.nodes, "nodes", bucket, nodes)
	}
	for i := 0; i < len(nodes); i += c.nodeWords {
		if err := b.table.add(nodes[i : i+c.nodeWords]); err != nil {
			return err
		}
	}
	return nil
}

// addEdges compares edges with the states of a bucket, at once or later.
func (c *checker) addEdges(bucket int, edges []uint64) error {
	b := &c.buckets[bucket]
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case c.inMemory && c.edgeWords == 2:
		return c.compareNarrow(b.table, edges)
	case c.inMemory:
		return c.compare(b.table, edges)
	}
	c.spilled.Add(int64(8 * len(edges)))
	return c.files.append(&b.edges, "edges", bucket, edges)
}
