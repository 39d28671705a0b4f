package playable

import (
	"math"

	"github.com/everystate/everystate/internal/query"
)

// Flags of a state.
const (
	flagGoal  = 1
	flagStart = 2
)

const noDistance = math.MaxUint16

// Columns holds depth, goal distance and flags of states as the page reads them: in a
// file and in the server's graph. Distance is math.MaxUint16 where no goal can be reached
// or the distance is unknown; greater depths and distances are cut off below it.
type Columns struct {
	Depth    []uint16
	Distance []uint16
	Flags    []byte
}

// Add adds the rows of a batch.
func (c *Columns) Add(b *query.Batch) {
	for i := range b.Len() {
		c.AddRow(b, i)
	}
}

// AddRow adds a row of a batch.
func (c *Columns) AddRow(b *query.Batch, i int) {
	var flags byte
	if b.Goals[i] {
		flags |= flagGoal
	}
	if b.Depths[i] == 0 {
		flags |= flagStart
	}
	d := uint16(noDistance)
	if b.GoalDistances[i] >= 0 {
		d = uint16(min(b.GoalDistances[i], noDistance-1))
	}
	c.Depth = append(c.Depth, uint16(min(b.Depths[i], noDistance-1)))
	c.Distance = append(c.Distance, d)
	c.Flags = append(c.Flags, flags)
}

// Append adds the rows of other columns.
func (c *Columns) Append(other *Columns) {
	c.Depth = append(c.Depth, other.Depth...)
	c.Distance = append(c.Distance, other.Distance...)
	c.Flags = append(c.Flags, other.Flags...)
}
