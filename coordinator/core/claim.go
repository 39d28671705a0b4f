package core

// Claim tracks how a coordinator takes over a run on which others may work too. A run
// whose log is in a bucket belongs to the coordinator whose session is the last one in
// that log. The zero value has done nothing yet.
type Claim struct {
	// Session reports whether the journal has this coordinator's session.
	Session bool

	lost int // how often another coordinator's session came first
}

// Prospect is what Claim.Next needs to know of a run.
type Prospect struct {
	// Gathered reports whether the workers that the run is to begin with are there.
	Gathered bool

	// Kept reports whether the run is kept in a bucket. Read reports that its log has
	// been compared with the journal, Behind that the log lacks entries of the journal,
	// and Stuck that it will not catch up, because a worker that has part of the next
	// layer is away.
	Kept, Read, Behind, Stuck bool
}

// Move is the next step towards working on a run.
type Move uint8

const (
	// AwaitWorkers: wait for workers; those present at the beginning share the
	// partitions.
	AwaitWorkers Move = iota
	// AwaitLog: wait until the log has been read.
	AwaitLog
	// AwaitCopy: wait until the log has caught up with the journal.
	AwaitCopy
	// CutBack: drop the journal entries that the log does not have.
	CutBack
	// BeginSession: begin a session, then set Session.
	BeginSession
	// Work: the run is this coordinator's.
	Work
)

// Next returns the next move. Entries left from before go to the log first, then the
// session, since another coordinator's may turn out to be there.
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

// claimsMax bounds how often a coordinator tries to take a run over from one that keeps
// writing.
const claimsMax = 1000

// Lost notes that another coordinator has written an entry of the log in place of this
// one. It reports whether to claim the run again after that entry; a coordinator that is
// already at work stops instead.
func (c *Claim) Lost(atWork bool) (again bool) {
	if atWork || c.lost == claimsMax {
		return false
	}
	c.lost++
	c.Session = false
	return true
}
