package security

import "context"

// Identity is who makes a call, once that is certain.
type Identity struct {
	// Name is the common name of the certificate; of a token it is "token" and
	// digits that tell it from others and do not give it away.
	Name string
	Role Role
}

func (id Identity) String() string { return id.Name + " (" + id.Role.String() + ")" }

type identityKey struct{}

// IdentityOf returns who makes the call that a context belongs to. There is none
// where nobody is asked, and in calls that are open to everybody.
func IdentityOf(ctx context.Context) (Identity, bool) {
	id, ok := ctx.Value(identityKey{}).(Identity)
	return id, ok
}
