package security

import "context"

// Identity is an authenticated caller.
type Identity struct {
	// Name is the common name of the certificate; for a token it is "token" and
	// digits that distinguish it without revealing it.
	Name string
	Role Role
}

func (id Identity) String() string { return id.Name + " (" + id.Role.String() + ")" }

type identityKey struct{}

// IdentityOf returns the caller of the call that a context belongs to. There is none
// if the server does not authenticate, and in calls open to everyone.
func IdentityOf(ctx context.Context) (Identity, bool) {
	id, ok := ctx.Value(identityKey{}).(Identity)
	return id, ok
}
