package table

import "sync"

// cache is a table's view of pages that are not all in memory. It is safe for concurrent
// use.
type cache struct {
	pages Pages
	most  int // pages in memory

	mu    sync.Mutex // guards the fields below
	held  map[int]*heldPage
	clock int64
	err   error
}

type heldPage struct {
	words []uint64
	used  int64
}

// NewPaged returns a table for look-ups, for a phase, that reads pages as they are needed
// and keeps so many bytes of them. What it says of a state is to be trusted only if Err
// returns nil afterwards.
func (s *Space) NewPaged(phase uint8, pages Pages, bytes int64) *Table {
	t := s.tableOf(phase)
	t.cache = &cache{pages: pages, most: int(max(2, bytes/int64(s.PageBytes()))), held: make(map[int]*heldPage)}
	return t
}

// Paged returns the pages of a table that are not all in memory, or nil if they are.
func (t *Table) Paged() Pages {
	if t.cache == nil {
		return nil
	}
	return t.cache.pages
}

// Err returns the first error of reading pages.
func (t *Table) Err() error {
	if t.cache == nil {
		return nil
	}
	t.cache.mu.Lock()
	defer t.cache.mu.Unlock()
	return t.cache.err
}

// word returns a word of each plane.
func (t *Table) word(w int) (low, high uint64) {
	if t.cache == nil {
		return t.low[w], t.high[w]
	}
	return t.cache.word(w, t.space.pageWords())
}

func (c *cache) word(w, pageWords int) (low, high uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	page := w / pageWords
	p := c.held[page]
	if p == nil {
		p = c.read(page, 2*pageWords)
	}
	c.clock++
	p.used = c.clock
	return p.words[w%pageWords], p.words[pageWords+w%pageWords]
}

// read reads a page, in the place of the one that was not used for longest if there are too
// many.
func (c *cache) read(page, words int) *heldPage {
	p := &heldPage{}
	if len(c.held) >= c.most {
		oldest := -1
		for i, h := range c.held {
			if oldest < 0 || h.used < c.held[oldest].used {
				oldest = i
			}
		}
		p = c.held[oldest]
		delete(c.held, oldest)
	} else {
		p.words = make([]uint64, words)
	}
	if err := c.pages.ReadPage(page, p.words); err != nil {
		clear(p.words)
		if c.err == nil {
			c.err = err
		}
	}
	c.held[page] = p
	return p
}
