package cmd

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/urfave/cli/v3"

	"slipstick/tools/catalog"
)

// TestDeployedSettings: every setting in the files for operators is one that the program reads.
func TestDeployedSettings(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"SLIPSTICK_PORT": true, "SLIPSTICK_TAG": true, "SLIPSTICK_DOMAIN": true, "SLIPSTICK_LOAD_BALANCERS": true} // of the compose files themselves
	var collect func(*cli.Command)
	collect = func(c *cli.Command) {
		for _, f := range c.Flags {
			if f, ok := f.(cli.DocGenerationFlag); ok {
				for _, name := range f.GetEnvVars() {
					known[name] = true
				}
			}
		}
		for _, sub := range c.Commands {
			collect(sub)
		}
	}
	collect(newCommand(all, nil, io.Discard, io.Discard))
	setting := regexp.MustCompile(`\bSLIPSTICK_[A-Z_]+[A-Z]\b`)
	for _, file := range []string{
		"docker-compose.yml", "deploy/compose/env.example", "deploy/compose/tls.yml", "deploy/Dockerfile", "deploy/k8s/api.yaml", "deploy/k8s/worker.yaml", "deploy/k8s/config.yaml",
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
