// Package deploy contains the files that operators deploy. They are the Dockerfile, the proxy and
// overlays of docker-compose.yml, a kustomize base for Kubernetes, Prometheus rules and a Grafana
// dashboard. Its tests and the module deploy/check validate these files. Package deploy/capacity
// implements the model in docs/capacity.md.
package deploy
