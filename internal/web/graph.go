package web

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw/layout"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/web/playable"
	"github.com/everystate/everystate/puzzle"
)

// Limits of graphs.
const (
	graphStatesMax = 500_000
	graphEdgesMax  = 8_000_000
	graphsKept     = 4
	graphWait      = 2 * time.Second // how long a request waits for a graph in the making
)

// graphs makes graphs, one at a time, and keeps the last few.
type graphs struct {
	ctx  context.Context //nolint:containedctx // ends the making, which outlives any request
	stop context.CancelFunc
	wait sync.WaitGroup
	turn chan struct{} // has one element while no graph is being made

	mu   sync.Mutex // guards kept
	kept []*graphJob
}

func (g *graphs) init() {
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.turn = make(chan struct{}, 1)
	g.turn <- struct{}{}
}

func (g *graphs) close() {
	g.stop()
	g.wait.Wait()
}

// graphJob is a graph that is being made, or has been.
type graphJob struct {
	of   graphID
	done chan struct{} // closed when the fields at the end are set
	part atomic.Uint64 // the part that is done, a float64

	graph *stateGraph
	err   error
}

// graphID identifies the content of a graph: a run may continue, or be replaced by
// another of its name.
type graphID struct {
	source  Source
	run     string
	digest  string
	text    string
	byDepth bool
}

// stateGraph is a space, or a sample of one, as a graph.
type stateGraph struct {
	nodeIndex

	body []byte // in the form that the page reads
}

// job returns the graph of a run, and begins to make it if necessary. The job closes the
// view that it uses.
func (g *graphs) job(ctx context.Context, source Source, run string, byDepth bool) (*graphJob, error) {
	view, err := source.Open(ctx, run)
	if err != nil {
		return nil, err
	}
	space := view.Space()
	states, most := space.History.States(history.Forward), int64(graphStatesMax)
	if byDepth {
		most = graphStatesRead
	}
	if states > most {
		return nil, errors.Join(fmt.Errorf("%w: the space has %d states, more than the %d that this picture takes", ErrRefused, states, most), view.Close())
	}
	id := graphID{source, run, space.History.Digest().String(), space.Board.Text, byDepth}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, j := range g.kept {
		if j.of == id {
			g.kept = append(slices.Delete(g.kept, i, i+1), j)
			return j, view.Close()
		}
	}
	j := &graphJob{of: id, done: make(chan struct{})}
	g.kept = append(g.kept, j)
	if len(g.kept) > graphsKept {
		g.kept = slices.Delete(g.kept, 0, 1)
	}
	g.wait.Go(func() {
		defer close(j.done)
		select {
		case <-g.turn:
			if byDepth {
				j.graph, j.err = j.makeByDepth(g.ctx, view)
			} else {
				j.graph, j.err = j.make(g.ctx, view)
			}
			g.turn <- struct{}{}
		case <-g.ctx.Done():
			j.err = errors.Join(g.ctx.Err(), view.Close())
		}
		if j.err != nil {
			g.forget(j)
		}
	})
	return j, nil
}

// forget has a graph made again when it is next asked for.
func (g *graphs) forget(j *graphJob) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.kept, j); i >= 0 {
		g.kept = slices.Delete(g.kept, i, i+1)
	}
}

// tell sets the part that is done.
func (j *graphJob) tell(part float64) { j.part.Store(math.Float64bits(part)) }

// make makes the graph of all states and moves. It releases the run as soon as it has read it.
func (j *graphJob) make(ctx context.Context, view View) (*stateGraph, error) {
	g, all, pairs, err := readGraph(ctx, view.Space(), j.tell)
	if err := errors.Join(err, view.Close()); err != nil {
		return nil, err
	}
	const read = 0.2 // of the whole work
	places, err := layout.Place(layout.NewGraph(g.nodes(), pairs), layout.Options{Progress: func(part float64) error {
		j.tell(read + (1-read)*part)
		return ctx.Err()
	}})
	if err != nil {
		return nil, err
	}
	g.body = encodeGraph(all, places, pairs)
	return g, nil
}

// rows holds what a graph needs of the table.
type rows struct {
	playable.Columns

	keys []uint64
}

// readGraph reads the nodes and the edges of a space.
func readGraph(ctx context.Context, space *query.Space, progress func(part float64)) (*stateGraph, *rows, []uint32, error) {
	var all rows
	err := query.Table(ctx, space, query.TableOptions{}, func(_ *rows, b *query.Batch) (*rows, error) {
		r := &rows{keys: slices.Clone(b.Keys)}
		r.Add(b)
		return r, nil
	}, func(r *rows) error {
		all.keys = append(all.keys, r.keys...)
		all.Append(&r.Columns)
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	g := &stateGraph{nodeIndex: newNodeIndex(space.Scheme.Words(), all.keys)}
	progress(0.1)
	pairs, err := edges(ctx, space.Board.Puzzle, g)
	return g, &all, pairs, err
}

// edges returns the pairs of nodes that a move connects, each once.
func edges(ctx context.Context, p puzzle.Puzzle, g *stateGraph) ([]uint32, error) {
	var out puzzle.Edges
	var pairs []uint64
	for i := range g.nodes() {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out.Reset()
		p.Successors(g.key(i), &out)
		for e := range out.Len() {
			j := g.find(out.Keys[e*g.words : (e+1)*g.words])
			if j < 0 || j == i {
				continue // at the edge of an incomplete run
			}
			pairs = append(pairs, uint64(min(i, j))<<32|uint64(max(i, j)))
		}
		if len(pairs) > 2*graphEdgesMax {
			return nil, fmt.Errorf("%w: the space has too many moves for a picture", ErrRefused)
		}
	}
	slices.SortFunc(pairs, cmp.Compare[uint64])
	pairs = slices.Compact(pairs)
	flat := make([]uint32, 0, 2*len(pairs))
	for _, e := range pairs {
		flat = append(flat, uint32(e>>32), uint32(e))
	}
	return flat, nil
}

// graphMagic begins a graph as the page reads it: the numbers of nodes and edges as
// uint32; x, y and z of each node as int16, where 32767 stands for 1; depth and goal
// distance as uint16; flags as uint8; the two nodes of each edge as uint32. All are
// little-endian, and each column begins at a multiple of four.
const graphMagic = "ESG1"

func encodeGraph(r *rows, places []float32, pairs []uint32) []byte {
	le := binary.LittleEndian
	align := func(b []byte) []byte {
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
		return b
	}
	b := []byte(graphMagic)
	b = le.AppendUint32(b, uint32(len(r.Depth)))
	b = le.AppendUint32(b, uint32(len(pairs)/2))
	for _, x := range places {
		b = le.AppendUint16(b, uint16(int16(math.Round(float64(x)*math.MaxInt16))))
	}
	b = align(b)
	for _, d := range r.Depth {
		b = le.AppendUint16(b, d)
	}
	b = align(b)
	for _, d := range r.Distance {
		b = le.AppendUint16(b, d)
	}
	b = align(b)
	b = align(append(b, r.Flags...))
	for _, i := range pairs {
		b = le.AppendUint32(b, i)
	}
	return b
}

// graph answers with the graph, or with the part of it that is done.
func (s *Server) graph(w http.ResponseWriter, r *http.Request) {
	source, err := s.source(r)
	if err != nil {
		s.explain(w, r, err)
		return
	}
	job, err := s.graphs.job(r.Context(), source, r.PathValue("run"), r.URL.Query().Get("arranged") == "depth")
	if err != nil {
		s.explain(w, r, err)
		return
	}
	wait := time.NewTimer(graphWait)
	defer wait.Stop()
	select {
	case <-job.done:
	case <-wait.C:
		writeJSON(w, http.StatusAccepted, struct {
			Part float64 `json:"part"`
		}{math.Float64frombits(job.part.Load())})
		return
	case <-r.Context().Done():
		return
	}
	if job.err != nil {
		s.explain(w, r, job.err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Cache-Control", "no-store")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		send(w, job.graph.body)
		return
	}
	h.Set("Content-Encoding", "gzip")
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		s.explain(w, r, err)
		return
	}
	if _, err := zip.Write(job.graph.body); err == nil {
		_ = zip.Close() // it fails only if the caller is gone
	}
}

// made returns the graph of a run if it is complete.
func (s *Server) made(r *http.Request) (*stateGraph, error) {
	source, err := s.source(r)
	if err != nil {
		return nil, err
	}
	job, err := s.graphs.job(r.Context(), source, r.PathValue("run"), r.URL.Query().Get("arranged") == "depth")
	if err != nil {
		return nil, err
	}
	select {
	case <-job.done:
		return job.graph, job.err
	default:
		return nil, fmt.Errorf("%w: the graph is not ready yet", ErrBusy)
	}
}

// graphing answers questions about a graph that has been made.
type graphing struct{ *Server }

// node returns the state of a node.
func (s graphing) node(r *http.Request, view View) (any, error) {
	g, err := s.made(r)
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(r.PathValue("node"))
	if err != nil || i < 0 || i >= g.nodes() {
		return nil, fmt.Errorf("%w: there is no node %.20q", errRequest, r.PathValue("node"))
	}
	space := view.Space()
	at, err := space.Locate(r.Context(), g.key(i))
	if err != nil {
		return nil, err
	}
	return full(space, g.key(i), brief(g.key(i), at, true)), nil
}

// graphNodes are nodes of states, -1 for none.
type graphNodes struct {
	Nodes []int `json:"nodes"`
}

// nodes returns the nodes of states.
func (s graphing) nodes(r *http.Request, view View) (any, error) {
	var body struct {
		Keys []string `json:"keys"`
	}
	if err := read(r, &body); err != nil {
		return nil, err
	}
	g, err := s.made(r)
	if err != nil {
		return nil, err
	}
	nodes := make([]int, 0, len(body.Keys))
	for _, text := range body.Keys {
		key, err := parseKey(view.Space().Board.Puzzle, text)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, g.find(key))
	}
	return graphNodes{nodes}, nil
}

// path returns the nodes of the states of a path, -1 for none.
func (s graphing) path(r *http.Request, view View) (any, error) {
	g, err := s.made(r)
	if err != nil {
		return nil, err
	}
	f, err := s.paths.of(r, view.Space())
	if err != nil {
		return nil, err
	}
	nodes := make([]int, 0, len(f.States))
	for _, key := range f.States {
		nodes = append(nodes, g.find(key))
	}
	return graphNodes{nodes}, nil
}
