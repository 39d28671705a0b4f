package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// While nobody writes, a store is sealed: a file lists every file of Pebble's
// with its size and checksum. Pebble checks the blocks of its tables itself; the
// seal covers the rest of every file too, to the last byte.

const sealHeader = "everystate seal 1"

// sealedWholeBytesMax is the size up to which files are checked against the
// seal each time the store is opened; larger ones are checked by Verify.
const sealedWholeBytesMax = 256 << 10

type sealLine struct {
	name string
	size int64
	sum  uint32
}

func (s *Store) sealPath() string { return s.fs.PathJoin(s.dir, sealFile) }

func (s *Store) unseal() error {
	err := s.fs.Remove(s.sealPath())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove seal: %w", err)
	}
	return nil
}

// seal writes the seal, under another name first.
func (s *Store) seal() error {
	names, err := s.fs.List(s.fs.PathJoin(s.dir, dbDir))
	if err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	sort.Strings(names)
	var body bytes.Buffer
	fmt.Fprintln(&body, sealHeader)
	for _, name := range names {
		size, sum, err := s.sumFile(name)
		if err != nil {
			return fmt.Errorf("seal: %w", err)
		}
		fmt.Fprintf(&body, "%08x %d %s\n", sum, size, name)
	}
	fmt.Fprintf(&body, "%08x\n", crc32.Checksum(body.Bytes(), castagnoli()))
	return s.writeFile(s.sealPath(), body.Bytes())
}

// writeFile replaces a file as a whole and makes it durable.
func (s *Store) writeFile(path string, body []byte) (err error) {
	tmp := path + ".new"
	f, err := s.fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := s.fs.Rename(tmp, path); err != nil {
		return err
	}
	d, err := s.fs.OpenDir(s.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (s *Store) sumFile(name string) (size int64, sum uint32, err error) {
	f, err := s.fs.Open(s.fs.PathJoin(s.dir, dbDir, name), vfs.SequentialReadsOption)
	if err != nil {
		return 0, 0, err
	}
	h := crc32.New(castagnoli())
	size, err = io.Copy(h, f)
	return size, h.Sum32(), errors.Join(err, f.Close())
}

// readSeal returns the lines of the seal, or none if the store is not sealed.
func (s *Store) readSeal() ([]sealLine, error) {
	f, err := s.fs.Open(s.sealPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	damaged := &CorruptionError{Where: s.sealPath(), What: "is not a seal, or damaged; remove it to go on without"}
	cut := bytes.LastIndexByte(bytes.TrimSuffix(body, []byte("\n")), '\n') + 1
	if string(body[cut:]) != fmt.Sprintf("%08x\n", crc32.Checksum(body[:cut], castagnoli())) {
		return nil, damaged
	}
	var lines []sealLine
	sc := bufio.NewScanner(bytes.NewReader(body[:cut]))
	if !sc.Scan() || sc.Text() != sealHeader {
		return nil, damaged
	}
	for sc.Scan() {
		field := strings.SplitN(sc.Text(), " ", 3)
		if len(field) != 3 {
			return nil, damaged
		}
		sum, err1 := strconv.ParseUint(field[0], 16, 32)
		size, err2 := strconv.ParseInt(field[1], 10, 64)
		if err1 != nil || err2 != nil {
			return nil, damaged
		}
		lines = append(lines, sealLine{name: field[2], size: size, sum: uint32(sum)})
	}
	return lines, sc.Err()
}

// checkSeal compares the files with the seal, if there is one: all of every
// file, or only the small files. It calls done with the bytes read so far.
func (s *Store) checkSeal(all bool, done func(bytes int64)) error {
	lines, err := s.readSeal()
	if err != nil || lines == nil {
		return err
	}
	var read int64
	listed := make(map[string]bool, len(lines))
	for _, l := range lines {
		listed[l.name] = true
		path := s.fs.PathJoin(s.dir, dbDir, l.name)
		if !all && l.size > sealedWholeBytesMax {
			continue
		}
		size, sum, err := s.sumFile(l.name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return &CorruptionError{Where: path, What: "is missing"}
		case err != nil:
			return fmt.Errorf("check %s: %w", path, err)
		case size != l.size:
			return &CorruptionError{Where: path, What: fmt.Sprintf("has %d bytes, was sealed with %d", size, l.size)}
		case sum != l.sum:
			return &CorruptionError{Where: path, What: fmt.Sprintf("checksum is %08x, was sealed with %08x", sum, l.sum)}
		}
		if read += size; done != nil {
			done(read)
		}
	}
	names, err := s.fs.List(s.fs.PathJoin(s.dir, dbDir))
	if err != nil {
		return fmt.Errorf("check %s: %w", s.dir, err)
	}
	for _, name := range names {
		if !listed[name] {
			return &CorruptionError{Where: s.fs.PathJoin(s.dir, dbDir, name), What: "was not there when the run was sealed"}
		}
	}
	return nil
}

// VerifyFiles compares every file with the seal, to the last byte. It reports
// false if the store is not sealed, as after a crash; then there is nothing to
// compare with.
func (s *Store) VerifyFiles(done func(bytes int64)) (sealed bool, err error) {
	lines, err := s.readSeal()
	if err != nil || lines == nil {
		return false, err
	}
	return true, s.checkSeal(true, done)
}
