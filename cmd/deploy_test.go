package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDeployedSettings verifies that the program reads every setting in the deployment files and in
// the documentation for operators.
func TestDeployedSettings(t *testing.T) {
	known := map[string]bool{}
	for _, name := range composeVariables() {
		known[variablePrefix+name] = true
	}
	for _, s := range new(Config).settings() {
		known[s.variable()] = true
	}
	setting := regexp.MustCompile(`\bSLIPSTICK_[A-Z_]+[A-Z]\b`)
	for _, file := range []string{
		"docker-compose.yml", "deploy/compose/env.example", "deploy/compose/tls.yml",
		"deploy/Dockerfile", "deploy/k8s/api.yaml", "deploy/k8s/worker.yaml",
		"deploy/k8s/config.yaml",
		"docs/operations.md", "docs/keys.md", "README.md",
	} {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		found := setting.FindAllString(string(text), -1)
		for _, name := range found {
			if !known[name] {
				t.Errorf("%s sets %s, which nothing reads", file, name)
			}
		}
		if len(found) == 0 && file != "deploy/Dockerfile" {
			t.Errorf("%s sets nothing", file)
		}
	}
}
