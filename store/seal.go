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
// seal covers every file to the last byte.

const sealHeader = "everystate seal 1"

// sealedWholeBytesMax is the size in bytes up to which files are checked in full
// each time the store is opened. For larger files only the size is checked;
// VerifyFiles checks the rest.
const sealedWholeBytesMax = 256 << 10

type sealLine struct {
	name string
	size int64
	sum  uint32
}

func (s *Store) sealPath() string { return s.fs.PathJoin(s.dir, sealFile) }

func (s *Store) oldSealPath() string { return s.fs.PathJoin(s.dir, sealFile+".old") }

// unseal durably removes the seal before anything else is changed: a seal that
// came back after a power cut would make the changes look like damage. It is set
// aside for VerifyFiles: tables never change, so it still holds for those that
// it lists.
func (s *Store) unseal() error {
	err := s.fs.Rename(s.sealPath(), s.oldSealPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = SyncDir(s.fs, s.dir)
	}
	if err != nil {
		return fmt.Errorf("remove seal: %w", err)
	}
	return nil
}

// seal writes the seal, under another name first. What it lists is durable by
// then, and so is the removal of what it does not list.
func (s *Store) seal() error {
	dir := s.fs.PathJoin(s.dir, dbDir)
	if err := SyncDir(s.fs, dir); err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	names, err := s.fs.List(dir)
	if err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	sort.Strings(names)
	for _, name := range s.opts.AlsoSeal {
		if _, err := s.fs.Stat(s.path(besidePrefix + name)); err == nil {
			names = append(names, besidePrefix+name)
		}
	}
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
	return ReplaceFile(s.fs, s.sealPath(), body.Bytes())
}

func (s *Store) sumFile(name string) (size int64, sum uint32, err error) {
	f, err := openRegular(s.fs, s.path(name), vfs.SequentialReadsOption)
	if err != nil {
		return 0, 0, err
	}
	h := crc32.New(castagnoli())
	size, err = io.Copy(h, f)
	return size, h.Sum32(), errors.Join(err, f.Close())
}

// readSeal returns the lines of the seal at path, or none if it does not exist.
func (s *Store) readSeal(path string) ([]sealLine, error) {
	damaged := &CorruptionError{Where: path, What: "is not a seal, or is damaged"}
	f, err := openRegular(s.fs, path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case errors.Is(err, errNotRegular):
		return nil, damaged
	case err != nil:
		return nil, fmt.Errorf("seal: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
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

// measure returns the size and checksum of a sealed file. Unless read is set it
// reads only the size, and returns the checksum from the seal.
func (s *Store) measure(l sealLine, read bool) (size int64, sum uint32, err error) {
	if read {
		return s.sumFile(l.name)
	}
	info, err := s.fs.Stat(s.path(l.name))
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), l.sum, nil
}

// checkSeal compares the files with the seal, if there is one: every file in
// full, or small files in full and only the sizes of the others. It calls done
// with the number of bytes checked so far.
func (s *Store) checkSeal(all bool, done func(bytes int64)) error {
	lines, err := s.readSeal(s.sealPath())
	if err != nil || lines == nil {
		return err
	}
	var read int64
	listed := make(map[string]bool, len(lines))
	for _, l := range lines {
		listed[l.name] = true
		if !all && strings.HasPrefix(l.name, besidePrefix) {
			continue // the store can do without
		}
		path := s.path(l.name)
		size, sum, err := s.measure(l, all || l.size <= sealedWholeBytesMax)
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
			return &CorruptionError{Where: s.fs.PathJoin(s.dir, dbDir, name), What: "did not exist when the run was sealed"}
		}
	}
	return nil
}

// VerifyFiles compares every file with the seal, to the last byte. It reports
// false if the store is not sealed, as after a crash; then it can compare only
// the tables that existed when the store was last sealed.
func (s *Store) VerifyFiles(done func(bytes int64)) (sealed bool, err error) {
	lines, err := s.readSeal(s.sealPath())
	if err != nil {
		return false, err
	}
	if lines == nil {
		return false, s.checkOldTables()
	}
	return true, s.checkSeal(true, done)
}

// checkOldTables compares the tables that still exist with the seal that was set
// aside. A damaged seal is ignored.
func (s *Store) checkOldTables() error {
	lines, err := s.readSeal(s.oldSealPath())
	if IsCorruption(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, l := range lines {
		if !strings.HasSuffix(l.name, ".sst") {
			continue
		}
		size, sum, err := s.sumFile(l.name)
		if errors.Is(err, os.ErrNotExist) {
			continue // compacted into another table since
		}
		if err != nil {
			return fmt.Errorf("check %s: %w", s.path(l.name), err)
		}
		if size != l.size || sum != l.sum {
			return &CorruptionError{Where: s.path(l.name), What: "has changed since the run was sealed"}
		}
	}
	return nil
}

// besidePrefix is the prefix of the name of a sealed file that is not Pebble's but
// lies beside Pebble's directory.
const besidePrefix = "./"

// path returns the path of a sealed file.
func (s *Store) path(name string) string {
	if rest, ok := strings.CutPrefix(name, besidePrefix); ok {
		return s.fs.PathJoin(s.dir, rest)
	}
	return s.fs.PathJoin(s.dir, dbDir, name)
}
