package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/everystate/everystate/internal/platform/limits"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/sweep/browse"
	"github.com/everystate/everystate/puzzle"
)

// connectionsMax bounds connections. A page has a few, and all pages behind a proxy have
// one address.
var connectionsMax = limits.Limit{All: 2048, OfOneCaller: 1024}

//go:embed dist
var dist embed.FS

// Limits of a request.
const (
	bodyBytesMax    = 4 << 20
	headerBytesMax  = 64 << 10
	headerTime      = 10 * time.Second
	requestTime     = 60 * time.Second
	shutdownTime    = 3 * time.Second
	watchersMax     = 64
	questionsAtOnce = 16
)

// Options configures a Server.
type Options struct {
	// Source provides the runs if ForToken is nil.
	Source Source

	// ForToken returns the source for a caller with a token. If the token is wrong, the
	// calls of that source fail with ErrDenied. Nil means that no token is asked for,
	// and Source is used.
	ForToken func(token string) (Source, error)

	// Sweeps holds databases of sweeps to look through. Nil means none.
	Sweeps *browse.Shelf

	// ReadOnly forbids changing anything.
	ReadOnly bool

	// Listen is the address that the server listens at, HOST:PORT. On loopback, only
	// requests to a name of loopback are answered.
	Listen string

	// Version is shown on the page.
	Version string

	// Log receives internal errors. Nil discards them.
	Log *slog.Logger
}

// Server is the page and its API.
type Server struct {
	opts      Options
	log       *slog.Logger
	mux       *http.ServeMux
	assets    map[string]asset
	hubs      hubs
	sessions  sessions
	graphs    graphs
	paths     paths
	questions chan struct{} // has one element for each question being answered
	editing   *editing

	// headerTime and requestTime are how long a request may take to arrive.
	headerTime, requestTime time.Duration
}

// asset is a file of the page.
type asset struct {
	kind         string
	plain, small []byte // small is compressed
	tag          string
}

// New returns a server. Close ends its background work.
func New(opts Options) (*Server, error) {
	s := &Server{
		opts: opts, log: opts.Log, mux: http.NewServeMux(), assets: make(map[string]asset),
		questions: make(chan struct{}, questionsAtOnce), editing: newEditing(), headerTime: headerTime, requestTime: requestTime,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.readAssets(); err != nil {
		return nil, err
	}
	s.hubs.init()
	s.sessions.init()
	s.graphs.init()
	for pattern, handler := range s.routes() {
		s.mux.HandleFunc(pattern, handler)
	}
	return s, nil
}

// Close ends the server's background work.
func (s *Server) Close() {
	s.hubs.close()
	s.graphs.close()
}

// Serve answers on a listener until ctx is cancelled.
func (s *Server) Serve(ctx context.Context, lis net.Listener) error {
	bounded := limits.Listen(lis, connectionsMax, func(caller string) {
		s.log.Warn("refusing connections: too many", "of", caller)
	})
	inner := &http.Server{
		Handler: bounded.Requests(s), ReadHeaderTimeout: s.headerTime, ReadTimeout: s.requestTime, WriteTimeout: requestTime,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: headerBytesMax,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		s.Close()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		done <- errors.Join(inner.Shutdown(end), inner.Close())
	}()
	err := inner.Serve(bounded)
	if ctx.Err() == nil {
		return err
	}
	if err := <-done; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

func (s *Server) readAssets() error {
	return fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		var small bytes.Buffer
		w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		s.assets["/"+strings.TrimPrefix(name, "dist/")] = asset{
			kind: mime.TypeByExtension(path.Ext(name)), plain: body, small: small.Bytes(),
			tag: `"` + hex.EncodeToString(sum[:12]) + `"`,
		}
		return nil
	})
}

// routes returns the requests that the server answers. docs/openapi.json describes those
// that are not the page's own.
func (s *Server) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /{file...}":                        s.serveAsset,
		"GET /api/info":                         s.answer(s.info),
		"POST " + loginPath:                     s.login,
		"POST " + logoutPath:                    s.logout,
		"GET /api/events":                       s.events,
		"GET /api/runs":                         s.answer(s.listRuns),
		"POST /api/check":                       s.answer(s.check),
		"GET /api/sweeps":                       s.answer(sweeping{s}.names),
		"GET /api/sweeps/{sweep}":               s.answer(sweeping{s}.look),
		"GET /api/sweeps/{sweep}/cards":         sweeping{s}.cards,
		"POST /api/edit":                        s.answer(s.editing.edit),
		"POST /api/notations":                   s.answer(s.editing.notations),
		"POST /api/runs":                        s.change(s.start),
		"POST /api/runs/{run}/{action}":         s.change(s.control),
		"GET /api/runs/{run}":                   s.question(s.details),
		"GET /api/runs/{run}/timeline":          s.answer(s.timeline),
		"GET /api/runs/{run}/thumbnail":         s.thumbnail,
		"GET /api/runs/{run}/states":            s.question(s.states),
		"GET /api/runs/{run}/state/{key}":       s.question(s.state),
		"POST /api/runs/{run}/find":             s.question(s.find),
		"GET /api/runs/{run}/path/{key}":        s.question(s.path),
		"GET /api/runs/{run}/moves/{key}":       s.question(s.paths.moves),
		"POST /api/runs/{run}/replay":           s.question(s.replay),
		"GET /api/runs/{run}/picture/{key}":     s.picture,
		"GET /api/runs/{run}/playable":          s.playable,
		"GET /api/runs/{run}/graph":             s.graph,
		"GET /api/runs/{run}/graph/node/{node}": s.question(graphing{s}.node),
		"POST /api/runs/{run}/graph/nodes":      s.question(graphing{s}.nodes),
		"GET /api/runs/{run}/graph/path/{key}":  s.question(graphing{s}.path),
	}
}

// ServeHTTP answers a request, unless it comes from a page from elsewhere.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	if why := s.foreign(r); why != "" {
		fail(w, http.StatusForbidden, problem{Error: why})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, bodyBytesMax)
	s.mux.ServeHTTP(w, r)
}

// foreign returns why a request is not from this page, or "" if it is. The check of Host
// rejects foreign names that resolve to this server; the check of Origin rejects pages
// from elsewhere.
func (s *Server) foreign(r *http.Request) string {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = r.Host, ""
	}
	listenHost, listenPort, _ := net.SplitHostPort(s.opts.Listen)
	ip := net.ParseIP(strings.Trim(host, "[]"))
	switch {
	case listenPort != "" && port != "" && port != listenPort:
		return "the request is for another port"
	case loopback(listenHost) && !loopback(host):
		return "the request is for a host other than this machine's loopback"
	case !loopback(listenHost) && ip == nil && !strings.EqualFold(host, listenHost) && !loopback(host):
		return "the request is for a host that is neither an IP address nor that of --listen"
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
		return "the request comes from another page"
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "" || site == "same-origin" || site == "none":
	case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate":
		// A link to the page.
	default:
		return "the request comes from another page"
	}
	if r.Method == http.MethodPost {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
			return "the request must be application/json"
		}
	}
	return ""
}

func loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	if name == "/" {
		name = "/index.html"
	}
	a, ok := s.assets[name]
	if !ok {
		fail(w, http.StatusNotFound, problem{Error: "there is no such page"})
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache") // makes the browser ask whether it has changed
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.small
	}
	send(w, body)
}

// send writes the rest of an answer. If the caller is gone, there is nobody to tell.
func send(w http.ResponseWriter, body []byte) { _, _ = w.Write(body) }

// problem is the answer to a request that failed.
type problem struct {
	Error string `json:"error"`
	// Line and Column are the position in a pasted text, from 1; 0 if there is none.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Token means that a token is needed.
	Token bool `json:"token,omitempty"`
}

func fail(w http.ResponseWriter, code int, p problem) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, code, p)
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		code, body = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	send(w, body)
}

// answer makes a handler of a function that returns the answer.
func (s *Server) answer(f func(r *http.Request, source Source) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		source, err := s.source(r)
		if err != nil {
			s.explain(w, r, err)
			return
		}
		v, err := f(r, source)
		if err != nil {
			s.explain(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		writeJSON(w, http.StatusOK, v)
	}
}

// change is answer for requests that change something.
func (s *Server) change(f func(r *http.Request, source Source) (any, error)) http.HandlerFunc {
	return s.answer(func(r *http.Request, source Source) (any, error) {
		if s.opts.ReadOnly {
			return nil, fmt.Errorf("%w: this page is read-only", ErrDenied)
		}
		return f(r, source)
	})
}

// question is answer for requests that read the states of a run.
func (s *Server) question(f func(r *http.Request, view View) (any, error)) http.HandlerFunc {
	return s.answer(func(r *http.Request, source Source) (v any, err error) {
		done, err := s.reserve(r.Context())
		if err != nil {
			return nil, err
		}
		defer done()
		view, err := source.Open(r.Context(), r.PathValue("run"))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, view.Close()) }()
		return f(r, view)
	})
}

// reserve waits until few enough questions are under way.
func (s *Server) reserve(ctx context.Context) (done func(), err error) {
	select {
	case s.questions <- struct{}{}:
		return func() { <-s.questions }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read reads the body of a request.
func read(r *http.Request, into any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", errRequest, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: the request is malformed: %w", errRequest, err)
	}
	return nil
}

// errRequest reports an invalid request.
var errRequest = errors.New("bad request")

// explain answers with an error.
func (s *Server) explain(w http.ResponseWriter, r *http.Request, err error) {
	p := problem{Error: strings.ReplaceAll(err.Error(), "\n", "; ")}
	code := http.StatusInternalServerError
	var fault *puzzle.InputError
	switch {
	case errors.As(err, &fault):
		code = http.StatusUnprocessableEntity
		p.Error, p.Line, p.Column = fault.What, fault.Line, fault.Column
	case errors.As(err, new(*http.MaxBytesError)):
		code, p.Error = http.StatusRequestEntityTooLarge, "the text is too long"
	case errors.Is(err, errRequest):
		code = http.StatusBadRequest
	case errors.Is(err, ErrDenied):
		// A role that lacks a right is no reason to ask for another token.
		code, p.Token = http.StatusForbidden, errors.Is(err, errNoToken) || s.opts.ForToken != nil && (r.Method == http.MethodGet || r.URL.Path == loginPath)
	case errors.Is(err, ErrNoRun), errors.Is(err, browse.ErrNone), errors.Is(err, query.ErrUnreachable), errors.Is(err, query.ErrNoGoal), errors.Is(err, errNoGoalYet), errors.Is(err, query.ErrNoDistances),
		query.IsDropped(err):
		code = http.StatusNotFound
	case errors.Is(err, ErrBusy), errors.Is(err, ErrRefused):
		code = http.StatusConflict
	case r.Context().Err() != nil:
		return // the caller is gone
	default:
		s.log.Warn("a request failed", "path", r.URL.Path, "error", err)
	}
	fail(w, code, p)
}
