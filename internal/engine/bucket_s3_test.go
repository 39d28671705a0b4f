package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/test/s3test"
	"github.com/everystate/everystate/store/bucket"
)

// faultyBucket returns an S3 bucket whose requests go through f, which returns
// whether it has answered.
func faultyBucket(t *testing.T, f func(w http.ResponseWriter, r *http.Request) bool) *bucket.Bucket {
	t.Helper()
	u, _ := s3test.Start(t)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	bkt, err := url.Parse(u)
	check(t, err)
	q := bkt.Query()
	target, err := url.Parse(q.Get("endpoint"))
	check(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // it is signed
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	q.Set("endpoint", front.URL)
	bkt.RawQuery = q.Encode()
	return openedBucket(t, bkt.String())
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<Error><Code>" + code + "</Code><Message>no</Message></Error>"))
}

// A third of all requests fail, before or after they were carried out.
func TestBucketFlaky(t *testing.T) {
	var on atomic.Bool
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(9, 0))
	b := faultyBucket(t, func(w http.ResponseWriter, _ *http.Request) bool {
		mu.Lock()
		fails := on.Load() && rng.IntN(6) == 0
		mu.Unlock()
		if fails {
			refuse(w, http.StatusServiceUnavailable, "SlowDown")
		}
		return fails
	})
	on.Store(true)
	p := &toy{size: 60, steps: []uint64{1, 59}, words: 1, wrap: true, reversible: true, goal: func(v uint64) bool { return v == 7 }}
	slow := slowly(p, true)
	run := b.Run("toy")
	h, err := exploreOn(t.Context(), filepath.Join(t.TempDir(), "a"), p.board(), keptOptions(run), everything(p))
	check(t, err)
	checkHistory(t, h, &slow)
	on.Store(false)
	h, err = exploreOn(t.Context(), filepath.Join(t.TempDir(), "b"), p.board(), keptOptions(run), everything(p))
	check(t, err)
	checkHistory(t, h, &slow)
}

// A bucket that is away holds the run, which says so, and goes on when it is
// back; Ctrl-C ends the waiting. One that refuses it for good stops it.
func TestBucketAway(t *testing.T) {
	var away, denied atomic.Bool
	b := faultyBucket(t, func(w http.ResponseWriter, _ *http.Request) bool {
		switch {
		case denied.Load():
			refuse(w, http.StatusForbidden, "AccessDenied")
		case away.Load():
			refuse(w, http.StatusServiceUnavailable, "SlowDown")
		default:
			return false
		}
		return true
	})
	p := &toy{size: 1000, steps: []uint64{1, 999}, words: 1, wrap: true, reversible: true, goal: func(v uint64) bool {
		if v == 30 {
			away.Store(true)
		}
		return v == 7
	}}
	run := b.Run("toy")
	dir := filepath.Join(t.TempDir(), "a")
	opts := keptOptions(run)
	told := make(chan string, 10)
	opts.BucketTrouble = func(text string) { told <- text }
	r, err := Create(dir, p.board(), opts)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := r.Explore(ctx, history.Want{})
		done <- err
	}()
	if text := <-told; !strings.HasPrefix(text, "waiting for the bucket: s3://") || !strings.Contains(text, "(503)") {
		t.Errorf("it says %q", text)
	}
	if got := r.Progress(); got.Bucket == nil || !got.Bucket.Waiting || got.Bucket.Layers > core.LagLayersMax+2 || got.Bucket.Trouble == "" || len(got.Layers) > 200 {
		t.Errorf("progress %+v, bucket %+v", got, got.Bucket)
	}
	cancel()
	began := time.Now()
	if err := <-done; !errors.Is(err, context.Canceled) || time.Since(began) > stopGrace+2*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	layers := len(r.History().Layers(history.Forward))
	check(t, r.Close())

	// It is back.
	away.Store(false)
	p.goal = func(v uint64) bool { return v == 7 }
	slow := slowly(p, false)
	r, err = Create(dir, p.board(), opts)
	check(t, err)
	if got := len(r.History().Layers(history.Forward)); got != layers {
		t.Errorf("%d layers are left of %d", got, layers)
	}
	go func() {
		_, err := r.Explore(t.Context(), history.Want{MaxDepth: new(300)})
		done <- err
	}()
	check(t, <-done)
	check(t, r.Close())

	denied.Store(true)
	_, err = exploreOn(t.Context(), dir, p.board(), opts, history.Want{})
	if err == nil || !strings.Contains(err.Error(), "AccessDenied") || strings.Contains(err.Error(), "\n") {
		t.Errorf("it says %v", err)
	}
	denied.Store(false)
	was := p.goal
	p.goal = func(v uint64) bool {
		if v == 400 {
			denied.Store(true)
		}
		return was(v)
	}
	_, err = exploreOn(t.Context(), dir, p.board(), opts, history.Want{})
	var refused *BucketError
	if !errors.As(err, &refused) || strings.Contains(err.Error(), "\n") {
		t.Errorf("it says %v", err)
	}
	t.Log(err)
	denied.Store(false)
	p.goal = was
	h, err := exploreOn(t.Context(), dir, p.board(), opts, history.Want{})
	check(t, err)
	checkHistory(t, h, &slow)
	checkLog(t, run, &slow)
}
