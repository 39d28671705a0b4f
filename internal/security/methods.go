package security

import (
	"slices"
	"strings"

	"google.golang.org/grpc/metadata"
)

// access defines who may call a method.
type access struct {
	// roles that may call. None means any role.
	roles []Role
	// open means everyone may call, without credentials.
	open bool
	// change marks calls that change something, and so are logged.
	change bool
}

var (
	readers = access{roles: []Role{Viewer, Operator}}
	records = access{roles: []Role{Viewer, Operator, Worker, Coordinator}}
	workers = access{roles: []Role{Worker}}
	control = access{roles: []Role{Operator}, change: true}
)

// methods holds every method that a server of the cluster registers, by full name.
var methods = map[string]access{
	"/everystate.v1.RunService/SubmitRun":    control,
	"/everystate.v1.RunService/UploadModule": control,
	"/everystate.v1.RunService/ControlRun":   control,
	"/everystate.v1.RunService/ListRuns":     readers,
	"/everystate.v1.RunService/GetRun":       readers,
	"/everystate.v1.RunService/GetJournal":   readers,

	"/everystate.v1.RecordService/FindRecord": records,
	"/everystate.v1.RecordService/ReadLayer":  records,
	"/everystate.v1.RecordService/FindDepths": records,

	"/everystate.v1.ProofService/ProveRun":          readers,
	"/everystate.v1.ProofService/ProveShare":        {roles: []Role{Coordinator}},
	"/everystate.v1.ProofService/CompareSuccessors": workers,

	"/everystate.v1.SessionService/Synchronize": workers,
	"/everystate.v1.SessionService/FetchModule": workers,
	"/everystate.v1.SweepService/TakeUnit":      workers,
	"/everystate.v1.SweepService/CommitUnit":    workers,
	"/everystate.v1.ExchangeService/Send":       workers,

	"/grpc.health.v1.Health/Check": {open: true},
	"/grpc.health.v1.Health/List":  {open: true},
	"/grpc.health.v1.Health/Watch": {open: true},

	"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo":      {},
	"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": {},
}

// roleHeader tells a caller its role with every response that is not a stream.
const roleHeader = "everystate-role"

// MayControl reports whether the header of a response means that the caller may
// submit and control runs. A server that does not authenticate allows everyone.
func MayControl(header metadata.MD) bool {
	told := header.Get(roleHeader)
	return len(told) == 0 || control.allows(parseRole(told[0]))
}

func (a access) allows(r Role) bool {
	return a.open || r != 0 && (len(a.roles) == 0 || slices.Contains(a.roles, r))
}

// who names those who may call, for a denial.
func (a access) who() string {
	names := make([]string, len(a.roles))
	for i, r := range a.roles {
		names[i] = r.String() + "s"
	}
	return strings.Join(names, " and ")
}

// shortName returns the name of a method without its service.
func shortName(method string) string { return method[strings.LastIndexByte(method, '/')+1:] }
