package history

import "encoding/hex"

// Identity distinguishes a run from every other, whatever their names and boards. It
// is random, made once by whoever begins the run's first session, and not part of the
// answer: no result depends on it. Runs of versions without identities have the zero
// Identity.
type Identity [16]byte

// Known reports whether the run has an identity.
func (id Identity) Known() bool { return id != Identity{} }

// String returns the identity in hexadecimal, as people and file names use it, or
// "none".
func (id Identity) String() string {
	if !id.Known() {
		return "none"
	}
	return hex.EncodeToString(id[:])
}

// Writer returns the name that a writer uses in object names of the run, so that no
// two runs share an object name, even if one takes the other's place in a bucket.
func (id Identity) Writer(name string) string {
	if !id.Known() {
		return name
	}
	return name + "-" + hex.EncodeToString(id[:4])
}

// Identity returns the identity of the run, zero if it has none.
func (h *History) Identity() Identity { return h.identity }

// AddIdentity sets the identity of the run. It reports whether it could: a run never
// changes its identity.
func (h *History) AddIdentity(id Identity) bool {
	if !id.Known() || h.identity.Known() && h.identity != id {
		return false
	}
	h.identity = id
	return true
}
