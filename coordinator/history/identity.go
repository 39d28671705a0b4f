package history

import "encoding/hex"

// Identity tells a run from every other, whatever they are called and explore. It is
// random, made once by whoever begins the run's first session, and no part of the
// answer: nothing that is counted depends on it. The zero Identity is that of runs of
// versions that had none.
type Identity [16]byte

// Known reports whether the run has an identity.
func (id Identity) Known() bool { return id != Identity{} }

// String returns the identity as people and file names have it, or "none".
func (id Identity) String() string {
	if !id.Known() {
		return "none"
	}
	return hex.EncodeToString(id[:])
}

// Writer returns the name under which who writes objects of the run does so: no two
// runs have an object name in common, even if one had the other's place in a bucket.
func (id Identity) Writer(name string) string {
	if !id.Known() {
		return name
	}
	return name + "-" + hex.EncodeToString(id[:4])
}

// Identity returns what tells the run from every other.
func (h *History) Identity() Identity { return h.identity }

// AddIdentity notes what tells the run from every other. It reports whether it can be
// that: a run never changes its identity.
func (h *History) AddIdentity(id Identity) bool {
	if !id.Known() || h.identity.Known() && h.identity != id {
		return false
	}
	h.identity = id
	return true
}
