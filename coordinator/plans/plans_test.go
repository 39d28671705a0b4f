package plans

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/sweep"
)

// units is a sweep of some units; those with greater numbers cost more.
type units int

func (units) Rules() string        { return "canonical" }
func (n units) Units() int         { return int(n) }
func (units) Cost(unit int) uint64 { return uint64(unit) }
func (units) Name(int) string      { return "" }
func (units) Worker() sweep.Worker { return nil }

func TestPlans(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	hold := make(chan struct{})
	p := New(func(rules string) (sweep.Enumeration, error) {
		opened.Add(1)
		if rules == "wrong" {
			return nil, errors.New("wrong rules")
		}
		if rules == "canonical" {
			<-hold
		}
		return units(3), nil
	})
	if _, err := p.Open("as typed"); err != nil {
		t.Fatal(err)
	}
	plan := p.Take("canonical", nil)
	if plan == nil {
		t.Fatal("what was opened is not kept by its canonical rules")
	}
	var done history.UnitSet
	done.Add(1)
	if left, err := plan.Left(3, done); err != nil || len(left) != 2 || left[0] != 2 || left[1] != 0 {
		t.Errorf("left %v, %v; want 2 and 0, the most costly first", left, err)
	}
	if _, err := plan.Left(4, done); err == nil {
		t.Error("a sweep with another number of units is taken for the same")
	}

	ready := make(chan struct{}, 1)
	then := func() { ready <- struct{}{} }
	for range 3 { // it is planned once
		if p.Take("canonical", then) != nil {
			t.Fatal("a plan was taken twice")
		}
	}
	close(hold)
	<-ready
	if p.Take("canonical", then) == nil || opened.Load() != 2 {
		t.Errorf("it is not there, or was planned %d times", opened.Load()-1)
	}

	p.Take("wrong", then)
	<-ready
	if plan := p.Take("wrong", then); plan == nil {
		t.Error("rules that cannot be planned are planned again and again")
	} else if _, err := plan.Left(3, done); err == nil {
		t.Error("there is no error")
	}
}
