package export

import (
	"context"
	"encoding/binary"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// The columns of a Parquet file, in order. docs/FORMAT.md describes them.
const (
	parquetDepth = iota
	parquetGoalDistance
	parquetKey
	parquetMoveID
	parquetMove
	parquetGoal
	parquetPartition
	parquetState // with --text, as is the next
	parquetPredecessor
)

const (
	// parquetGroupRows is the number of rows of a row group. Each worker holds one in
	// memory, encoded and compressed except for the pages being filled.
	parquetGroupRows = 1 << 18
	// parquetGroupsMax bounds the number of row groups, which readers hold in
	// memory and the library limits to 32,767.
	parquetGroupsMax = 30_000
	// parquetValues is the number of values passed to a column at a time, so that
	// they stay in the cache.
	parquetValues = 1024
)

func writeParquet(ctx context.Context, r Run, o *Options, w io.Writer) error {
	rows := max(parquetGroupRows, int(r.History().States(history.Forward)/parquetGroupsMax)+1)
	return o.parquet(ctx, r, w, rows)
}

// parquet writes row groups of the given number of rows.
func (o *Options) parquet(ctx context.Context, r Run, w io.Writer, rows int) error {
	p := r.Board().Puzzle
	out, err := newParquet(ctx, r, o, w, parquetSchema(p.Layout(), o.Text), rows, "depth", "partition")
	if err != nil {
		return err
	}
	encode := func(into *parquetGroup, b *query.Batch) (*parquetGroup, error) {
		if into == nil {
			into = &parquetGroup{
				puzzle: p, to: out.BeginRowGroup(), values: make([]parquet.Value, 0, parquetValues),
			}
		}
		err := into.encode(b)
		return into, err
	}
	opts := o.tableOptions(rows)
	opts.Predecessors = o.Text
	err = query.Table(ctx, r.Space(), opts, encode, func(g *parquetGroup) error {
		_, err := g.to.Commit()
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// newParquet begins a file with the columns of a schema, sorted by the columns named.
func newParquet(ctx context.Context, r Run, o *Options, w io.Writer, schema *parquet.Schema, rows int, sorted ...string) (*parquet.GenericWriter[any], error) {
	summary, err := r.Summary(ctx)
	if err != nil {
		return nil, err
	}
	var by []parquet.SortingColumn
	for _, name := range sorted {
		by = append(by, parquet.Ascending(name))
	}
	meta := [][2]string{
		{"everystate.puzzle", r.Board().Text},
		{"everystate.family", r.Board().Family},
		{"everystate.name", r.Board().Name},
		{"everystate.metric", r.Board().Metric},
		{"everystate.digest", summary.Digest},
		{"everystate.states", strconv.FormatInt(summary.States, 10)},
		{"everystate.complete", strconv.FormatBool(r.Space().Complete())},
		{"everystate.goal_distances", strconv.FormatBool(r.Space().HasDistances())},
		{"everystate.version", o.Version},
	}
	options := []parquet.WriterOption{
		schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("everystate", o.Version, ""),
		parquet.MaxRowsPerRowGroup(int64(rows)),
		parquet.SortingWriterConfig(parquet.SortingColumns(by...)),
	}
	for _, kv := range meta {
		options = append(options, parquet.KeyValueMetadata(kv[0], kv[1]))
	}
	return parquet.NewGenericWriter[any](w, options...), nil
}

// parquetSchema returns the columns of the states of a puzzle.
func parquetSchema(layout puzzle.Layout, text bool) *parquet.Schema {
	few := func(node parquet.Node) parquet.Node { return parquet.Encoded(node, &parquet.RLEDictionary) }
	key := keyNode(layout)
	list := []column{
		{"depth", few(parquet.Int(32))},
		{"goal_distance", parquet.Optional(few(parquet.Int(32)))},
		{"key", key},
		{"move_id", parquet.Optional(few(parquet.Int(32)))},
		{"move", parquet.Optional(few(parquet.String()))},
		{"goal", parquet.Leaf(parquet.BooleanType)},
		{"partition", few(parquet.Int(32))},
	}
	if text {
		list = append(list, column{"state", parquet.String()}, column{"predecessor", parquet.Optional(parquet.String())})
	}
	return parquet.NewSchema("states", newColumns(list))
}

// keyNode returns a column of keys: numbers, or the bytes of their words.
func keyNode(layout puzzle.Layout) parquet.Node {
	if words := layout.Words(); words > 1 {
		return parquet.Leaf(parquet.FixedLenByteArrayType(8 * words))
	}
	return parquet.Encoded(parquet.Uint(64), &parquet.DeltaBinaryPacked)
}

// A column is a column of a schema.
type column struct {
	name string
	node parquet.Node
}

// columns is a group of a schema in a fixed order: parquet.Group sorts its fields by
// name.
type columns struct {
	parquet.Group
	fields []parquet.Field
}

func newColumns(list []column) *columns {
	c := &columns{Group: make(parquet.Group, len(list))}
	place := make(map[string]int, len(list))
	for i, col := range list {
		c.Group[col.name], place[col.name] = col.node, i
	}
	c.fields = c.Group.Fields()
	slices.SortFunc(c.fields, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	return c
}

// Fields returns the columns in order.
func (c *columns) Fields() []parquet.Field { return c.fields }

// A parquetGroup is a row group in progress, and the buffers to make another.
type parquetGroup struct {
	puzzle puzzle.Puzzle
	to     *parquet.ConcurrentRowGroupWriter
	values []parquet.Value // values of a column in progress
	bytes  []byte          // bytes that values refer to
	names  []parquet.Value // of moves, by id; null if not yet needed
}

// there is the definition level of a non-null optional value.
const there = 1

// encode writes a batch to the row group, column by column. The columns copy the
// values.
func (g *parquetGroup) encode(b *query.Batch) error {
	for column, to := range g.to.ColumnWriters() {
		for begin := 0; begin < b.Len(); begin += parquetValues {
			end := min(begin+parquetValues, b.Len())
			g.values, g.bytes = g.values[:end-begin], g.bytes[:0]
			g.fill(g.values, b, column, begin)
			if _, err := to.WriteRowValues(g.values); err != nil {
				return err
			}
		}
		if err := to.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// fill sets the values of a column for some rows. Making a value takes longer than
// copying one, and many equal the one before.
func (g *parquetGroup) fill(values []parquet.Value, b *query.Batch, column, begin int) {
	end := begin + len(values)
	switch column {
	case parquetDepth:
		fillInts(values, b.Depths[begin:end])
	case parquetPartition:
		fillInts(values, b.Partitions[begin:end])
	case parquetGoalDistance:
		before, value := int32(-1), parquet.NullValue()
		for i, distance := range b.GoalDistances[begin:end] {
			if distance != before {
				before, value = distance, parquet.NullValue()
				if distance >= 0 {
					value = parquet.Int32Value(distance).Level(0, there, column)
				}
			}
			values[i] = value
		}
	case parquetKey:
		for i := range values {
			values[i], g.bytes = keyValue(g.bytes, b.Key(begin+i))
		}
	case parquetMoveID, parquetMove:
		for i := range values {
			switch move := b.Moves[begin+i]; {
			case b.Depths[begin+i] == 0:
				values[i] = parquet.NullValue()
			case column == parquetMoveID:
				values[i] = parquet.Int32Value(int32(move)).Level(0, there, column)
			default:
				values[i] = g.name(move)
			}
		}
	case parquetGoal:
		for i, goal := range b.Goals[begin:end] {
			values[i] = parquet.BooleanValue(goal)
		}
	case parquetState:
		for i := range values {
			values[i] = g.textValue(g.puzzle.Format(b.Key(begin + i)))
		}
	case parquetPredecessor:
		for i := range values {
			values[i] = parquet.NullValue()
			if len(b.Predecessors) > 0 && b.Depths[begin+i] > 0 {
				values[i] = g.textValue(g.puzzle.Format(b.Predecessor(begin+i))).Level(0, there, column)
			}
		}
	}
}

func fillInts[T ~uint32](values []parquet.Value, ints []T) {
	before := ints[0]
	value := parquet.Int32Value(int32(before))
	for i, n := range ints {
		if n != before {
			before, value = n, parquet.Int32Value(int32(n))
		}
		values[i] = value
	}
}

// name returns the name of a move.
func (g *parquetGroup) name(move puzzle.Move) parquet.Value {
	if g.names == nil {
		g.names = make([]parquet.Value, g.puzzle.Layout().Moves)
	}
	if g.names[move].IsNull() {
		g.names[move] = parquet.ByteArrayValue([]byte(g.puzzle.FormatMove(move))).Level(0, there, parquetMove)
	}
	return g.names[move]
}

// keyValue returns a key as a number, or as the bytes of its words, big-endian,
// which are appended to bytes.
func keyValue(bytes []byte, key []uint64) (parquet.Value, []byte) {
	if len(key) == 1 {
		return parquet.Int64Value(int64(key[0])), bytes // the bits of an unsigned number
	}
	at := len(bytes)
	for _, word := range key {
		bytes = binary.BigEndian.AppendUint64(bytes, word)
	}
	return parquet.FixedLenByteArrayValue(bytes[at:]), bytes
}

// textValue returns a text as one line.
func (g *parquetGroup) textValue(text string) parquet.Value {
	at := len(g.bytes)
	g.bytes = appendOneLine(g.bytes, text)
	return parquet.ByteArrayValue(g.bytes[at:])
}
