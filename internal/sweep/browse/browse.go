// Package browse answers a page on which people look through the databases of sweeps:
// which records lie in some ranges, and how the records are spread over the numbers that
// the ranges bound, each histogram under the ranges of the others.
//
// It keeps five numbers and the id of each record in memory, 20 bytes, so that an answer over
// a million records is one pass over 20 MB. It opens a database only while it reads records,
// so that a sweep may go on between two answers. It must never write, nor know of
// requests.
package browse

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/puzzle"
)

// recordsMax bounds the records of a database that are kept in memory: 400 MB.
const recordsMax = 20_000_000

// ErrNone reports that there is no database of that name.
var ErrNone = errors.New("there is no such sweep")

// Dimension is a number that records have.
type Dimension int

// The dimensions. Walls are the second attribute, which only Rush Hour has, and grades
// only databases that were graded.
const (
	Moves Dimension = iota
	States
	Pieces
	Walls
	Grade
	Dimensions // how many there are
)

// Filter selects the records within all of its ranges.
type Filter [Dimensions]database.Range

// Everything returns the filter that selects all records.
func Everything() Filter {
	return Filter{database.All(), database.All(), database.All(), database.All(), database.All()}
}

// Bar is a part of a histogram: how many records have a number from Least to Most.
type Bar struct {
	Least, Most uint64
	Count       int
}

// Found is a record with its board.
type Found struct {
	Record *sweep.Record
	Board  puzzle.Board
}

// Query asks for the records within a filter from number Offset on, at most Limit of
// them, the hardest first.
type Query struct {
	Filter        Filter
	Offset, Limit int
	// Day asks for the puzzle of that day as well, if it is not empty.
	Day string
}

// Page is an answer. Records without boards ([pack.Boards.Fault]) are counted, but not
// found.
type Page struct {
	Kind           kinds.Kind
	Graded         bool // records have grades
	Boards         *pack.Boards
	Total, Records int // selected, of all
	Histograms     [Dimensions][]Bar
	Found          []Found // in the order of the database, but for a tie across pages
	// Daily is the puzzle of the day among those selected: the same for everybody who has
	// the database. It is nil if there is none. A board that is solved already is no puzzle.
	Daily *Found
}

// Shelf holds the databases below a directory. It is safe for concurrent use.
type Shelf struct {
	dir string

	mu     sync.Mutex // guards the tables; held while a database is open
	tables map[string]*table
}

// New returns the shelf of a directory, which need not exist.
func New(dir string) *Shelf { return &Shelf{dir: dir, tables: make(map[string]*table)} }

// table holds the numbers of a database's records: the hardest first, then the largest.
type table struct {
	changed time.Time
	kind    kinds.Kind
	graded  bool
	boards  *pack.Boards
	rows    []row
}

type row struct {
	states uint32 // at most that much
	moves  uint16
	pieces uint8
	walls  uint8
	grade  uint8
	id     database.ID
}

func (r *row) numbers() [Dimensions]uint64 {
	return [Dimensions]uint64{uint64(r.moves), uint64(r.states), uint64(r.pieces), uint64(r.walls), uint64(r.grade)}
}

// Names lists the databases.
func (s *Shelf) Names() []string {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil // there are none yet
	}
	var names []string
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(s.dir, e.Name(), "db")); err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// table returns the numbers of a database, read again if it has changed. s.mu is held.
func (s *Shelf) table(ctx context.Context, name string) (t *table, err error) {
	if !slices.Contains(s.Names(), name) {
		delete(s.tables, name)
		return nil, fmt.Errorf("%.100q: %w", name, ErrNone)
	}
	var changed time.Time
	if info, err := os.Stat(filepath.Join(s.dir, name, "db")); err == nil {
		changed = info.ModTime()
	}
	if t := s.tables[name]; t != nil && t.changed.Equal(changed) {
		return t, nil
	}
	t = &table{changed: changed}
	err = s.with(name, func(d *database.Database) error {
		if t.kind, err = kinds.Of(d.Rules()); err != nil {
			return err
		}
		if t.boards, err = pack.BoardsOf(d.Rules()); err != nil {
			return err
		}
		t.graded = d.Graded()
		return d.EachNumbers(func(id database.ID, n database.Numbers) error {
			const patience = 1 << 12
			if len(t.rows) == recordsMax {
				return fmt.Errorf("%s has more than %d records, which is too many for the page", name, recordsMax)
			}
			if len(t.rows)%patience == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			t.rows = append(t.rows, row{
				states: uint32(min(n.States, math.MaxUint32)), moves: uint16(min(n.Distance, math.MaxUint16)), pieces: uint8(min(n.Pieces, math.MaxUint8)),
				walls: uint8(min(n.Second, math.MaxUint8)), grade: uint8(min(n.Grade, math.MaxUint8)), id: id,
			})
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(t.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.moves, a.moves), cmp.Compare(b.states, a.states), cmp.Compare(a.id.Unit, b.id.Unit), cmp.Compare(a.id.Place, b.id.Place))
	})
	if info, err := os.Stat(filepath.Join(s.dir, name, "db")); err == nil {
		t.changed = info.ModTime() // opening may have touched it
	}
	s.tables[name] = t
	return t, nil
}

// with opens a database for reading.
func (s *Shelf) with(name string, f func(d *database.Database) error) error {
	d, err := database.Open(filepath.Join(s.dir, name), database.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(f(d), d.Close())
}

// Look answers a query.
func (s *Shelf) Look(ctx context.Context, name string, q Query) (*Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(ctx, name)
	if err != nil {
		return nil, err
	}
	page := &Page{Kind: t.kind, Graded: t.graded, Boards: t.boards, Records: len(t.rows)}
	var ids []database.ID
	var playable []int32 // rows that can be the puzzle of the day
	counts := [Dimensions][]int{make([]int, math.MaxUint16+1), make([]int, 64), make([]int, math.MaxUint8+1), make([]int, math.MaxUint8+1), make([]int, math.MaxUint8+1)}
	for i := range t.rows {
		numbers := t.rows[i].numbers()
		out, last := 0, Dimension(0)
		for d, n := range numbers {
			if n < q.Filter[d].Least || n > q.Filter[d].Most {
				out, last = out+1, Dimension(d)
			}
		}
		switch out {
		case 0:
			if page.Total >= q.Offset && len(ids) < q.Limit {
				ids = append(ids, t.rows[i].id)
			}
			if q.Day != "" && numbers[Moves] > 0 {
				playable = append(playable, int32(i))
			}
			page.Total++
			for d, n := range numbers {
				counts[d][bin(Dimension(d), n)]++
			}
		case 1: // it counts where its own range is left out
			counts[last][bin(last, numbers[last])]++
		}
	}
	for d := range counts {
		page.Histograms[d] = bars(Dimension(d), counts[d])
	}
	if len(playable) > 0 {
		sum := sha256.Sum256([]byte(q.Day))
		row := playable[binary.BigEndian.Uint64(sum[:])%uint64(len(playable))]
		ids = append(ids, t.rows[row].id)
	}
	if t.boards.Fault() != nil {
		return page, nil
	}
	page.Found, err = s.read(name, t, ids)
	if last := len(page.Found) - 1; err == nil && len(playable) > 0 {
		page.Daily, page.Found = &page.Found[last], page.Found[:last:last]
	}
	// Rows know no boards, which order the records of a tie.
	slices.SortFunc(page.Found, func(a, b Found) int { return sweep.Compare(a.Record, b.Record) })
	return page, err
}

// bin returns the bar of a number. Sizes of clusters have bars of powers of two.
func bin(d Dimension, n uint64) uint64 {
	if d == States {
		return uint64(bits.Len64(n))
	}
	return n
}

func bars(d Dimension, counts []int) []Bar {
	var all []Bar
	for b, count := range counts {
		if count == 0 {
			continue
		}
		bar := Bar{Least: uint64(b), Most: uint64(b), Count: count}
		if d == States && b > 0 {
			bar.Least, bar.Most = 1<<(b-1), 1<<b-1
		}
		all = append(all, bar)
	}
	return all
}

// read reads records and their boards.
func (s *Shelf) read(name string, t *table, ids []database.ID) (found []Found, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.with(name, func(d *database.Database) error {
		for _, id := range ids {
			r, err := d.Record(id)
			if err != nil {
				return err
			}
			b, err := t.boards.Board(r)
			if err != nil {
				return err
			}
			found = append(found, Found{r, b})
		}
		return nil
	})
	return found, err
}
