// Package check reads the files that operators deploy with the libraries of the tools that will
// read them. It is a module of its own because those libraries are large.
package check

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// root is the repository, two folders up.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func compose(t *testing.T, env ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root(t), "docker-compose.yml")}, cli.WithEnv(env), cli.WithConsistency(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// TestCompose: the file loads with nothing set, every service is bounded and watched, and only
// the proxy is reached from outside.
func TestCompose(t *testing.T) {
	project := compose(t)
	if got, want := project.ServiceNames(), []string{"api", "postgres", "proxy", "redis", "worker"}; !slices.Equal(got, want) {
		t.Fatalf("services %v, want %v", got, want)
	}
	for name, s := range project.Services {
		if s.HealthCheck == nil || len(s.HealthCheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		if s.Deploy == nil || s.Deploy.Resources.Limits == nil || s.Deploy.Resources.Limits.MemoryBytes == 0 {
			t.Errorf("%s has no memory limit", name)
		}
		if len(s.Ports) > 0 != (name == "proxy") {
			t.Errorf("%s publishes %v", name, s.Ports)
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s mounts what is not there: %v", name, err)
				}
			}
		}
	}
	for _, name := range []string{"api", "worker"} {
		if s := project.Services[name]; s.Scale == nil && (s.Deploy.Replicas == nil || *s.Deploy.Replicas < 2) || s.ContainerName != "" {
			t.Errorf("%s cannot be scaled", name)
		}
	}
	if redis := strings.Join(project.Services["redis"].Command, " "); !strings.Contains(redis, "--maxmemory-policy noeviction") || !strings.Contains(redis, "--appendonly yes") {
		t.Errorf("redis runs with %q", redis)
	}
	if _, err := os.Stat(project.Services["api"].Build.Dockerfile); err != nil {
		if _, err := os.Stat(filepath.Join(project.Services["api"].Build.Context, project.Services["api"].Build.Dockerfile)); err != nil {
			t.Error(err)
		}
	}
}

// TestComposeSecret: what an operator sets arrives where it is used.
func TestComposeSecret(t *testing.T) {
	project := compose(t, "POSTGRES_PASSWORD=xyz", "SLIPSTICK_JWT_SECRET=abc")
	api, db := project.Services["api"].Environment, project.Services["postgres"].Environment
	if got := *api["SLIPSTICK_DATABASE_URL"]; !strings.Contains(got, ":xyz@") {
		t.Errorf("the API's database is %s", got)
	}
	if *db["POSTGRES_PASSWORD"] != "xyz" || *api["SLIPSTICK_JWT_SECRET"] != "abc" {
		t.Error("a secret does not arrive")
	}
}

// TestManifests: the base builds, and what belongs together finds itself by name and label.
func TestManifests(t *testing.T) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(root(t), "deploy/k8s"))
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]map[string]any{} // by kind and name
	for _, r := range built.Resources() {
		m, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		has[r.GetKind()+" "+r.GetName()] = m
		if r.GetKind() != "Namespace" && r.GetNamespace() != "slipstick" && !resid.NewGvk(r.GetGvk().Group, r.GetGvk().Version, r.GetKind()).IsClusterScoped() {
			t.Errorf("%s %s is in namespace %q", r.GetKind(), r.GetName(), r.GetNamespace())
		}
	}
	for _, want := range []string{
		"Deployment api", "Deployment worker", "Service slipstick", "HorizontalPodAutoscaler api", "ScaledObject worker",
		"PodDisruptionBudget api", "PodDisruptionBudget worker", "NetworkPolicy api", "NetworkPolicy worker", "ConfigMap slipstick", "ServiceAccount slipstick",
	} {
		if has[want] == nil {
			t.Errorf("there is no %s", want)
		}
	}
	for _, name := range []string{"api", "worker"} {
		pod := at(has["Deployment "+name], "spec", "template").(map[string]any)
		labels := at(pod, "metadata", "labels").(map[string]any)
		for _, selector := range []any{
			at(has["Deployment "+name], "spec", "selector", "matchLabels"), at(has["PodDisruptionBudget "+name], "spec", "selector", "matchLabels"),
			at(has["NetworkPolicy "+name], "spec", "podSelector", "matchLabels"),
		} {
			for k, v := range selector.(map[string]any) {
				if labels[k] != v {
					t.Errorf("%s: a selector wants %s=%v, the pods have %v", name, k, v, labels[k])
				}
			}
		}
		c := at(pod, "spec", "containers").([]any)[0].(map[string]any)
		for _, path := range [][]string{{"resources", "requests", "cpu"}, {"resources", "limits", "memory"}, {"readinessProbe", "httpGet"}, {"livenessProbe", "httpGet"}} {
			if at(c, path...) == nil {
				t.Errorf("%s has no %v", name, path)
			}
		}
		if at(c, "securityContext", "readOnlyRootFilesystem") != true || at(pod, "spec", "securityContext", "runAsNonRoot") != true {
			t.Errorf("%s may do more than it needs", name)
		}
	}
	if got := at(has["HorizontalPodAutoscaler api"], "spec", "scaleTargetRef", "name"); got != "api" {
		t.Errorf("the HPA scales %v", got)
	}
}

// at follows names into nested maps; nil where there is none.
func at(v any, path ...string) any {
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}
