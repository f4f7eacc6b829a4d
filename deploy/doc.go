// Package deploy holds the files that operators deploy: the container's Dockerfile, the proxy and
// overlays of docker-compose.yml, a kustomize base for Kubernetes, Prometheus rules and a Grafana
// dashboard. Its tests and the module deploy/check check the files. Package deploy/capacity is the
// model behind docs/capacity.md.
package deploy
