// The generators and other development tools of this project, run as
//
//	go tool -modfile=tools/dev/go.mod NAME
//
// Tools stay out of the root go.mod, so that whoever imports or builds
// Everystate does not inherit what they depend on. protoc-gen-go has the version
// of google.golang.org/protobuf in the root go.mod; raise the two together.
module github.com/everystate/everystate/tools/dev

go 1.26.8

tool (
	golang.org/x/perf/cmd/benchstat
	google.golang.org/grpc/cmd/protoc-gen-go-grpc
	google.golang.org/protobuf/cmd/protoc-gen-go
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	google.golang.org/grpc/cmd/protoc-gen-go-grpc v1.6.2 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
