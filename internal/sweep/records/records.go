// Package records writes the records of a sweep's database for other programs: as
// lines, tables, boards or a puzzle pack.
//
// A writer belongs to one goroutine. The package must never open a database or a
// file.
package records

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/everystate/everystate/internal/grade"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	family "github.com/everystate/everystate/puzzle/rushhour"
)

// JSONOf converts a record of a kind of sweep.
func JSONOf(kind *kinds.Kind, r *sweep.Record) JSON {
	out := JSON{Distance: r.Distance(), Board: r.Board, States: r.States(), Layers: r.Layers}
	if !kind.HasWalls {
		out.Pieces = &r.Pieces
		return out
	}
	walls, minimal := wallsOf(r)
	out.Vehicles, out.Walls, out.Minimal = &r.Pieces, &walls, &minimal
	if m, ok := grade.FromNumbers(r.Distance(), r.States(), r.Measures); ok {
		out.Grade = gradeOf(&m)
	}
	return out
}

// Grade is a grade with its measures.
type Grade struct {
	*pack.Grade
	Solutions uint64  `json:"optimal_solutions"`
	Forced    int     `json:"forced_moves"`
	Branching float64 `json:"branching"`
}

func gradeOf(m *grade.Measures) *Grade {
	return &Grade{Grade: pack.GradeOf(m), Solutions: m.Solutions, Forced: m.Forced, Branching: float64(m.Branching) / 100}
}

// wallsOf returns the attributes of a Rush Hour record.
func wallsOf(r *sweep.Record) (walls int, minimal bool) {
	return int(r.Attribute(rushhour.Walls)), r.Attribute(rushhour.Minimal) == 1
}

// A Source is a database with the meaning of its records.
type Source struct {
	*database.Database
	Kind kinds.Kind
	// Name is what the names of boards end in: "1 of Name".
	Name   string
	Boards *pack.Boards
	// Version is the program version that a Parquet file names as its writer.
	Version string
}

// A Writer writes records one after another; Close writes the end.
type Writer interface {
	Write(ctx context.Context, r *sweep.Record) error
	Close() error
}

// A format is a way to write records.
type format struct {
	name string
	make func(s *Source, w io.Writer) (Writer, error)
	// for Rush Hour alone, for puzzles whose moves can be undone by moves, or for
	// records that have boards
	rushHour, reversible, boards bool
}

var formats = []format{
	{name: "text", make: lines(referenceLine), rushHour: true},
	{name: "database", make: lines(databaseLine), rushHour: true},
	{name: "boards", make: newBoardsWriter, boards: true},
	{name: "csv", make: func(s *Source, w io.Writer) (Writer, error) {
		columns, line := "pieces", csvLine
		if s.Kind.HasWalls {
			columns, line = "vehicles,walls,minimal", csvLineOfWalls
		}
		if s.Graded() {
			columns, line = columns+gradeColumns, csvLineOfGrades
		}
		_, err := fmt.Fprintf(w, "distance,board,states,goals,%s,states_by_distance\n", columns)
		return lineWriter{w, line}, err
	}},
	{name: "jsonl", make: func(s *Source, w io.Writer) (Writer, error) {
		return lineWriter{w, func(r *sweep.Record) ([]byte, error) { return json.Marshal(JSONOf(&s.Kind, r)) }}, nil
	}},
	{name: "parquet", make: newParquetWriter},
	{name: "pack", make: newPackWriter, reversible: true, boards: true},
}

// lines makes a writer of lines.
func lines(line func(r *sweep.Record) ([]byte, error)) func(s *Source, w io.Writer) (Writer, error) {
	return func(_ *Source, w io.Writer) (Writer, error) { return lineWriter{w, line}, nil }
}

// Formats lists the formats.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// DefaultFormat returns the usual format for the boards of a sweep.
func DefaultFormat(b *pack.Boards) string {
	if b.Family == family.Family {
		return "text"
	}
	return "csv"
}

// Check returns why a format cannot hold the records of a source, nil if it can.
func Check(format string, s *Source) error {
	f, err := formatOf(format)
	others := "boards, csv, jsonl, parquet"
	if s.Boards.Reversible {
		others = "boards, csv, jsonl, parquet, pack"
	}
	switch {
	case err != nil:
		return err
	case f.rushHour && s.Boards.Family != family.Family:
		return fmt.Errorf("--format %s works only for Rush Hour: for a sweep of %s choose one of %s", format, s.Boards.Family, others)
	case f.reversible && !s.Boards.Reversible:
		return fmt.Errorf("--format %s needs solutions, which sweeps do not compute if moves are irreversible, as in %s: choose one of %s", format, s.Boards.Family, others)
	case f.boards && s.Boards.Fault() != nil:
		return fmt.Errorf("--format %s: %w", format, s.Boards.Fault())
	}
	return nil
}

func formatOf(name string) (format, error) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return format{}, fmt.Errorf("there is no format %q", name)
	}
	return formats[i], nil
}

// NewWriter returns a writer of a source's records. The caller has found with Check
// that the format suits the source.
func NewWriter(format string, s *Source, w io.Writer) (Writer, error) {
	f, err := formatOf(format)
	if err != nil {
		return nil, err
	}
	return f.make(s, w)
}

// lineWriter writes one line per record.
type lineWriter struct {
	w    io.Writer
	line func(r *sweep.Record) ([]byte, error)
}

// Write writes a line.
func (w lineWriter) Write(_ context.Context, r *sweep.Record) error {
	line, err := w.line(r)
	if err == nil {
		_, err = w.w.Write(append(line, '\n'))
	}
	return err
}

// Close does nothing: every line is already written.
func (w lineWriter) Close() error { return nil }

// counted joins counts with a separator.
func counted(layers []uint64, separator string) string {
	var text []string
	for _, n := range layers {
		text = append(text, strconv.FormatUint(n, 10))
	}
	return strings.Join(text, separator)
}

// referenceLine is a line of the reference's enumerator, whose empty cells are dots.
func referenceLine(r *sweep.Record) ([]byte, error) {
	return fmt.Appendf(nil, "%02d %s %d %s", r.Distance(), strings.ReplaceAll(r.Board, "o", "."), r.States(), counted(r.Layers, ",")), nil
}

// databaseLine is a line of the published database.
func databaseLine(r *sweep.Record) ([]byte, error) {
	return fmt.Appendf(nil, "%02d %s %d", r.Distance(), r.Board, r.States()), nil
}

func csvLine(r *sweep.Record) ([]byte, error) {
	return fmt.Appendf(nil, "%d,%s,%d,%d,%d,%s", r.Distance(), r.Board, r.States(), r.Goals(), r.Pieces, counted(r.Layers, " ")), nil
}

func csvLineOfWalls(r *sweep.Record) ([]byte, error) {
	walls, minimal := wallsOf(r)
	return fmt.Appendf(nil, "%d,%s,%d,%d,%d,%d,%t,%s", r.Distance(), r.Board, r.States(), r.Goals(), r.Pieces, walls, minimal, counted(r.Layers, " ")), nil
}

// gradeColumns are the columns of a graded database.
const gradeColumns = ",grade,optimal_solutions,bits_of_chance,counter_intuitive_moves,forced_moves,longest_forced_run,branching,vehicles_that_must_move"

func csvLineOfGrades(r *sweep.Record) ([]byte, error) {
	walls, minimal := wallsOf(r)
	m, ok := grade.FromNumbers(r.Distance(), r.States(), r.Measures)
	if !ok {
		return nil, fmt.Errorf("record %s: %w", r.Board, errMeasures)
	}
	return fmt.Appendf(nil, "%d,%s,%d,%d,%d,%d,%t,%d,%d,%.2f,%d,%d,%d,%.2f,%d,%s", r.Distance(), r.Board, r.States(), r.Goals(), r.Pieces, walls, minimal,
		m.Grade(), m.Solutions, float64(m.Chance)/100, m.Counter, m.Forced, m.ForcedRun, float64(m.Branching)/100, m.Vehicles, counted(r.Layers, " ")), nil
}

// errMeasures reports measures that are not those of this version.
var errMeasures = errors.New("its measures are damaged, or from another version of the program")

// boardsWriter writes boards with headers.
type boardsWriter struct {
	s *Source
	w io.Writer
	n int
}

func newBoardsWriter(s *Source, w io.Writer) (Writer, error) {
	_, err := w.Write(s.Boards.Headers())
	return &boardsWriter{s: s, w: w}, err
}

// Write writes a board.
func (w *boardsWriter) Write(_ context.Context, r *sweep.Record) error {
	w.n++
	text := fmt.Appendf(nil, "name: %d of %s\n", w.n, w.s.Name)
	if !w.s.Boards.One {
		text = append([]byte("\n"), text...)
	}
	_, err := w.w.Write(append(text, w.s.Boards.Body(r)...))
	return err
}

// Close does nothing: every board is already written.
func (w *boardsWriter) Close() error { return nil }

// Row is a row of a table of Rush Hour. docs/DATABASE.md describes it.
type Row struct {
	Distance int32  `parquet:"distance,dict"`
	Board    string `parquet:"board"`
	States   int64  `parquet:"states,delta"`
	Goals    int64  `parquet:"goals"`
	Vehicles int32  `parquet:"vehicles,dict"`
	Walls    int32  `parquet:"walls,dict"`
	Minimal  bool   `parquet:"minimal"`
	Layers   string `parquet:"states_by_distance"`
}

// GradedRow is a row of a table of a graded database.
type GradedRow struct {
	Row
	Grade     int32   `parquet:"grade,dict"`
	Solutions int64   `parquet:"optimal_solutions"`
	Chance    float64 `parquet:"bits_of_chance"`
	Counter   int32   `parquet:"counter_intuitive_moves,dict"`
	Forced    int32   `parquet:"forced_moves,dict"`
	ForcedRun int32   `parquet:"longest_forced_run,dict"`
	Branching float64 `parquet:"branching"`
	Movers    int32   `parquet:"vehicles_that_must_move,dict"`
}

func gradedRowOf(r *sweep.Record) GradedRow {
	m, _ := grade.FromNumbers(r.Distance(), r.States(), r.Measures)
	return GradedRow{
		rowOf(r), int32(m.Grade()), int64(m.Solutions), float64(m.Chance) / 100, int32(m.Counter), int32(m.Forced), int32(m.ForcedRun), float64(m.Branching) / 100, int32(m.Vehicles),
	}
}

// PieceRow is a row of a table of other puzzles.
type PieceRow struct {
	Distance int32  `parquet:"distance,dict"`
	Board    string `parquet:"board"`
	States   int64  `parquet:"states,delta"`
	Goals    int64  `parquet:"goals"`
	Pieces   int32  `parquet:"pieces,dict"`
	Layers   string `parquet:"states_by_distance"`
}

func rowOf(r *sweep.Record) Row {
	walls, minimal := wallsOf(r)
	return Row{
		int32(r.Distance()), r.Board, int64(r.States()), int64(r.Goals()), int32(r.Pieces), int32(walls), minimal, counted(r.Layers, ","),
	}
}

func pieceRowOf(r *sweep.Record) PieceRow {
	return PieceRow{int32(r.Distance()), r.Board, int64(r.States()), int64(r.Goals()), int32(r.Pieces), counted(r.Layers, ",")}
}

const (
	// groupRows is the number of rows of a row group.
	groupRows = 1 << 18
	// rowsAtOnce is the number of rows that are handed over at a time.
	rowsAtOnce = 1024
)

// parquetWriter writes rows in batches of rowsAtOnce.
type parquetWriter[T any] struct {
	w    *parquet.GenericWriter[T]
	row  func(r *sweep.Record) T
	rows []T
}

func newParquetWriter(s *Source, w io.Writer) (Writer, error) {
	switch {
	case s.Kind.HasWalls && s.Graded():
		return parquetOf(s, w, gradedRowOf), nil
	case s.Kind.HasWalls:
		return parquetOf(s, w, rowOf), nil
	}
	return parquetOf(s, w, pieceRowOf), nil
}

func parquetOf[T any](s *Source, w io.Writer, row func(r *sweep.Record) T) *parquetWriter[T] {
	totals := s.Totals()
	return &parquetWriter[T]{row: row, w: parquet.NewGenericWriter[T](w,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("everystate", s.Version, ""),
		parquet.MaxRowsPerRowGroup(groupRows),
		parquet.KeyValueMetadata("everystate.rules", s.Rules()),
		parquet.KeyValueMetadata("everystate.digest", totals.Digest.String()),
		parquet.KeyValueMetadata("everystate.version", s.Version),
	)}
}

// Write adds a row.
func (w *parquetWriter[T]) Write(_ context.Context, r *sweep.Record) error {
	w.rows = append(w.rows, w.row(r))
	if len(w.rows) < rowsAtOnce {
		return nil
	}
	return w.flush()
}

func (w *parquetWriter[T]) flush() error {
	_, err := w.w.Write(w.rows)
	w.rows = w.rows[:0]
	return err
}

// Close writes the remaining rows and the end of the file.
func (w *parquetWriter[T]) Close() error {
	err := w.flush()
	return cmp.Or(err, w.w.Close())
}

// packWriter writes a puzzle pack.
type packWriter struct {
	s *Source
	e pack.Explorer
	w *pack.Writer
}

func newPackWriter(s *Source, w io.Writer) (Writer, error) {
	totals := s.Totals()
	out, err := pack.NewWriter(w, pack.Head{
		Puzzle: s.Boards.Family, Metric: s.Boards.Metric, Rows: s.Boards.Rows, Columns: s.Boards.Columns,
		Rules: s.Rules(), Digest: totals.Digest.String(),
	})
	return &packWriter{s: s, w: out}, err
}

// Write explores a cluster and writes its puzzle.
func (w *packWriter) Write(ctx context.Context, r *sweep.Record) error {
	b, err := w.s.Boards.Board(r)
	if err != nil {
		return err
	}
	p, err := w.e.Explore(ctx, r, b)
	if err != nil {
		return err
	}
	return w.w.Write(p)
}

// Close writes the end of the pack.
func (w *packWriter) Close() error { return w.w.Close() }

// JSON is a record. Of Rush Hour it has vehicles, walls and minimal, of other puzzles
// pieces, and of a graded database the measures. docs/JSON.md describes it.
type JSON struct {
	Distance int      `json:"distance"`
	Board    string   `json:"board"`
	States   uint64   `json:"states"`
	Layers   []uint64 `json:"states_by_distance"`
	Vehicles *int     `json:"vehicles,omitempty"`
	Walls    *int     `json:"walls,omitempty"`
	Minimal  *bool    `json:"minimal,omitempty"`
	Pieces   *int     `json:"pieces,omitempty"`
	*Grade            // of a graded database
}
