package core

// Claim is how a coordinator takes a run up, on which others may work too: a run whose
// log is in a bucket is the coordinator's whose session is the last one there. The zero
// value has done nothing for it yet.
type Claim struct {
	// Session says that the session has been begun in the journal.
	Session bool

	lost int // sessions that another one came before, since it was tried first
}

// Prospect is what matters for taking a run up.
type Prospect struct {
	// Gathered says that there are the workers that the run is to begin with.
	Gathered bool

	// Kept says that the run is kept in a bucket. Read says that its log has been
	// compared with the journal, Behind that it lacks some of the journal, and Stuck
	// that it will not get on, because a worker is away that has some of the next layer.
	Kept, Read, Behind, Stuck bool
}

// Move is what brings a coordinator nearer to a run.
type Move uint8

const (
	// AwaitWorkers: those who come together share the partitions from the beginning.
	AwaitWorkers Move = iota
	// AwaitLog: the log is being read.
	AwaitLog
	// AwaitCopy: the log is being brought up with the journal.
	AwaitCopy
	// CutBack: the journal is to forget what the log does not have.
	CutBack
	// BeginSession: a session is to be begun, after which Session is set.
	BeginSession
	// Work: the run is this coordinator's.
	Work
)

// Next returns the next move. What is left from before goes to the log first, and then
// the session, which may turn out to be another's there.
func (c *Claim) Next(p Prospect) Move {
	switch {
	case !p.Gathered:
		return AwaitWorkers
	case p.Kept && !p.Read:
		return AwaitLog
	case p.Kept && p.Behind && !c.Session && p.Stuck:
		return CutBack
	case p.Kept && p.Behind:
		return AwaitCopy
	case !c.Session:
		return BeginSession
	}
	return Work
}

// claimsMax bounds how often a run is tried to be taken over from a coordinator that
// goes on writing.
const claimsMax = 1000

// Lost notes that somebody else has written an entry of the log in place of this
// coordinator. It reports whether the run is to be claimed again behind it: who is at
// work stops.
func (c *Claim) Lost(atWork bool) (again bool) {
	if atWork || c.lost == claimsMax {
		return false
	}
	c.lost++
	c.Session = false
	return true
}
