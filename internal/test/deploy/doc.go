// Package deploy holds the tests of what is in the directory deploy: that dashboards
// and alerts ask only for metrics that the programs have, that services are confined,
// that containers run as nobody in particular, and that everything they are started
// with exists. Kubernetes has tests of its own, in tools/k8s.
package deploy
