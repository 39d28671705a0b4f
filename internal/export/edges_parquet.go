package export

import (
	"context"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// The columns of transitions in a Parquet file, in order. docs/FORMAT.md describes
// them.
const (
	edgeDepth = iota
	edgeFrom
	edgeMoveID
	edgeMove
	edgeTo
	edgeColumns
)

// edgeGroupStates is the number of states whose transitions form a row group.
const edgeGroupStates = 1 << 15

// edgeGroup is a row group of transitions in progress.
type edgeGroup struct {
	puzzle puzzle.Puzzle
	to     *parquet.ConcurrentRowGroupWriter
	end    uint32 // states from this depth on have no transitions
	edges  puzzle.Edges
	names  []parquet.Value // of moves, by id
	values [edgeColumns][]parquet.Value
	bytes  []byte // bytes that values refer to
	rows   int
}

func writeEdgesParquet(ctx context.Context, r Run, o *Options, w io.Writer) error {
	p := r.Board().Puzzle
	few := func(node parquet.Node) parquet.Node { return parquet.Encoded(node, &parquet.RLEDictionary) }
	schema := parquet.NewSchema("transitions", newColumns([]column{
		{"depth", few(parquet.Int(32))}, {"from", keyNode(p.Layout())},
		{"move_id", few(parquet.Int(32))}, {"move", few(parquet.String())}, {"to", keyNode(p.Layout())},
	}))
	states := max(edgeGroupStates, int(r.History().States(history.Forward)/parquetGroupsMax)+1)
	const rowsMax = 1 << 40 // groups are as long as their states have transitions
	out, err := newParquet(ctx, r, o, w, schema, rowsMax, "depth")
	if err != nil {
		return err
	}
	end := uint32(len(r.History().Layers(history.Forward))) // depths are 32 bits
	if !r.Space().Complete() && end > 0 {
		end--
	}
	encode := func(into *edgeGroup, b *query.Batch) (*edgeGroup, error) {
		if into == nil {
			into = &edgeGroup{puzzle: p, to: out.BeginRowGroup(), end: end}
		}
		err := into.encode(b)
		return into, err
	}
	err = query.Table(ctx, r.Space(), o.tableOptions(states), encode, func(g *edgeGroup) error {
		if g.rows == 0 {
			return nil
		}
		_, err := g.to.Commit()
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// encode writes the transitions of a batch, a few states at a time.
func (g *edgeGroup) encode(b *query.Batch) error {
	g.rows = 0
	for i := range b.Len() {
		if b.Depths[i] < g.end {
			g.add(b, i)
		}
		if len(g.values[edgeDepth]) >= parquetValues {
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	if err := g.flush(); err != nil {
		return err
	}
	for _, to := range g.to.ColumnWriters() {
		if err := to.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// flush passes the values to the columns, which copy them.
func (g *edgeGroup) flush() error {
	for column, to := range g.to.ColumnWriters() {
		if _, err := to.WriteRowValues(g.values[column]); err != nil {
			return err
		}
	}
	g.rows += len(g.values[edgeDepth])
	for column := range g.values {
		g.values[column] = g.values[column][:0]
	}
	g.bytes = g.bytes[:0]
	return nil
}

func (g *edgeGroup) add(b *query.Batch, i int) {
	g.edges.Reset()
	g.puzzle.Successors(b.Key(i), &g.edges)
	depth := parquet.Int32Value(int32(b.Depths[i])) // depths are small
	if g.names == nil {
		g.names = make([]parquet.Value, g.puzzle.Layout().Moves)
	}
	var from, to parquet.Value
	from, g.bytes = keyValue(g.bytes, b.Key(i))
	for j, move := range g.edges.Moves {
		if g.names[move].IsNull() {
			g.names[move] = parquet.ByteArrayValue([]byte(g.puzzle.FormatMove(move)))
		}
		to, g.bytes = keyValue(g.bytes, g.edges.Keys[j*b.Words:(j+1)*b.Words])
		g.values[edgeDepth] = append(g.values[edgeDepth], depth)
		g.values[edgeFrom] = append(g.values[edgeFrom], from)
		g.values[edgeMoveID] = append(g.values[edgeMoveID], parquet.Int32Value(int32(move)))
		g.values[edgeMove] = append(g.values[edgeMove], g.names[move])
		g.values[edgeTo] = append(g.values[edgeTo], to)
	}
}
