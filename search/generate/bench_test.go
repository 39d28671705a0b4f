package generate

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestMinute(t *testing.T) {
	sec, _ := strconv.Atoi(os.Getenv("SECONDS_"))
	if sec == 0 {
		t.Skip()
	}
	geti := func(k string) int { n, _ := strconv.Atoi(os.Getenv(k)); return n }
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(sec)*time.Second)
	defer cancel()
	var p Progress
	o := Options{Seed: uint64(geti("SEED")), Method: Method(geti("METHOD")), Progress: &p, Restart: int64(geti("RESTART")), Workers: 1}
	o.ExitRow = -1
	o.Evaluations = int64(geti("EVALS"))
	o.WallsMax = geti("WALLS")
	o.StatesMax = geti("STATES")
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("evals %d toolarge %d states %d restarts %d", p.Evaluations.Load(), p.TooLarge.Load(), p.States.Load(), p.Restarts.Load())
	for _, f := range r {
		t.Logf("%d %s %d restart %d minimal %v", f.Distance, f.Cells, f.States, f.Restart, f.Minimal)
	}
}
