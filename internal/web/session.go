package web

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Limits of sessions.
const (
	sessionsMax   = 1024
	sessionTime   = 12 * time.Hour // since its last use
	tokenBytesMax = 4096
	guessersMax   = 1024
	guessDelayMax = 5 * time.Second
)

const (
	loginPath  = "/api/login"
	logoutPath = "/api/logout"
)

// sessions holds the callers who have entered a token on the page. A browser gets a
// random name for its token, and the token stays here until the session is ended, has
// not been used for sessionTime, or the server ends.
type sessions struct {
	mu sync.Mutex // guards the fields below
	of map[string]*session

	// guesses counts the wrong tokens of each host since the last right one.
	guesses map[string]int
}

type session struct {
	token string
	used  time.Time
}

func (s *sessions) init() {
	s.of = make(map[string]*session)
	s.guesses = make(map[string]int)
}

// begin returns the name of a new session.
func (s *sessions) begin(token string, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := ""
	for name, one := range s.of {
		if now.Sub(one.used) > sessionTime {
			delete(s.of, name)
		} else if oldest == "" || one.used.Before(s.of[oldest].used) {
			oldest = name
		}
	}
	if len(s.of) >= sessionsMax {
		delete(s.of, oldest)
	}
	name := rand.Text()
	s.of[name] = &session{token, now}
	return name
}

// token returns the token of a session, and false if there is no such session.
func (s *sessions) token(name string, now time.Time) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of[name]
	if one == nil || now.Sub(one.used) > sessionTime {
		delete(s.of, name)
		return "", false
	}
	one.used = now
	return one.token, true
}

func (s *sessions) end(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, name)
}

// wrong returns how long a host waits for the answer to a wrong token: not at all for
// the first, then twice as long each time.
func (s *sessions) wrong(host string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.guesses) >= guessersMax && s.guesses[host] == 0 {
		clear(s.guesses)
	}
	s.guesses[host]++
	const first, shiftMax = 125 * time.Millisecond, 6
	n := s.guesses[host] - 1
	if n == 0 {
		return 0
	}
	return min(guessDelayMax, first<<min(n, shiftMax))
}

func (s *sessions) right(host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.guesses, host)
}

// cookieName returns a name that depends on the port, as all ports of a host share
// cookies.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "default"
	}
	return "everystate-session-" + port
}

// errNoToken means that a caller has no session, or one that has ended.
var errNoToken = fmt.Errorf("%w: a token is needed", ErrDenied)

// source returns the caller's source.
func (s *Server) source(r *http.Request) (Source, error) {
	if s.opts.ForToken == nil {
		return s.opts.Source, nil
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		cookie, err := r.Cookie(cookieName(r))
		if err == nil {
			token, ok = s.sessions.token(cookie.Value, time.Now())
		}
		if !ok {
			return nil, errNoToken
		}
	}
	return s.opts.ForToken(token)
}

// login begins a session, whose name only requests of this page can send. Each wrong
// token is answered more slowly.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Token string `json:"token"`
	}
	if err := read(r, &body); err != nil {
		s.explain(w, r, err)
		return
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	err = s.checkToken(r.Context(), body.Token)
	if err != nil {
		select {
		case <-time.After(s.sessions.wrong(host)):
			s.explain(w, r, err)
		case <-r.Context().Done():
		}
		return
	}
	s.sessions.right(host)
	s.setCookie(w, r, s.sessions.begin(body.Token, time.Now()), 0)
	writeJSON(w, http.StatusOK, struct{}{})
}

// checkToken returns why a token is not accepted, or nil if it is.
func (s *Server) checkToken(ctx context.Context, token string) error {
	if s.opts.ForToken == nil || token == "" || len(token) > tokenBytesMax || strings.ContainsAny(token, " \t\r\n\";,\\") {
		return fmt.Errorf("%w: not a valid token", ErrDenied)
	}
	source, err := s.opts.ForToken(token)
	if err == nil {
		_, err = source.Runs(ctx)
	}
	return err
}

// logout ends a session.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		s.sessions.end(cookie.Value)
	}
	s.setCookie(w, r, "", -1)
	writeJSON(w, http.StatusOK, struct{}{})
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}
