// Package k8s holds the tests of deploy/kubernetes, in a separate module, so that
// nothing else depends on the dependencies of Kubernetes. Each base and overlay is
// built by kustomize's own code, decoded strictly into the types of the Kubernetes
// API, and checked against the rules that a cluster should follow. The tests need no
// cluster and contact none.
//
//	cd tools/k8s && go test ./...
package k8s
