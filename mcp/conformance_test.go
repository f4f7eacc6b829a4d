package mcp_test

import (
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"slipstick/api"
	"slipstick/mcp"
	"slipstick/tools/catalog"
)

// TestConformance runs the conformance suite of the protocol for its three newest versions, with
// fixtures for the suite's tools, prompts and resources. All scenarios must pass.
func TestConformance(t *testing.T) {
	modules := os.Getenv("SLIPSTICK_MCP_CONFORMANCE")
	if modules == "" {
		t.Skip("SKIPPED: the npm package @modelcontextprotocol/conformance, with node@22, in a folder that SLIPSTICK_MCP_CONFORMANCE names, is not there; .ci/run installs it")
	}
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	agents, err := mcp.New(mcp.Options{Catalog: all, InProcess: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer agents.Close()
	mcp.AddConformanceFixtures(agents)
	service, err := api.New(api.Options{Catalog: all, MCP: agents, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, ln) }()
	defer func() {
		stop()
		<-ended
	}()
	bin := filepath.Join(modules, "node_modules", ".bin")
	for version, least := range map[string]int{"2026-07-28": 40, "2025-11-25": 33,
		"2025-06-18": 20} {
		t.Run(version, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "node"),
				filepath.Join(bin, "conformance"),
				"server", "--url", "http://"+ln.Addr().String()+"/mcp", "--suite", "all",
				"--spec-version", version)
			cmd.Dir = t.TempDir() // it writes reports
			out, err := cmd.CombinedOutput()
			scenarios := regexp.MustCompile(
				`(?m)^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed`).FindAllStringSubmatch(
				string(out), -1)
			for _, s := range scenarios {
				if failed, _ := strconv.Atoi(s[4]); s[1] != "✓" || failed > 0 {
					t.Errorf("%s", s[0])
				}
			}
			if len(scenarios) < least {
				t.Errorf("%d scenarios, at least %d are expected: %v", len(scenarios), least, err)
			}
			if t.Failed() {
				t.Logf("%s", out[max(0, len(out)-20_000):])
			} else {
				t.Logf("%d scenarios, %d checks", len(scenarios), strings.Count(string(out), "✓"))
			}
		})
	}
}
