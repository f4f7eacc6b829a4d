package spice

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/cpu"
)

// probeEnv is the environment variable that makes TestEngineProbe print.
const probeEnv = "SLIPSTICK_ENGINE_PROBE"

// engineResults returns a hash of the simulation results of a ring oscillator, a converter and a
// linear filter.
func engineResults(t *testing.T) string {
	h := sha256.New()
	for _, name := range []string{"ring07", "s_buck", "butter5"} {
		text, err := os.ReadFile("testdata/compare/" + name + ".cir")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Simulate(context.Background(), Request{Netlist: string(text)})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Vectors {
			if err := binary.Write(h, binary.LittleEndian, v.Values); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestEngineProbe prints the engine and the hash of the results for TestEngine.
func TestEngineProbe(t *testing.T) {
	if os.Getenv(probeEnv) == "" {
		t.Skip("runs as a process of TestEngine")
	}
	fmt.Printf("engine %s results %s\n", Engine(), engineResults(t))
}

// TestEngine compares this build with a build for another GOAMD64 level. From level v3 on, the
// compiler fuses multiplications and additions. The other build must have a different engine name,
// because its results differ. A second process of this build must have the same name and results.
// The first run builds the standard library for the other level, which takes at least one minute.
func TestEngine(t *testing.T) {
	if os.Getenv("SLIPSTICK_ENGINES") == "" {
		t.Skip("builds for two microarchitectures, with SLIPSTICK_ENGINES=1 as in .ci/run")
	}
	if runtime.GOARCH != "amd64" || !cpu.X86.HasFMA || !cpu.X86.HasAVX2 || !cpu.X86.HasBMI2 {
		t.Skip("needs a processor of amd64 level v3")
	}
	probe := func(level, program string, args ...string) (engine, results string) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "GOAMD64="+level, probeEnv+"=1")
		out, err := cmd.CombinedOutput()
		m := regexp.MustCompile(`engine (\S+) results (\S+)`).FindSubmatch(out)
		if err != nil || m == nil {
			t.Fatalf("GOAMD64=%s: %v\n%s", level, err, out)
		}
		return string(m[1]), string(m[2])
	}
	own, other := level(t), "v3"
	if own == "v3" || own == "v4" {
		other = "v1"
	}
	const probeTest = "TestEngineProbe$"
	engine, results := probe(own, os.Args[0], "-test.run", probeTest)
	if mine, same := Engine(), engineResults(t); engine != mine || results != same {
		t.Errorf("another process has engine %s and results %.8s, this one %s and %.8s",
			engine, results, mine, same)
	}
	engine2, results2 := probe(other, "go", "test", "-vet=off", "-count=1", "-v", "-run", probeTest,
		".")
	if results == results2 {
		t.Errorf("GOAMD64=%s and %s give the same results; the test needs other circuits", own,
			other)
	}
	if engine == engine2 {
		t.Errorf("GOAMD64=%s and %s have engine %s and different results", own, other, engine)
	}
}

// level returns the GOAMD64 level of this build.
func level(t *testing.T) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build information")
	}
	for _, s := range info.Settings {
		if s.Key == "GOAMD64" {
			return s.Value
		}
	}
	return "v1"
}
