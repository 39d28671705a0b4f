package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/everystate/everystate/puzzle/digest"
)

// Where a table does not fit in memory, it is kept as pages (package paged), each of which is
// one range of its words: the low bits of the range, then the high ones.

// Pages reads the pages of a table. It is safe for concurrent use.
type Pages interface {
	// ReadPage fills words with a page.
	ReadPage(page int, words []uint64) error
}

// PageBitsMax is how many bits a number's place in its page has: a page has as many words
// of each plane as a chunk of a stored table. Tests take less.
const PageBitsMax = 19

// SetPageBits makes pages smaller, for tests: not below 12.
func (s *Space) SetPageBits(n uint) { s.pageBits = n }

// PageBits is how many bits a number's place in its page has.
func (s *Space) PageBits() uint { return s.pageBits }

// pageWords is how many words of each plane a page has, PageWords how many in all.
func (s *Space) pageWords() int { return 1 << s.pageBits / wordBits }

// PageWords returns how many words a page has.
func (s *Space) PageWords() int { return 2 * s.pageWords() }

// Pages returns how many pages a table has.
func (s *Space) Pages() int { return (s.PlaneWords() + s.pageWords() - 1) / s.pageWords() }

// PageBytes returns how many bytes a page has.
func (s *Space) PageBytes() int { return s.PageWords() * (wordBits / 8) }

// PlaneWords returns how many words each plane has.
func (s *Space) PlaneWords() int { return s.words * s.Ranks.Blocks }

// Part is what has been done of a layer.
type Part struct {
	// Words is how many words of each plane have been done: in them, all states of the
	// layer have its code. In the others none has.
	Words int64
	// Of the states found there: how many, the goals among them, and so on.
	States, Goals, Edges int64
	Digest               digest.Digest
	PartStates           []int64
}

// Add adds the sums of another part.
func (p *Part) Add(q *Part) {
	p.States += q.States
	p.Goals += q.Goals
	p.Edges += q.Edges
	p.Digest.Add(q.Digest)
	for i, n := range q.PartStates {
		p.PartStates[i] += n
	}
}

// page returns the words of a page of a table in memory.
func (t *Table) page(page int) (low, high []uint64) {
	n := t.space.pageWords()
	first := page * n
	end := min(first+n, len(t.low))
	return t.low[first:end], t.high[first:end]
}

// ReadPage fills words with a page of a table in memory.
func (t *Table) ReadPage(page int, words []uint64) error {
	low, high := t.page(page)
	clear(words)
	copy(words, low)
	copy(words[t.space.pageWords():], high)
	return nil
}

// NewTableFrom returns a table with all pages of another one, for a phase.
func (s *Space) NewTableFrom(phase uint8, pages Pages) (*Table, error) {
	t := s.NewTableOf(phase)
	words := make([]uint64, s.PageWords())
	for page := range s.Pages() {
		if err := pages.ReadPage(page, words); err != nil {
			return nil, fmt.Errorf("page %d: %w", page, err)
		}
		low, high := t.page(page)
		copy(low, words)
		copy(high, words[s.pageWords():])
	}
	return t, nil
}

// WritePages writes what Table.Write does of a table with these pages.
func (s *Space) WritePages(w io.Writer, stamp Stamp, pages Pages) error {
	header := s.header(stamp)
	if _, err := w.Write(slices.Clone(header)); err != nil { // a vfs.File may change what it is given
		return err
	}
	sum := crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli))
	words, body := make([]uint64, s.PageWords()), make([]byte, 0, chunkBytesMax)
	flush := func() error {
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), body)
		_, err := w.Write(binary.LittleEndian.AppendUint32(body, sum))
		body = body[:0]
		return err
	}
	for plane := range 2 {
		left := s.PlaneWords()
		for page := range s.Pages() {
			if err := pages.ReadPage(page, words); err != nil {
				return fmt.Errorf("page %d: %w", page, err)
			}
			n := min(left, s.pageWords())
			left -= n
			for _, word := range words[plane*s.pageWords():][:n] {
				body = binary.LittleEndian.AppendUint64(body, word)
			}
			if len(body) == chunkWords*wordBits/8 || left == 0 {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// StoredPages reads the pages of what Table.Write wrote, of which OpenStored has read the header.
type StoredPages struct {
	space *Space
	from  io.ReaderAt
	sum   uint32 // of the header
}

// OpenStored returns the pages of what Table.Write wrote, with the number of successors from
// the stamp; the rest of the stamp must be as expected.
func (s *Space) OpenStored(from io.ReaderAt, size int64, stamp Stamp) (pages *StoredPages, edges int64, part *Part, err error) {
	header := make([]byte, headerBytes)
	if _, err := from.ReadAt(header, 0); err != nil {
		return nil, 0, nil, short(err)
	}
	edges, partial, err := s.readHeader(header, stamp)
	if err != nil {
		return nil, 0, nil, err
	}
	if rest := size - s.Bytes(); rest < 0 {
		return nil, 0, nil, short(io.EOF)
	} else if partial {
		if part, err = s.readPart(io.NewSectionReader(from, s.Bytes(), rest)); err != nil {
			return nil, 0, nil, err
		}
	} else if rest > 0 {
		return nil, 0, nil, errLong
	}
	return &StoredPages{s, from, crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli))}, edges, part, nil
}

// ReadPage reads a page. It checks the checksums of the chunks that have it.
func (p *StoredPages) ReadPage(page int, words []uint64) error {
	n := p.space.pageWords()
	clear(words)
	for plane := range 2 {
		if err := p.read(plane, page*n, words[plane*n:][:n]); err != nil {
			return err
		}
	}
	return nil
}

// read reads words of a plane that are in one chunk, from one on.
func (p *StoredPages) read(plane, first int, words []uint64) error {
	all := p.space.PlaneWords()
	at := first / chunkWords * chunkWords
	n := min(chunkWords, all-at)
	chunks := (all + chunkWords - 1) / chunkWords
	offset := headerBytes + int64(plane)*(int64(all)*wordBits/8+int64(chunks)*sumBytes) + int64(at)*wordBits/8 + int64(at/chunkWords)*sumBytes
	body := make([]byte, sumBytes+n*wordBits/8+sumBytes)
	if _, err := p.from.ReadAt(body, offset-sumBytes); err != nil {
		return short(err)
	}
	sum := p.sum
	if offset > headerBytes {
		sum = binary.LittleEndian.Uint32(body)
	}
	body = body[sumBytes:]
	end := len(body) - sumBytes
	if crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), body[:end]) != binary.LittleEndian.Uint32(body[end:]) {
		return fmt.Errorf("%w: a checksum is wrong", ErrDamaged)
	}
	for i := range min(len(words), n-(first-at)) {
		words[i] = binary.LittleEndian.Uint64(body[(first-at+i)*wordBits/8:])
	}
	return nil
}

// AppendBytes appends a part, and its checksum.
func (p *Part) AppendBytes(b []byte) []byte {
	first := len(b)
	for _, n := range []int64{p.Words, p.States, p.Goals, p.Edges} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, p.Digest.Bytes()...)
	for _, n := range p.PartStates {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[first:], crc32.MakeTable(crc32.Castagnoli)))
}

// PartBytes returns how many bytes a part has.
func (s *Space) PartBytes() int { return 4*8 + digest.Size + 8*s.Scheme.Partitions() + sumBytes }

// PartOf is the inverse of AppendBytes.
func (s *Space) PartOf(b []byte) (*Part, error) {
	end := len(b) - sumBytes
	if len(b) != s.PartBytes() || crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, fmt.Errorf("%w: what has been made of a layer", ErrDamaged)
	}
	p := &Part{}
	for _, n := range []*int64{&p.Words, &p.States, &p.Goals, &p.Edges} {
		*n = int64(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var err error
	if p.Digest, err = digest.FromBytes(b[:digest.Size]); err != nil {
		return nil, err
	}
	for b = b[digest.Size:]; len(b) > sumBytes; b = b[8:] {
		p.PartStates = append(p.PartStates, int64(binary.LittleEndian.Uint64(b)))
	}
	if p.Words < 0 || p.Words > int64(s.PlaneWords()) {
		return nil, fmt.Errorf("%w: %d words have been made of a layer", ErrDamaged, p.Words)
	}
	return p, nil
}

// readPart reads a part, behind which nothing follows.
func (s *Space) readPart(r io.Reader) (*Part, error) {
	b := make([]byte, s.PartBytes())
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, short(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != nil && !errors.Is(err, io.EOF) {
		return nil, errLong
	}
	return s.PartOf(b)
}

// StampSize is how many bytes StampBytes returns.
const StampSize = headerBytes

// StampBytes returns a stamp as the header of a table.
func (s *Space) StampBytes(stamp Stamp) []byte { return s.header(stamp) }

// StampOf is the inverse of StampBytes: all but the number of successors must be as
// expected.
func (s *Space) StampOf(b []byte, want Stamp) (*Stamp, error) {
	edges, _, err := s.readHeader(b, want)
	if err != nil {
		return nil, err
	}
	want.Edges = edges
	return &want, nil
}
