package stored

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/paged"
	"github.com/everystate/everystate/store"
)

// A Disk keeps the pages and the candidates of a search (paged.Disk) in files beside the
// table: pages in one, each in some slot, candidates in some others. Once saved, the file of
// the table itself says which slots and which candidates count. What it says counts is not
// overwritten and not removed until Release, so that a kill at any time leaves what was last
// saved.
//
// It is safe for concurrent use, except for Save, Release and Close.
type Disk struct {
	fs    vfs.FS
	base  string // of the paths of files
	space *table.Space
	from  table.Pages // in a replay, where pages are read

	writing sync.Mutex // held while a slot is written

	mu      sync.Mutex // guards the fields below
	file    vfs.File   // with the slots; nil if there are none
	slots   []slot     // by page
	free    []uint32
	end     uint32   // slots in the file
	retired []uint32 // what the saved table needs, until Release
	unsaved bool     // slots have been written since the file was last synced

	segments []*segment
	spills   []*spill
	named    int // spills so far
}

// slot is where a page is.
type slot struct {
	at    uint32 // noSlot if it has no states
	sum   uint32
	saved bool // the saved table needs it
}

const noSlot = math.MaxUint32

// segment is the candidates that were spilled at once: of each page in turn, then the index.
type segment struct {
	kind   paged.Kind
	depth  uint32
	spill  *spill
	offset int64
	ends   []uint32 // by page, in candidates
	sums   []uint32
}

// spill is a file of segments of one depth.
type spill struct {
	number   int // in its name
	path     string
	file     vfs.File
	depth    uint32
	end      int64
	readOnly bool // segments are not added
	busy     bool // a segment is being added
	unsaved  bool // it was written to since it was last synced
	saved    bool // the saved table needs it
	dropped  bool
}

const candidateBytes = 4

// newDisk returns an empty Disk with files at a base path.
func newDisk(fs vfs.FS, base string, space *table.Space, from table.Pages) *Disk {
	d := &Disk{fs: fs, base: base, space: space, from: from, slots: make([]slot, space.Pages())}
	for i := range d.slots {
		d.slots[i].at = noSlot
	}
	return d
}

// Suffixes of the files.
const (
	pagesSuffix = ".pages"
	spillSuffix = ".spill"
)

// ReadPage fills words with a page.
func (d *Disk) ReadPage(page int, words []uint64) error {
	if d.from != nil {
		return d.from.ReadPage(page, words)
	}
	d.mu.Lock()
	s, file := d.slots[page], d.file
	d.mu.Unlock()
	if s.at == noSlot {
		clear(words)
		return nil
	}
	body := make([]byte, d.space.PageBytes())
	if _, err := file.ReadAt(body, int64(s.at)*int64(len(body))); err != nil {
		return tooShort(d.base+pagesSuffix, err)
	}
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != s.sum {
		return &store.CorruptionError{Where: d.base + pagesSuffix, What: fmt.Sprintf("page %d has a wrong checksum", page)}
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(body[i*8:])
	}
	return nil
}

// tooShort explains an error of reading what was written to a file.
func tooShort(path string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &store.CorruptionError{Where: path, What: "is too short"}
	}
	return err
}

// WritePage replaces a page.
func (d *Disk) WritePage(page int, words []uint64) error {
	body := make([]byte, 0, d.space.PageBytes())
	for _, word := range words {
		body = binary.LittleEndian.AppendUint64(body, word)
	}
	at, err := d.slotFor(page)
	if err != nil {
		return err
	}
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	d.writing.Lock()
	defer d.writing.Unlock()
	if _, err := d.file.WriteAt(body, int64(at)*int64(len(body))); err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slots[page].sum = sum
	return nil
}

// slotFor returns the slot that a page may be written to.
func (d *Disk) slotFor(page int) (uint32, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		var err error
		if d.file, err = d.fs.OpenReadWrite(d.base+pagesSuffix, vfs.WriteCategoryUnspecified); err != nil {
			return 0, fmt.Errorf("write a page: %w", err)
		}
	}
	d.unsaved = true
	s := &d.slots[page]
	if s.at != noSlot && !s.saved {
		return s.at, nil
	}
	if s.at != noSlot {
		d.retired = append(d.retired, s.at)
	}
	if n := len(d.free); n > 0 {
		s.at, d.free = d.free[n-1], d.free[:n-1]
	} else {
		s.at = d.end
		d.end++
	}
	s.saved = false
	return s.at, nil
}

// Spill adds candidates.
func (d *Disk) Spill(kind paged.Kind, depth uint32, next func(at int, b []byte) []byte) error {
	sp, err := d.take(depth)
	if err != nil {
		return fmt.Errorf("spill candidates: %w", err)
	}
	s := &segment{kind: kind, depth: depth, spill: sp, offset: sp.end, ends: make([]uint32, len(d.slots)), sums: make([]uint32, len(d.slots))}
	w := bufio.NewWriterSize(sp.file, 1<<18)
	var body []byte
	end := uint32(0)
	for page := range d.slots {
		body = next(page, body[:0])
		end += uint32(len(body) / candidateBytes)
		s.ends[page], s.sums[page] = end, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
		if _, err = w.Write(body); err != nil {
			break
		}
	}
	index := s.index()
	if err == nil {
		_, err = w.Write(index)
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("spill candidates: %w", err)
	}
	sp.end += int64(end)*candidateBytes + int64(len(index))
	d.mu.Lock()
	defer d.mu.Unlock()
	sp.busy = false
	d.segments = append(d.segments, s)
	return nil
}

// index returns what follows the candidates of a segment: by page, where they end and their
// checksum; and the checksum of that.
func (s *segment) index() []byte {
	b := make([]byte, 0, 8*len(s.ends)+4)
	for page := range s.ends {
		b = binary.LittleEndian.AppendUint32(b, s.ends[page])
		b = binary.LittleEndian.AppendUint32(b, s.sums[page])
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// take returns a file to which a segment may be added.
func (d *Disk) take(depth uint32) (*spill, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, sp := range d.spills {
		if sp.depth == depth && !sp.busy && !sp.readOnly && !sp.dropped {
			sp.busy, sp.unsaved = true, true
			return sp, nil
		}
	}
	sp := &spill{number: d.named, path: d.spillPath(d.named), depth: depth, busy: true, unsaved: true}
	d.named++
	var err error
	if sp.file, err = d.fs.Create(sp.path, vfs.WriteCategoryUnspecified); err != nil {
		return nil, err
	}
	d.spills = append(d.spills, sp)
	return sp, nil
}

func (d *Disk) spillPath(n int) string { return fmt.Sprintf("%s-%d%s", d.base, n, spillSuffix) }

// Spilled reports whether a page has candidates.
func (d *Disk) Spilled(kind paged.Kind, depth uint32, page int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.segments {
		if s.kind == kind && s.depth == depth && s.ends[page] > s.first(page) {
			return true
		}
	}
	return false
}

// first returns where the candidates of a page begin.
func (s *segment) first(page int) uint32 {
	if page == 0 {
		return 0
	}
	return s.ends[page-1]
}

// EachSpilled calls f with the candidates of a page.
func (d *Disk) EachSpilled(kind paged.Kind, depth uint32, page int, buf []byte, f func([]byte)) ([]byte, error) {
	d.mu.Lock()
	var segments []*segment
	for _, s := range d.segments {
		if s.kind == kind && s.depth == depth && s.ends[page] > s.first(page) {
			segments = append(segments, s)
		}
	}
	d.mu.Unlock()
	for _, s := range segments {
		first := s.first(page)
		n := int(s.ends[page]-first) * candidateBytes
		if cap(buf) < n {
			buf = make([]byte, n)
		}
		buf = buf[:n]
		if _, err := s.spill.file.ReadAt(buf, s.offset+int64(first)*candidateBytes); err != nil {
			return buf, tooShort(s.spill.path, err)
		}
		if crc32.Checksum(buf, crc32.MakeTable(crc32.Castagnoli)) != s.sums[page] {
			return buf, &store.CorruptionError{Where: s.spill.path, What: fmt.Sprintf("candidates of page %d have a wrong checksum", page)}
		}
		f(buf)
	}
	return buf, nil
}

// Drop forgets candidates below a depth.
func (d *Disk) Drop(below uint32) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	segments := d.segments[:0]
	for _, s := range d.segments {
		if s.depth >= below {
			segments = append(segments, s)
		}
	}
	clear(d.segments[len(segments):])
	d.segments = segments
	for _, sp := range d.spills {
		sp.dropped = sp.dropped || sp.depth < below
	}
	return d.removeDropped()
}

// removeDropped removes files that were dropped and that the saved table does not need. The
// caller holds d.mu.
func (d *Disk) removeDropped() error {
	kept := d.spills[:0]
	var errs []error
	for _, sp := range d.spills {
		if !sp.dropped || sp.saved {
			kept = append(kept, sp)
			continue
		}
		errs = append(errs, sp.file.Close(), d.fs.Remove(sp.path))
	}
	clear(d.spills[len(kept):])
	d.spills = kept
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove candidates: %w", err)
	}
	return nil
}

// files returns the paths of the files.
func (d *Disk) files() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	paths := []string{d.base + pagesSuffix}
	for _, sp := range d.spills {
		paths = append(paths, sp.path)
	}
	return paths
}

const savedMagic = "EVPAGES1"

// Save makes everything durable, and then the file at a path say so: what was saved before
// under another path stays as well, until Release.
func (d *Disk) Save(path string, stamp table.Stamp) error {
	if err := d.sync(); err != nil {
		return fmt.Errorf("save pages: %w", err)
	}
	if err := store.ReplaceFile(d.fs, path, d.saved(stamp)); err != nil {
		return fmt.Errorf("save pages: %w", err)
	}
	for i := range d.slots {
		d.slots[i].saved = d.slots[i].at != noSlot
	}
	for _, sp := range d.spills {
		sp.saved = !sp.dropped
	}
	return nil
}

func (d *Disk) sync() error {
	if d.unsaved {
		if err := d.file.Sync(); err != nil {
			return err
		}
		d.unsaved = false
	}
	for _, sp := range d.spills {
		if !sp.unsaved || sp.dropped {
			continue
		}
		if err := sp.file.Sync(); err != nil {
			return err
		}
		sp.unsaved = false
	}
	return store.SyncDir(d.fs, d.fs.PathDir(d.base))
}

// saved returns the file that says what counts: docs/FORMAT.md describes it.
func (d *Disk) saved(stamp table.Stamp) []byte {
	b := append([]byte(nil), savedMagic...)
	b = append(b, d.space.StampBytes(stamp)...)
	b = stamp.Part.AppendBytes(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(d.space.PageBytes()))
	for _, s := range d.slots {
		b = binary.LittleEndian.AppendUint32(b, s.at)
		b = binary.LittleEndian.AppendUint32(b, s.sum)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(d.segments)))
	for _, s := range d.segments {
		b = binary.LittleEndian.AppendUint32(b, uint32(s.spill.number))
		b = binary.LittleEndian.AppendUint32(b, s.depth)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.offset))
		b = binary.LittleEndian.AppendUint64(b, uint64(s.ends[len(s.ends)-1]))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// Release gives up what was saved before the last Save.
func (d *Disk) Release() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free = append(d.free, d.retired...)
	d.retired = d.retired[:0]
	return d.removeDropped()
}

// Close closes the files. Those of a replay are removed.
func (d *Disk) Close() error {
	if d.from != nil {
		return d.Drop(math.MaxUint32)
	}
	var errs []error
	for _, sp := range d.spills {
		errs = append(errs, sp.file.Close())
	}
	if d.file != nil {
		errs = append(errs, d.file.Close())
	}
	return errors.Join(errs...)
}

// openDisk opens what was saved in a file with such contents.
func openDisk(fs vfs.FS, base string, space *table.Space, path string, body []byte, stamp table.Stamp, readOnly bool) (*Disk, *table.Stamp, error) {
	damage := func(what string) (*Disk, *table.Stamp, error) {
		return nil, nil, &store.CorruptionError{Where: path, What: what}
	}
	end := len(body) - 4
	if end < len(savedMagic) || crc32.Checksum(body[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(body[end:]) {
		return damage("has a wrong checksum")
	}
	rest := body[len(savedMagic):end]
	d := newDisk(fs, base, space, nil)
	n := space.PartBytes() + table.StampSize
	if len(rest) < n+4+8*len(d.slots)+4 {
		return damage("is too short")
	}
	got, err := space.StampOf(rest[:table.StampSize], stamp)
	if err != nil {
		return nil, nil, err
	}
	if got.Part, err = space.PartOf(rest[table.StampSize:n]); err != nil {
		return damage(err.Error())
	}
	rest = rest[n:]
	if int(binary.LittleEndian.Uint32(rest)) != d.space.PageBytes() {
		return damage("has pages of another size")
	}
	rest = rest[4:]
	used := make(map[uint32]bool)
	for i := range d.slots {
		s := slot{at: binary.LittleEndian.Uint32(rest), sum: binary.LittleEndian.Uint32(rest[4:])}
		if s.at != noSlot {
			s.saved, used[s.at], d.end = true, true, max(d.end, s.at+1)
		}
		d.slots[i], rest = s, rest[8:]
	}
	segments := int(binary.LittleEndian.Uint32(rest))
	if rest = rest[4:]; len(rest) != 24*segments {
		return damage("is too short or too long")
	}
	if err := d.openFiles(readOnly); err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	for at := range d.end {
		if !used[at] {
			d.free = append(d.free, at)
		}
	}
	for ; len(rest) > 0 && !readOnly; rest = rest[24:] {
		if err := d.openSegment(rest); err != nil {
			return nil, nil, errors.Join(err, d.Close())
		}
	}
	return d, got, nil
}

// openFiles opens the file of the slots, if any is used, which has them all.
func (d *Disk) openFiles(readOnly bool) (err error) {
	path := d.base + pagesSuffix
	switch {
	case d.end == 0:
		return nil
	case readOnly:
		d.file, err = d.fs.Open(path)
	default:
		if _, err = d.fs.Stat(path); err == nil {
			d.file, err = d.fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
		}
	}
	if err != nil {
		return missing(path, err)
	}
	info, err := d.file.Stat()
	if err == nil && info.Size() < int64(d.end)*int64(d.space.PageBytes()) {
		err = &store.CorruptionError{Where: path, What: "is too short"}
	}
	return err
}

// openSegment opens a segment that was saved, of candidates.
func (d *Disk) openSegment(b []byte) error {
	number, depth := int(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
	path := d.spillPath(number)
	d.named = max(d.named, number+1)
	var sp *spill
	for _, known := range d.spills {
		if known.path == path {
			sp = known
		}
	}
	if sp == nil {
		f, err := d.fs.Open(path)
		if err != nil {
			return missing(path, err)
		}
		sp = &spill{number: number, path: path, file: f, depth: depth, readOnly: true, saved: true}
		d.spills = append(d.spills, sp)
	}
	s := &segment{kind: paged.Candidates, depth: depth, spill: sp, offset: int64(binary.LittleEndian.Uint64(b[8:]))}
	index := make([]byte, 8*len(d.slots)+4)
	records := binary.LittleEndian.Uint64(b[16:])
	at := s.offset + int64(records)*candidateBytes
	if _, err := sp.file.ReadAt(index, at); err != nil {
		return tooShort(path, err)
	}
	for i := 0; i+8 < len(index); i += 8 {
		s.ends = append(s.ends, binary.LittleEndian.Uint32(index[i:]))
		s.sums = append(s.sums, binary.LittleEndian.Uint32(index[i+4:]))
	}
	if !bytes.Equal(s.index(), index) || !slices.IsSorted(s.ends) || uint64(s.ends[len(s.ends)-1]) != records {
		return &store.CorruptionError{Where: path, What: "has a damaged index"}
	}
	sp.end = max(sp.end, at+int64(len(index)))
	d.segments = append(d.segments, s)
	return nil
}
