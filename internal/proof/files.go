package proof

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// fileBuffer is the memory for reading or writing a file.
const fileBuffer = 64 << 10

// file is the nodes or edges of a bucket on disk, up to Bytes.
type file struct {
	Name  string
	Bytes int64
	Sum   uint32 // Castagnoli
}

// files is what a check keeps on disk, and how far it has come. An interrupted check
// resumes from progressFile, which is replaced atomically. Nothing is synced: after a
// power cut a checksum may not match, and the check then starts over.
type files struct {
	c    *checker
	dir  string
	made int // replaced files

	mu    sync.Mutex // guards the fields below
	spare [][]byte   // for append
}

const progressFile = "progress.json"

// progress is how far a check has come.
type progress struct {
	Of         string // what is checked, and how it is divided
	Next       int    // the first bucket that has not been expanded, or of a share the first round
	Successors int64
	Done       int64
	Made       int
	Nodes      []file
	Edges      []file         // not yet compared with the nodes
	Share      *shareProgress `json:",omitempty"`
}

// decode reports whether body is valid progress, and sets p to it.
func (p *progress) decode(body []byte) bool { return json.Unmarshal(body, p) == nil }

// checkID identifies a check, by the run, its layers and the program.
func (f *files) checkID() string {
	c, board := f.c, f.c.space.Board
	h := sha256.New()
	fmt.Fprintf(h, "1 %q %v %s %q %q %q %d %v %d %d", c.opts.Version, c.space.History.Identity(), tableOf(c.space.History),
		board.Family, board.Metric, board.Text, len(c.buckets), c.inMemory, c.horizon, c.unexpanded)
	return fmt.Sprintf("%x", h.Sum(nil))
}

func (f *files) path(name string) string { return filepath.Join(f.dir, name) }

// resume resumes from the progress that an interrupted check saved: it returns the
// first bucket to expand, or -1 if there is nothing to resume from.
func (f *files) resume() (next int, err error) {
	next, err = f.read()
	if err != nil || next >= 0 {
		return next, err
	}
	return -1, f.forget()
}

// forget removes everything that a check has left.
func (f *files) forget() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == progressFile || strings.HasPrefix(e.Name(), "nodes-") || strings.HasPrefix(e.Name(), "edges-") {
			err = errors.Join(err, os.Remove(f.path(e.Name())))
		}
	}
	return err
}

func (f *files) read() (next int, err error) {
	body, err := os.ReadFile(f.path(progressFile))
	if errors.Is(err, os.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return -1, err
	}
	var p progress
	n := len(f.c.buckets)
	if !p.decode(body) || p.Of != f.checkID() || p.Next < 0 || p.Next > f.c.steps || len(p.Nodes) != n || len(p.Edges) != n {
		return -1, nil
	}
	for i := range f.c.buckets {
		b := &f.c.buckets[i]
		b.nodes, b.edges = p.Nodes[i], p.Edges[i]
		if strings.ContainsAny(b.nodes.Name+b.edges.Name, `/\`) {
			return -1, nil
		}
		if b.edges.Name != "" {
			// Edges written after the save will be generated again.
			if err := os.Truncate(f.path(b.edges.Name), b.edges.Bytes); err != nil {
				return -1, cmp.Or(errIf(errors.Is(err, os.ErrNotExist)), err)
			}
		}
		if f.c.inMemory {
			if err := f.each(&b.nodes, f.c.nodeWords, b.table.add); err != nil {
				return -1, err
			}
		}
		f.c.spilled.Add(b.edges.Bytes)
	}
	if !f.c.share.restore(p.Share) {
		return -1, nil
	}
	f.made = p.Made
	f.c.successors.Store(p.Successors)
	f.c.looked(int(p.Done))
	// Files made after the save have names that are used again.
	return p.Next, f.sweep(&p)
}

// save saves the progress. Nothing else may be running.
func (f *files) save(next int) error {
	c := f.c
	p := progress{Of: f.checkID(), Next: next, Successors: c.successors.Load(), Done: c.done.Load()}
	for i := range c.buckets {
		b := &c.buckets[i]
		var err error
		if c.inMemory {
			b.nodes, err = f.replace(i, b.table)
		}
		if err != nil {
			return err
		}
		p.Nodes, p.Edges = append(p.Nodes, b.nodes), append(p.Edges, b.edges)
	}
	p.Made, p.Share = f.made, c.share.progress()
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	path := f.path(progressFile)
	if err := os.WriteFile(path+".new", body, 0o644); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return f.sweep(&p)
}

// sweep removes the files that the progress does not name.
func (f *files) sweep(p *progress) error {
	used := make(map[string]bool)
	for i := range p.Nodes {
		used[p.Nodes[i].Name], used[p.Edges[i].Name] = true, true
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		ours := strings.HasPrefix(e.Name(), "nodes-") || strings.HasPrefix(e.Name(), "edges-")
		if ours && !used[e.Name()] {
			err = errors.Join(err, os.Remove(f.path(e.Name())))
		}
	}
	return err
}

// errDamaged reports that the files of an interrupted check are unusable.
var errDamaged = errors.New("what an interrupted verification has left is damaged")

func errIf(damaged bool) error {
	if damaged {
		return errDamaged
	}
	return nil
}

// name returns an unused file name.
func (f *files) name(kind string, bucket int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made++
	return fmt.Sprintf("%s-%d-%d", kind, bucket, f.made)
}

// replace writes a bucket's nodes to a new file.
func (f *files) replace(bucket int, t *table) (file, error) {
	to := file{Name: f.name("nodes", bucket)}
	out, err := os.Create(f.path(to.Name))
	if err != nil {
		return to, err
	}
	sum := crc32.New(castagnoli())
	w := bufio.NewWriterSize(io.MultiWriter(out, sum), fileBuffer)
	var buf []byte
	err = t.each(func(node []uint64) error {
		buf = appendWords(buf[:0], node)
		to.Bytes += int64(len(buf))
		_, err := w.Write(buf)
		return err
	})
	err = errors.Join(err, w.Flush(), out.Close())
	to.Sum = sum.Sum32()
	return to, err
}

// append appends records to a bucket's file. The bucket is locked.
func (f *files) append(to *file, kind string, bucket int, recs []uint64) error {
	if to.Name == "" {
		to.Name = f.name(kind, bucket)
	}
	f.mu.Lock()
	var buf []byte
	if n := len(f.spare); n > 0 {
		buf, f.spare = f.spare[n-1], f.spare[:n-1]
	}
	f.mu.Unlock()
	buf = appendWords(buf[:0], recs)
	out, err := os.OpenFile(f.path(to.Name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = out.Write(buf)
		err = errors.Join(err, out.Close())
	}
	to.Bytes += int64(len(buf))
	to.Sum = crc32.Update(to.Sum, castagnoli(), buf)
	f.mu.Lock()
	f.spare = append(f.spare, buf)
	f.mu.Unlock()
	return err
}

// each calls g with every record of a file, and verifies its checksum.
func (f *files) each(from *file, stride int, g func(rec []uint64) error) error {
	if from.Name == "" {
		return nil
	}
	in, err := os.Open(f.path(from.Name))
	if err != nil {
		return cmp.Or(errIf(errors.Is(err, os.ErrNotExist)), err)
	}
	defer in.Close() //nolint:errcheck // read only
	sum := crc32.New(castagnoli())
	r := bufio.NewReaderSize(io.TeeReader(io.LimitReader(in, from.Bytes), sum), fileBuffer)
	buf, rec := make([]byte, 8*stride), make([]uint64, stride)
	for range from.Bytes / int64(len(buf)) {
		if _, err := io.ReadFull(r, buf); err != nil {
			return cmp.Or(errIf(errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)), err)
		}
		for i := range rec {
			rec[i] = binary.LittleEndian.Uint64(buf[8*i:])
		}
		if err := g(rec); err != nil {
			return err
		}
	}
	if sum.Sum32() != from.Sum {
		return errDamaged
	}
	return nil
}

func appendWords(dst []byte, words []uint64) []byte {
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
