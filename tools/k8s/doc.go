// Package k8s holds the tests of deploy/kubernetes, in a module of its own, so that
// nothing else depends on what Kubernetes depends on: each base and overlay is built
// by kustomize's own code, decoded strictly into the types of the Kubernetes API, and
// held to the rules that a cluster should have. No cluster is needed, and none asked.
//
//	cd tools/k8s && go test ./...
package k8s
