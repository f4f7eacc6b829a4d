// Package deploy holds what an operator needs to run the service on real machines: the
// container's Dockerfile, the proxy and overlays of docker-compose.yml, a kustomize base for
// Kubernetes, Prometheus rules and a Grafana dashboard. It has no code; its tests, and the module in
// deploy/check, keep the files true.
package deploy
