package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

const here = "127.0.0.1:8000"

// A board with 4x4 cells, whose space is small.
const small = "puzzle: rush-hour\nname: Small <b>one</b>\n\nE.BB\nECCC\nAA.F\nDD.F"

func newServer(t *testing.T, opts Options) *Server {
	t.Helper()
	if opts.Source == nil && opts.ForToken == nil {
		source := NewLocal(LocalOptions{
			Dir: t.TempDir(), Run: engine.Options{Workers: 2, MemoryBytes: engine.MemoryMin * 2},
			Name: func(puzzle.Board) string { return "small" },
		})
		t.Cleanup(func() {
			if err := source.Close(); err != nil {
				t.Error(err)
			}
		})
		opts.Source = source
	}
	opts.Listen = here
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask sends a request as the page does, and returns the code and the body.
func ask(t *testing.T, s *Server, method, path string, body any, change ...func(r *http.Request)) (int, []byte) {
	t.Helper()
	var in io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		in = bytes.NewReader(text)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, "http://"+here+path, in)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", "http://"+here)
	}
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("%s %s: Content-Security-Policy %q", method, path, csp)
	}
	if w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %s: the kind of the answer may be guessed", method, path)
	}
	return w.Code, w.Body.Bytes()
}

// want asks and reads the answer.
func want[T any](t *testing.T, s *Server, method, path string, body any) T {
	t.Helper()
	code, text := ask(t, s, method, path, body)
	if code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, code, text)
	}
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return v
}

func TestOnlyOwnPages(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	header := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	for _, c := range []struct {
		name   string
		method string
		change func(*http.Request)
		want   int
	}{
		{"as it should be", http.MethodGet, func(*http.Request) {}, http.StatusOK},
		{"localhost", http.MethodGet, host("localhost:8000"), http.StatusOK},
		{"IPv6", http.MethodGet, host("[::1]:8000"), http.StatusOK},
		{"a name that points here", http.MethodGet, host("evil.example:8000"), http.StatusForbidden},
		{"another port", http.MethodGet, host("127.0.0.1:9000"), http.StatusForbidden},
		{"an address of the network", http.MethodGet, host("192.168.1.5:8000"), http.StatusForbidden},
		{"a page from elsewhere", http.MethodGet, header("Origin", "http://evil.example"), http.StatusForbidden},
		{"a sandboxed page", http.MethodGet, header("Origin", "null"), http.StatusForbidden},
		{"a picture in another page", http.MethodGet, header("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"another port of this machine", http.MethodGet, header("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		{"a form of another page", http.MethodPost, header("Content-Type", "text/plain"), http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path, body := "/api/info", any(nil)
			if c.method == http.MethodPost {
				path, body = "/api/check", pasted{Text: small}
			}
			if code, text := ask(t, s, c.method, path, body, c.change); code != c.want {
				t.Errorf("%d, want %d: %s", code, c.want, text)
			}
		})
	}
}

// TestScriptAtFirst: what loads before anything is opened is at most 60 KiB of script.
// Views that load later are not part of it.
func TestScriptAtFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	const most = 60 << 10
	loaded := map[string]bool{}
	size := 0
	for next := []string{"/app.js"}; len(next) > 0; next = next[1:] {
		a, ok := s.assets[next[0]]
		if !ok {
			t.Fatalf("%s is not there", next[0])
		}
		if loaded[next[0]] {
			continue
		}
		loaded[next[0]] = true
		size += len(a.plain)
		for _, found := range regexp.MustCompile(`(?:from|import)"\./([^"]+)"`).FindAllSubmatch(a.plain, -1) {
			next = append(next, "/"+string(found[1]))
		}
	}
	if t.Logf("%d bytes in %d files", size, len(loaded)); size > most || len(loaded) < 2 {
		t.Errorf("%d bytes in %d files load at first, want at most %d", size, len(loaded), most)
	}
	for _, late := range []string{"player", "graph", "edit", "sweeps", "solid", "compare", "marks"} {
		for name := range loaded {
			if strings.HasPrefix(name, "/"+late+"-") {
				t.Errorf("%s loads at first", name)
			}
		}
	}
}

func TestPageHoldsNothingInline(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	code, page := ask(t, s, http.MethodGet, "/", nil)
	if code != http.StatusOK {
		t.Fatal(code)
	}
	for _, bad := range []string{`<script>`, `<style`, ` style=`, `javascript:`, ` onclick`, `http://`, `https://`} {
		if strings.Contains(string(page), bad) {
			t.Errorf("the page holds %s", bad)
		}
	}
	var bytesInAll int
	var graph bool
	for name, a := range s.assets {
		bytesInAll += len(a.small)
		graph = graph || strings.HasPrefix(name, "/graph-")
		if a.kind == "" {
			t.Errorf("%s has no kind", name)
		}
		if regexp.MustCompile(`\beval\(|new Function\(`).Match(a.plain) {
			t.Errorf("%s makes code of text", name)
		}
		if strings.HasSuffix(name, ".js") && regexp.MustCompile(`https?://[a-z]`).Match(bytes.ReplaceAll(a.plain, []byte("http://www.w3.org/"), nil)) {
			t.Errorf("%s names another machine", name)
		}
	}
	const weightMax = 64 << 10 // compressed, the graph view included
	if t.Logf("the page has %d bytes, compressed", bytesInAll); bytesInAll > weightMax {
		t.Errorf("that is more than %d", weightMax)
	}
	if !graph || bytes.Contains(page, []byte("graph-")) {
		t.Error("the graph view is not loaded lazily")
	}
}

func TestBadBoardHasAPlace(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	for _, path := range []string{"/api/check", "/api/runs"} {
		code, text := ask(t, s, http.MethodPost, path, pasted{Text: "puzzle: rush-hour\n\nAA..\n....\nXX.X\n...."})
		var p problem
		if err := json.Unmarshal(text, &p); err != nil || code != http.StatusUnprocessableEntity || p.Line != 5 || p.Column == 0 || p.Error == "" {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	for _, c := range []struct {
		method, path string
		body         any
		want         int
	}{
		{http.MethodPost, "/api/check", pasted{Text: strings.Repeat(".", bodyBytesMax)}, http.StatusRequestEntityTooLarge},
		{http.MethodPost, "/api/runs", []int{1}, http.StatusBadRequest},
		{http.MethodPost, "/api/runs", pasted{Text: small, Board: 7}, http.StatusBadRequest},
		{http.MethodGet, "/api/runs/none", nil, http.StatusNotFound},
		{http.MethodGet, "/api/runs/..%2f..%2fetc", nil, http.StatusNotFound},
		{http.MethodGet, "/api/runs/none/graph", nil, http.StatusNotFound},
		{http.MethodPost, "/api/runs/none/pause", struct{}{}, http.StatusNotFound},
		{http.MethodPost, "/api/runs/none/dance", struct{}{}, http.StatusBadRequest},
		{http.MethodGet, "/../../go.mod", nil, http.StatusNotFound},
		{http.MethodDelete, "/api/runs/none", nil, http.StatusMethodNotAllowed},
	} {
		if code, text := ask(t, s, c.method, c.path, c.body); code != c.want && code != http.StatusTemporaryRedirect {
			t.Errorf("%s %s: %d, want %d: %.200s", c.method, c.path, code, c.want, text)
		}
	}
}

// TestHalfOpen opens more connections than the server admits and says nothing on any.
// Another caller of the same address is answered long before they time out.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, lis) }()
	var dialer net.Dialer
	for range connectionsMax.OfOneCaller + 50 {
		conn, err := dialer.DialContext(t.Context(), "tcp", lis.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() }) //nolint:errcheck // most are closed already
	}
	conn, err := dialer.DialContext(t.Context(), "tcp", lis.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // it is closed by the server
	if _, err := io.WriteString(conn, "GET /api/info HTTP/1.1\r\nHost: "+lis.Addr().String()+"\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 ") {
		t.Errorf("answered %.100q, %v", text, err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestSlowCallers: whoever is slow to say what he wants is not waited for.
func TestSlowCallers(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	s.headerTime, s.requestTime = 100*time.Millisecond, 200*time.Millisecond
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, lis) }()
	for _, said := range []string{
		"", "GET / HT", "GET / HTTP/1.1\r\nHost: " + here + "\r\n",
		"POST /api/check HTTP/1.1\r\nHost: " + here + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		var dialer net.Dialer
		conn, err := dialer.DialContext(t.Context(), "tcp", lis.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, said); err != nil {
			t.Fatal(err)
		}
		const late = 20 * time.Second
		if err := conn.SetReadDeadline(time.Now().Add(late)); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(conn); err != nil || strings.Contains(string(text), "200 OK") {
			t.Errorf("after %q: %q, %v", said, text, err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestWatchers: so many can watch at a time, and no more.
func TestWatchers(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	ctx, stop := context.WithCancel(t.Context())
	var watchers sync.WaitGroup
	for range watchersMax {
		watchers.Go(func() {
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+here+"/api/events", http.NoBody)
			s.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	for tick := time.Tick(time.Millisecond); ; <-tick {
		s.hubs.mu.Lock()
		n := s.hubs.watchers
		s.hubs.mu.Unlock()
		if n == watchersMax {
			break
		}
	}
	if code, text := ask(t, s, http.MethodGet, "/api/events", nil); code != http.StatusConflict {
		t.Errorf("one too many: %d %s", code, text)
	}
	stop()
	watchers.Wait()
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{ReadOnly: true})
	for _, path := range []string{"/api/runs", "/api/runs/x/resume"} {
		if code, text := ask(t, s, http.MethodPost, path, pasted{Text: small}); code != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	if runs := want[[]Run](t, s, http.MethodGet, "/api/runs", nil); len(runs) != 0 {
		t.Errorf("there are runs: %v", runs)
	}
}

// explored has a server explore the small board to the end.
func explored(t *testing.T) (*Server, Run) {
	t.Helper()
	s := newServer(t, Options{})
	started := want[struct{ Name string }](t, s, http.MethodPost, "/api/runs", pasted{Text: small, GoalDistance: true})
	if started.Name != "small" {
		t.Fatalf("the run is called %q", started.Name)
	}
	var run Run
	waitFor(t, func() bool {
		runs := want[[]Run](t, s, http.MethodGet, "/api/runs", nil)
		if len(runs) != 1 {
			return false
		}
		if run = runs[0]; run.State == Failed {
			t.Fatal(run.Problem)
		}
		return run.State == Complete && run.Distances
	})
	return s, run
}

// TestPlayable downloads a run as a file to play on, and not one that lacks something.
func TestPlayable(t *testing.T) {
	t.Parallel()
	s, run := explored(t)
	path := "/api/runs/" + run.Name + "/playable"
	code, body := ask(t, s, http.MethodGet, path, nil)
	if code != http.StatusOK || !bytes.HasPrefix(body, []byte("<!doctype html>")) || !bytes.Contains(body, []byte("Small &lt;b&gt;one&lt;/b&gt;")) {
		t.Errorf("code %d, %.200s", code, body)
	}
	if code, body := ask(t, s, http.MethodGet, "/api/runs/none/playable", nil); code != http.StatusNotFound {
		t.Errorf("no run: code %d, %s", code, body)
	}
	short := want[struct{ Name string }](t, s, http.MethodPost, "/api/runs", pasted{Text: "puzzle: rush-hour\n\nE.BB\nECCC\nAA..\nDD..", MaxStates: 2})
	waitFor(t, func() bool {
		code, body = ask(t, s, http.MethodGet, "/api/runs/"+short.Name+"/playable", nil)
		return !bytes.Contains(body, []byte(ErrBusy.Error()))
	})
	if code != http.StatusConflict || !bytes.Contains(body, []byte("not every reachable state has been found")) {
		t.Errorf("an incomplete run: code %d, %s", code, body)
	}
}

// TestPathInParts puts a path together from its parts, and its moves and distances from the
// short form.
func TestPathInParts(t *testing.T) {
	t.Parallel()
	s, run := explored(t)
	base := "/api/runs/" + run.Name
	for to, from := range map[string]string{"goal": "hardest", "start": "deepest"} {
		key := want[struct{ States []state }](t, s, http.MethodGet, base+"/states?offset=0&limit=1&which="+from, nil).States[0].Key
		whole := want[way](t, s, http.MethodGet, base+"/path/"+key+"?to="+to, nil)
		var parts []state
		for len(parts) < whole.Total {
			p := want[way](t, s, http.MethodGet, fmt.Sprintf("%s/path/%s?to=%s&offset=%d&limit=2", base, key, to, len(parts)), nil)
			if len(p.States) == 0 || p.Total != whole.Total {
				t.Fatalf("from %d: %d of %d", len(parts), len(p.States), p.Total)
			}
			parts = append(parts, p.States...)
		}
		if !reflect.DeepEqual(parts, whole.States) || len(parts) < 3 {
			t.Errorf("to %s: %d states in parts differ from the whole %d", to, len(parts), len(whole.States))
		}
		short := want[struct {
			Names            []string
			Moves, Distances []int
		}](t, s, http.MethodGet, base+"/moves/"+key+"?to="+to, nil)
		for i, st := range whole.States {
			if i > 0 && short.Names[short.Moves[i-1]] != st.Move || len(short.Distances) > i && short.Distances[i] != st.GoalDistance {
				t.Errorf("to %s: state %d is %+v, which %+v does not tell", to, i, st, short)
			}
		}
		if to == "goal" && short.Distances == nil {
			t.Error("distances to the goal are missing")
		}
	}
}

// TestPathsAreKept finds a long path once, and forgets the oldest of many.
func TestPathsAreKept(t *testing.T) {
	t.Parallel()
	var p paths
	asked := 0
	find := func(key string, moves int) {
		if _, err := p.find(foundAs{key: key}, func() (query.Path, error) {
			asked++
			return query.Path{Moves: make([]puzzle.Move, moves)}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		key          string
		moves, asked int
	}{{"a", pathKeptMin, 1}, {"a", pathKeptMin, 1}, {"short", 1, 2}, {"short", 1, 3}, {"b", pathKeptMin, 4}, {"c", pathKeptMin, 5}, {"d", pathKeptMin, 6}, {"e", pathKeptMin, 7}, {"b", pathKeptMin, 7}, {"a", pathKeptMin, 8}} {
		if find(c.key, c.moves); asked != c.asked {
			t.Errorf("%v: asked %d times", c, asked)
		}
	}
}

// TestStatesInPages lists all goals and all deepest states of a run, page by page, and
// says where the list ends.
func TestStatesInPages(t *testing.T) {
	t.Parallel()
	s, run := explored(t)
	type page struct {
		States        []state
		Total, Listed int64
	}
	for which, ok := range map[string]func(first, st state) bool{
		"goal":    func(first, st state) bool { return st.Goal && st.Depth >= first.Depth },
		"deepest": func(first, st state) bool { return st.Depth == first.Depth },
		"hardest": func(first, st state) bool { return st.GoalDistance == first.GoalDistance },
	} {
		path := "/api/runs/" + run.Name + "/states?which=" + which
		whole := want[page](t, s, http.MethodGet, path+"&offset=0&limit=200", nil)
		var all []state
		for int64(len(all)) < whole.Total {
			p := want[page](t, s, http.MethodGet, fmt.Sprintf("%s&offset=%d&limit=2", path, len(all)), nil)
			if len(p.States) == 0 || p.Total != whole.Total || p.Listed != p.Total {
				t.Fatalf("%s from %d: %+v, want more of %d", which, len(all), p, whole.Total)
			}
			all = append(all, p.States...)
		}
		if !reflect.DeepEqual(all, whole.States) || which == "goal" && len(all) < 2 {
			t.Errorf("%s in pages: %d, want %d, and at least two goals", which, len(all), len(whole.States))
		}
		for _, st := range all {
			if !ok(all[0], st) {
				t.Errorf("%s: %+v does not belong there", which, st)
			}
		}
		beyond := want[page](t, s, http.MethodGet, path+"&offset=10000&limit=1", nil)
		if len(beyond.States) > 0 || beyond.Total != whole.Total || beyond.Listed != whole.Total {
			t.Errorf("%s beyond the end: %+v", which, beyond)
		}
	}
}

// TestNoGoalYet says of a run that stopped before the first goal that no goal has been
// reached, not that none can be.
func TestNoGoalYet(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	want[struct{ Name string }](t, s, http.MethodPost, "/api/runs", pasted{Text: small, MaxStates: 2})
	var code int
	var body []byte
	waitFor(t, func() bool {
		code, body = ask(t, s, http.MethodGet, "/api/runs/small/states?which=goal&offset=0&limit=1", nil)
		return !bytes.Contains(body, []byte(ErrBusy.Error())) && code != http.StatusOK // which it has before its first layer
	})
	if code != http.StatusNotFound || !bytes.Contains(body, []byte("no goal has been reached up to depth 1, the last that the run has explored")) {
		t.Errorf("%d %s", code, body)
	}
}

// waitFor looks every few milliseconds until something has come about.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("it does not come about")
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	s, run := explored(t)
	var total int64
	for _, n := range run.Layers {
		total += n
	}
	if run.States == 0 || total != run.States || run.GoalPhase+*run.Unsolvable != run.States {
		t.Fatalf("%+v", run)
	}
	base := "/api/runs/small"
	d := want[details](t, s, http.MethodGet, base, nil)
	var inParts int64
	for _, n := range d.Partitions {
		inParts += n
	}
	if inParts != run.States {
		t.Errorf("%d states in partitions, want %d", inParts, run.States)
	}

	t.Run("every state of every layer, a page at a time", func(t *testing.T) {
		for _, phase := range []string{"depth", "distance"} {
			found := make(map[string]bool)
			layers := run.Layers
			if phase == "distance" {
				layers = run.GoalLayers
			}
			for layer, states := range layers {
				for offset := int64(0); offset < states; {
					page := want[struct {
						States []state
						Total  int64
					}](t, s, http.MethodGet, fmt.Sprintf("%s/states?which=%s&layer=%d&offset=%d&limit=7", base, phase, layer, offset), nil)
					if page.Total != states || len(page.States) == 0 {
						t.Fatalf("%s %d from %d: %d states of %d, want %d", phase, layer, offset, len(page.States), page.Total, states)
					}
					for _, st := range page.States {
						if found[st.Key] || phase == "depth" && st.Depth != layer || phase == "distance" && st.GoalDistance != layer {
							t.Fatalf("%s %d: %+v", phase, layer, st)
						}
						found[st.Key] = true
					}
					offset += int64(len(page.States))
				}
			}
		}
	})
	t.Run("the hardest state is solved", func(t *testing.T) {
		hardest := want[struct{ States []state }](t, s, http.MethodGet, base+"/states?which=hardest&offset=0&limit=1", nil).States[0]
		w := want[way](t, s, http.MethodGet, base+"/path/"+hardest.Key+"?to=goal", nil)
		if len(w.States) != len(run.GoalLayers) || !w.States[len(w.States)-1].Goal {
			t.Fatalf("%d states on the way", len(w.States))
		}
		var moves []string
		for _, st := range w.States[1:] {
			moves = append(moves, st.Move)
		}
		again := want[way](t, s, http.MethodPost, base+"/replay", map[string]string{"from": hardest.Key, "moves": strings.Join(moves, " ")})
		if len(again.States) != len(w.States) || again.States[len(again.States)-1].Key != w.States[len(w.States)-1].Key {
			t.Error("the moves lead elsewhere when they are followed")
		}
		code, text := ask(t, s, http.MethodPost, base+"/replay", map[string]string{"from": hardest.Key, "moves": moves[0] + "\n Z+7"})
		if code != http.StatusUnprocessableEntity || !strings.Contains(string(text), `"line":2,"column":2`) {
			t.Errorf("a wrong move: %d %s", code, text)
		}
	})
	t.Run("neighbours lie one move away", func(t *testing.T) {
		st := want[seen](t, s, http.MethodGet, base+"/state/"+d.Start, nil)
		if !st.Known || st.Depth != 0 || st.Predecessor != nil || len(st.Neighbours) == 0 {
			t.Fatalf("%+v", st)
		}
		for _, n := range st.Neighbours {
			back := want[seen](t, s, http.MethodPost, base+"/find", map[string]string{"text": want[seen](t, s, http.MethodGet, base+"/state/"+n.Key, nil).Text})
			if back.Key != n.Key || back.Depth != 1 || back.Predecessor == nil || back.Predecessor.Key != st.Key {
				t.Errorf("%+v", back)
			}
		}
	})
	t.Run("a picture has no script, and the name is text", func(t *testing.T) {
		code, svg := ask(t, s, http.MethodGet, base+"/picture/"+d.Start, nil)
		if code != http.StatusOK || !bytes.HasPrefix(svg, []byte("<svg ")) || bytes.Contains(svg, []byte("<b>")) || bytes.Contains(svg, []byte("<script")) {
			t.Errorf("%d %s", code, svg)
		}
		if code, text := ask(t, s, http.MethodGet, "/api/runs", nil); code != http.StatusOK || bytes.Contains(text, []byte("<b>")) {
			t.Errorf("a name is markup: %s", text)
		}
	})
	t.Run("keys that are none", func(t *testing.T) {
		for _, key := range []string{"", "zz", "00", strings.Repeat("f", 16), strings.Repeat("0", 17)} {
			for _, path := range []string{"/state/", "/path/", "/picture/"} {
				if code, text := ask(t, s, http.MethodGet, base+path+key, nil); code != http.StatusBadRequest && code != http.StatusNotFound {
					t.Errorf("%s%s: %d %s", path, key, code, text)
				}
			}
		}
	})
	t.Run("the graph", func(t *testing.T) { checkGraph(t, s, base, run, d) })
}

func checkGraph(t *testing.T, s *Server, base string, run Run, d details) {
	t.Helper()
	var body []byte
	for body == nil {
		code, text := ask(t, s, http.MethodGet, base+"/graph", nil)
		switch code {
		case http.StatusOK:
			body = text
		case http.StatusAccepted:
		default:
			t.Fatalf("%d %s", code, text)
		}
	}
	if _, again := ask(t, s, http.MethodGet, base+"/graph", nil, func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") }); !bytes.Equal(unzip(t, again), body) {
		t.Error("the graph is another one when it is asked for again")
	}
	le := binary.LittleEndian
	n, m := int(le.Uint32(body[4:])), int(le.Uint32(body[8:]))
	if string(body[:4]) != graphMagic || int64(n) != run.States || m == 0 {
		t.Fatalf("%q with %d nodes and %d edges", body[:4], n, m)
	}
	at := (12 + 6*n + 3) &^ 3
	depths := body[at:]
	edges := body[len(body)-8*m:]
	for e := range m {
		a, b := le.Uint32(edges[8*e:]), le.Uint32(edges[8*e+4:])
		if a >= b || int(b) >= n {
			t.Fatalf("edge %d: %d and %d", e, a, b)
		}
		// A move changes the depth by one at most.
		da, db := int(le.Uint16(depths[2*a:])), int(le.Uint16(depths[2*b:]))
		if da-db > 1 || db-da > 1 {
			t.Fatalf("a move leads from depth %d to %d", da, db)
		}
	}
	nodes := want[struct{ Nodes []int }](t, s, http.MethodPost, base+"/graph/nodes", map[string][]string{"keys": {d.Start}}).Nodes
	st := want[state](t, s, http.MethodGet, fmt.Sprintf("%s/graph/node/%d", base, nodes[0]), nil)
	if st.Key != d.Start {
		t.Errorf("node %d is %s, want the start", nodes[0], st.Key)
	}
	hardest := want[struct{ States []state }](t, s, http.MethodGet, base+"/states?which=hardest&offset=0&limit=1", nil).States[0]
	for _, to := range []string{"goal", "start"} {
		path := want[way](t, s, http.MethodGet, base+"/path/"+hardest.Key+"?to="+to, nil).States
		nodes := want[struct{ Nodes []int }](t, s, http.MethodGet, base+"/graph/path/"+hardest.Key+"?to="+to, nil).Nodes
		if len(nodes) != len(path) {
			t.Fatalf("to the %s: %d nodes of %d states", to, len(nodes), len(path))
		}
		for i, n := range nodes {
			if st := want[state](t, s, http.MethodGet, fmt.Sprintf("%s/graph/node/%d", base, n), nil); st.Key != path[i].Key {
				t.Errorf("to the %s: node %d is %s, want %s", to, n, st.Key, path[i].Key)
			}
		}
	}
}

func unzip(t *testing.T, body []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestToken(t *testing.T) {
	t.Parallel()
	source := NewLocal(LocalOptions{Dir: t.TempDir()})
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	s := newServer(t, Options{ForToken: func(token string) (Source, error) {
		if token != "secret" {
			return nil, fmt.Errorf("%w: no such token", ErrDenied)
		}
		return source, nil
	}})
	cookie := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookieName(r), Value: token}) }
	}
	session := s.sessions.begin("secret", time.Now())
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"none", func(*http.Request) {}, http.StatusForbidden},
		{"a wrong one", cookie("guess"), http.StatusForbidden},
		{"the right one", cookie(session), http.StatusOK},
		{"the right one, in a header", func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }, http.StatusOK},
	} {
		for _, path := range []string{"/api/runs", "/api/info"} {
			if code, text := ask(t, s, http.MethodGet, path, nil, c.change); code != c.want {
				t.Errorf("%s: %s: %d %s", c.name, path, code, text)
			}
		}
	}
	if code, _ := ask(t, s, http.MethodPost, "/api/login", map[string]string{"token": "guess"}); code != http.StatusForbidden {
		t.Errorf("a wrong token is let in: %d", code)
	}
	if code, _ := ask(t, s, http.MethodPost, "/api/login", map[string]string{"token": "secret"}); code != http.StatusOK {
		t.Errorf("the token is not let in: %d", code)
	}
}

// TestEvents reads the stream as a browser does.
func TestEvents(t *testing.T) {
	t.Parallel()
	s, run := explored(t)
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = here
		s.ServeHTTP(w, r)
	}))
	defer inner.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, inner.URL+"/api/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := inner.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(got, []byte("event: runs\n")) {
		n, err := res.Body.Read(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		got = append(got, buf[:n]...)
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(got, fmt.Appendf(nil, `"states":%d`, run.States)) || !bytes.HasPrefix(got, []byte("event: run\ndata: {")) {
		t.Errorf("%s", got)
	}
}

// TestPathShowsThePlayer sees that states on a way are shown as moves leave them,
// where a puzzle says so.
func TestPathShowsThePlayer(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	const level = "puzzle: sokoban\n\n######\n#    #\n# $ .#\n#   @#\n######\n"
	want[struct{ Name string }](t, s, http.MethodPost, "/api/runs", pasted{Text: level, GoalDistance: true})
	waitFor(t, func() bool { return want[[]Run](t, s, http.MethodGet, "/api/runs", nil)[0].Distances })
	start := want[struct{ Start string }](t, s, http.MethodGet, "/api/runs/small", nil).Start
	path := want[way](t, s, http.MethodGet, "/api/runs/small/path/"+start+"?to=goal", nil)
	// At the start where the level has it, and then where the box was.
	for i, cell := range []int{3*6 + 4, 2*6 + 2, 2*6 + 3} {
		pieces := path.States[i].Board.Pieces
		if got := pieces[len(pieces)-1].Cells[0]; got != cell {
			t.Errorf("after %d pushes the player is in cell %d, want %d", i, got, cell)
		}
	}
	plain, code := pictureOf(t, s, path.States[1].Key, "")
	after, codeAfter := pictureOf(t, s, path.States[1].Key, fmt.Sprintf("?by=%d", *path.States[1].By))
	if code != http.StatusOK || codeAfter != http.StatusOK || plain == after {
		t.Errorf("pictures are answered %d and %d, the same: %v", code, codeAfter, plain == after)
	}
	if _, code := pictureOf(t, s, path.States[1].Key, "?by=nothing"); code != http.StatusBadRequest {
		t.Errorf("a move that is none is answered %d", code)
	}
}

func pictureOf(t *testing.T, s *Server, key, query string) (body string, code int) {
	t.Helper()
	code, text := ask(t, s, http.MethodGet, "/api/runs/small/picture/"+key+query, nil)
	return string(text), code
}
