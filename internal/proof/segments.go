package proof

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
)

const (
	// mergedMax bounds how many segments are read side by side.
	mergedMax = 128
	// readBytes is the memory for reading one.
	readBytes = 32 << 10
)

// segments are sorted files of records. A record is stride words, of which the
// first key words are its key. Records of one key are kept each by itself, or made
// one with the least of each of the other words.
type segments struct {
	dir, name   string
	stride, key int
	join        bool

	mu    sync.Mutex // guards the fields below
	made  int
	files []segment
}

// segment is a file with so many records.
type segment struct {
	path    string
	records int64
}

// spill sorts records, in place, and writes them to a segment of their own.
func (s *segments) spill(recs []uint64) error {
	if len(recs) == 0 {
		return nil
	}
	sort.Sort(&rows{recs, make([]uint64, s.stride)})
	w, err := s.create()
	if err != nil {
		return err
	}
	for i := 0; i < len(recs) && err == nil; i += s.stride {
		err = w.add(recs[i : i+s.stride])
	}
	return s.keep(w, err)
}

func (s *segments) create() (*segmentWriter, error) {
	s.mu.Lock()
	s.made++
	path := filepath.Join(s.dir, fmt.Sprintf("%s-%d", s.name, s.made))
	s.mu.Unlock()
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &segmentWriter{file: f, w: bufio.NewWriterSize(f, 256<<10)}, nil
}

// keep closes what was written and, if there was no error, counts it among the
// segments.
func (s *segments) keep(w *segmentWriter, err error) error {
	err = errors.Join(err, w.w.Flush(), w.file.Close())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, segment{w.file.Name(), w.records})
	return nil
}

type segmentWriter struct {
	file    *os.File
	w       *bufio.Writer
	records int64
	buf     []byte
}

func (w *segmentWriter) add(rec []uint64) error {
	w.buf = w.buf[:0]
	for _, word := range rec {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, word)
	}
	w.records++
	_, err := w.w.Write(w.buf)
	return err
}

// open returns all records in order. The segments stay for another time.
func (s *segments) open() (*merged, error) {
	for len(s.files) > mergedMax {
		if err := s.mergeSome(); err != nil {
			return nil, err
		}
	}
	return s.read(s.files)
}

// mergeSome makes one segment of many.
func (s *segments) mergeSome() error {
	some := s.files[:mergedMax]
	s.files = slices.Clone(s.files[mergedMax:])
	m, err := s.read(some)
	if err != nil {
		return err
	}
	defer m.close()
	w, err := s.create()
	if err != nil {
		return err
	}
	for {
		rec, rerr := m.next()
		if rerr != nil || rec == nil {
			err = rerr
			break
		}
		if err = w.add(rec); err != nil {
			break
		}
	}
	if err := s.keep(w, err); err != nil {
		return err
	}
	for _, f := range some {
		if err := os.Remove(f.path); err != nil {
			return err
		}
	}
	return nil
}

func (s *segments) read(files []segment) (*merged, error) {
	m := &merged{s: s}
	for _, f := range files {
		file, err := os.Open(f.path)
		if err != nil {
			m.close()
			return nil, err
		}
		r := &segmentReader{file: file, r: bufio.NewReaderSize(file, readBytes), left: f.records, buf: make([]byte, 8*s.stride), rec: make([]uint64, s.stride)}
		m.all = append(m.all, r)
		more, err := r.advance()
		if err != nil {
			m.close()
			return nil, err
		}
		if more {
			m.heap = append(m.heap, r)
		}
	}
	heap.Init(&m.heap)
	return m, nil
}

// merged reads segments side by side.
type merged struct {
	s    *segments
	all  []*segmentReader
	heap readers
	rec  []uint64
}

// next returns the next record, nil at the end. It is valid until the next call.
func (m *merged) next() ([]uint64, error) {
	if len(m.heap) == 0 {
		return nil, nil
	}
	m.rec = append(m.rec[:0], m.heap[0].rec...)
	for {
		r := m.heap[0]
		more, err := r.advance()
		if err != nil {
			return nil, err
		}
		if more {
			heap.Fix(&m.heap, 0)
		} else {
			heap.Pop(&m.heap)
		}
		key := m.s.key
		if !m.s.join || len(m.heap) == 0 || !slices.Equal(m.heap[0].rec[:key], m.rec[:key]) {
			return m.rec, nil
		}
		for i, word := range m.heap[0].rec[key:] {
			m.rec[key+i] = min(m.rec[key+i], word)
		}
	}
}

func (m *merged) close() {
	for _, r := range m.all {
		_ = r.file.Close() // read only
	}
}

type segmentReader struct {
	file *os.File
	r    *bufio.Reader
	left int64
	buf  []byte
	rec  []uint64
}

func (r *segmentReader) advance() (bool, error) {
	if r.left == 0 {
		return false, nil
	}
	r.left--
	if _, err := io.ReadFull(r.r, r.buf); err != nil {
		return false, fmt.Errorf("read %s: %w", r.file.Name(), err)
	}
	for i := range r.rec {
		r.rec[i] = binary.LittleEndian.Uint64(r.buf[8*i:])
	}
	return true, nil
}

// readers is a heap, with the reader of the least record first.
type readers []*segmentReader

func (h readers) Len() int           { return len(h) }
func (h readers) Less(i, j int) bool { return less(h[i].rec, h[j].rec) }
func (h readers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *readers) Push(any)          { panic("proof: a segment is added while segments are merged") }

func (h *readers) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// rows sorts records; spare is as long as one.
type rows struct{ recs, spare []uint64 }

func (r *rows) row(i int) []uint64 { return r.recs[i*len(r.spare) : (i+1)*len(r.spare)] }
func (r *rows) Len() int           { return len(r.recs) / len(r.spare) }
func (r *rows) Less(i, j int) bool { return less(r.row(i), r.row(j)) }

func (r *rows) Swap(i, j int) {
	copy(r.spare, r.row(i))
	copy(r.row(i), r.row(j))
	copy(r.row(j), r.spare)
}

// less compares records; most differ in their first word.
func less(a, b []uint64) bool {
	if a[0] != b[0] {
		return a[0] < b[0]
	}
	return slices.Compare(a[1:], b[1:]) < 0
}
