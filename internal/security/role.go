package security

import (
	"crypto/x509"
	"slices"
)

// Role is a caller's role in the cluster. Zero means none.
type Role uint8

// The roles. An operator may do everything that a viewer may; workers and
// coordinators have separate permissions.
const (
	Viewer Role = 1 + iota
	Operator
	Worker
	Coordinator
)

// roleNames are the names in certificates and token files.
var roleNames = [...]string{Viewer: "viewer", Operator: "operator", Worker: "worker", Coordinator: "coordinator"}

func (r Role) String() string {
	if r == 0 || int(r) >= len(roleNames) {
		return "nobody"
	}
	return roleNames[r]
}

// parseRole returns zero for anything that is not a role.
func parseRole(text string) Role {
	if text == "" {
		return 0
	}
	return Role(max(0, slices.Index(roleNames[:], text)))
}

// roleOf returns the role of a certificate: the unit of its subject that names one,
// zero if none or several do.
func roleOf(cert *x509.Certificate) Role {
	var found Role
	for _, unit := range cert.Subject.OrganizationalUnit {
		r := parseRole(unit)
		if r != 0 && found != 0 && r != found {
			return 0
		}
		found = max(found, r)
	}
	return found
}
