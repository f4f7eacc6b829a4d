package rf

import (
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/tools/tooltest"
)

// simulated returns the result of a request.
func simulated(t *testing.T, body string) (out struct {
	CSV, Binary *string
	Vectors     map[string][]float64
	RoundingPct *float64 `json:"rounding_pct"`
	Warnings    []string
}) {
	t.Helper()
	raw, err := SpiceSimulate.Run(context.Background(), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// lowPass returns a request that simulates an RC low-pass filter with a sine of 1 kHz for 5 ms. The
// members in more are added to it.
func lowPass(more string) string {
	text := strings.TrimSuffix(
		deck("V1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 100n\n.tran 1u 5m"), "}")
	return text + more + "}"
}

// windowed returns the request of a netlist with the members in more, such as "from" and "to".
func windowed(lines, more string) string {
	return strings.TrimSuffix(deck(lines), "}") + "," + more + "}"
}

// TestSelectedVectors verifies the selection of vectors, of a window and of a number of points.
func TestSelectedVectors(t *testing.T) {
	full := simulated(t, lowPass(""))
	if len(full.Vectors) != 4 || full.RoundingPct == nil || *full.RoundingPct != 1e-5 {
		t.Fatalf("%d vectors, %v", len(full.Vectors), full.RoundingPct)
	}
	t.Run("one vector", func(t *testing.T) {
		one := simulated(t, lowPass(`,"vectors":["v(out)"],"points_max":50`))
		if len(one.Vectors) != 2 || len(one.Vectors["time"]) > 50 ||
			len(one.Vectors["v(out)"]) < 20 {
			t.Errorf("%d vectors of %d points", len(one.Vectors), len(one.Vectors["time"]))
		}
	})
	t.Run("window", func(t *testing.T) {
		window := simulated(t, lowPass(`,"from":1e-3,"to":1.5e-3`))
		time := window.Vectors["time"]
		if n := len(time); n < 10 || time[0] > 1e-3 || time[1] <= 1e-3 || time[n-1] < 1.5e-3 ||
			time[n-2] >= 1.5e-3+1e-12 {
			t.Errorf("the window has %d points from %v to %v", n, time[:2], time[n-2:])
		}
		first := slices.Index(full.Vectors["time"], time[1])
		if first < 0 {
			t.Fatalf("the time %g is not in the whole result", time[1])
		}
		for name, values := range window.Vectors {
			all := full.Vectors[name]
			// Both results are rounded to 1e-5 % of their peak-to-peak values.
			tolerance := 1e-7 * (slices.Max(all) - slices.Min(all))
			if name == "time" {
				tolerance = 0
			}
			for k := range 5 {
				want := all[first+k]
				if got := values[1+k]; math.Abs(got-want) > tolerance {
					t.Errorf("%s, point %d: %g, want %g", name, k, got, want)
				}
			}
		}
	})
	t.Run("points of a window", func(t *testing.T) {
		// With a window, points_max limits only the points inside the window. Decimation over the
		// whole range is therefore coarser.
		fine := simulated(t, lowPass(`,"from":1e-3,"to":1.1e-3,"points_max":30`))
		coarse := simulated(t, lowPass(`,"points_max":30`))
		inside := 0
		for _, at := range coarse.Vectors["time"] {
			if at >= 1e-3 && at <= 1.1e-3 {
				inside++
			}
		}
		if n := len(fine.Vectors["time"]); n <= 2*inside || n > 30 {
			t.Errorf("%d points in the window, %d of all", n, inside)
		}
	})
	t.Run("open window", func(t *testing.T) {
		half := simulated(t, lowPass(`,"from":4.999e-3`))
		if at := half.Vectors["time"]; at[len(at)-1] != 5e-3 || at[0] > 4.999e-3 {
			t.Errorf("times %v", at)
		}
	})
	t.Run("frequencies", func(t *testing.T) {
		ac := simulated(t, windowed("V1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n"+
			".ac dec 10 1 1meg", `"from":100,"to":1000`))
		if f := ac.Vectors["frequency"]; len(f) < 11 || len(f) > 13 || f[0] > 100 ||
			f[len(f)-1] < 1000 {
			t.Errorf("frequencies %v", f)
		}
	})
	for _, c := range []struct {
		name, netlist string
		want          []float64
	}{
		{"nested sweep", "V1 a 0 0\nV2 b 0 0\nR1 a b 1k\n.dc V1 0 10 1 V2 0 1 1",
			[]float64{3, 4, 5, 6, 3, 4, 5, 6}},
		{"falling sweep", "V1 a 0 0\nR1 a 0 1k\n.dc V1 10 0 -1", []float64{6, 5, 4, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dc := simulated(t, windowed(c.netlist, `"from":4,"to":5`))
			if !slices.Equal(dc.Vectors["sweep"], c.want) {
				t.Errorf("sweep %v, want %v", dc.Vectors["sweep"], c.want)
			}
		})
	}
	t.Run("operating point", func(t *testing.T) {
		op := simulated(t, windowed("V1 a 0 1\nR1 a 0 1k\n.op", `"from":4`))
		if len(op.Warnings) != 1 || !strings.Contains(op.Warnings[0], "no sweep") {
			t.Errorf("warnings %v", op.Warnings)
		}
	})
}

// TestInvalidSelections verifies the errors of vectors, windows and numbers of points.
func TestInvalidSelections(t *testing.T) {
	tooltest.InvalidCases(t, SpiceSimulate, []tooltest.InvalidCase{
		{"a window that ends before it begins", lowPass(`,"from":2,"to":1`), []string{"to"},
			"above from"},
		{"an empty window", lowPass(`,"from":1,"to":1`), []string{"to"}, "above from"},
		{"a window after the end", lowPass(`,"from":1`), []string{"from"}, "from 0 to 0.005"},
		{"a window before the beginning", lowPass(`,"to":-1`), []string{"to"}, "from 0 to 0.005"},
		{"another format", lowPass(`,"format":"xml"`), []string{"format"}, "columns"},
		{"no vectors", lowPass(`,"vectors":[]`), []string{"vectors"}, "1"},
		{"one point", lowPass(`,"points_max":1`), []string{"points_max"}, "2"},
		{"too many points", lowPass(`,"points_max":200001`), []string{"points_max"}, "200000"},
		{"half a point", lowPass(`,"points_max":2.5`), []string{"points_max"}, "whole"},
		{"points twice", lowPass(`,"points_max":20,"options":{"points_max":30}`),
			[]string{"points_max"}, "options"},
		{"vectors twice", lowPass(`,"vectors":["v(in)"],"options":{"Vectors":["v(out)"]}`),
			[]string{"vectors"}, "options"},
	})
}

func TestCSV(t *testing.T) {
	want := simulated(t, lowPass("")).Vectors
	got := simulated(t, lowPass(`,"format":"csv"`))
	if got.CSV == nil || len(got.Vectors) != 0 {
		t.Fatalf("%d vectors beside", len(got.Vectors))
	}
	lines, err := csv.NewReader(strings.NewReader(*got.CSV)).ReadAll()
	if err != nil || lines[0][0] != "time" || len(lines[0]) != 4 ||
		len(lines) != len(want["time"])+1 {
		t.Fatalf("%v, %d lines of %v", err, len(lines), lines[0])
	}
	for i, name := range lines[0] {
		for k, line := range lines[1:] {
			if x, err := strconv.ParseFloat(line[i], 64); err != nil || x != want[name][k] {
				t.Fatalf("%s, point %d: %s instead of %g", name, k, line[i], want[name][k])
			}
		}
	}
}

// reader returns the example program of docs/results.md in a programming language.
func reader(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```"+language+"\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatalf("no code in %s", language)
	}
	return code
}

// TestBinaryReaders verifies that the programs in docs/results.md decode the binary format to the
// same vectors.
func TestBinaryReaders(t *testing.T) {
	want := simulated(t, lowPass("")).Vectors
	got := simulated(t, lowPass(`,"format":"binary"`))
	if got.Binary == nil || len(got.Vectors) != 0 {
		t.Fatalf("%d vectors beside", len(got.Vectors))
	}
	data, err := base64.StdEncoding.DecodeString(*got.Binary)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(want["time"]); len(data) > n*(8+4+4+4)+600 {
		t.Errorf("%d bytes for %d points of four vectors", len(data), n)
	}
	file := filepath.Join(t.TempDir(), "columns")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ language, program, flag, show string }{
		{"python", "python3", "-c", "\nprint(json.dumps({k: list(v) for k, v in read(open(sys.argv[1], 'rb').read()).items()}))"},
		{"javascript", "node", "-e", "\nconst b = require('fs').readFileSync(process.argv[1]);\n" +
			"const all = read(b.buffer.slice(b.byteOffset, b.byteOffset + b.length));\n" +
			"console.log(JSON.stringify(Object.fromEntries(Object.entries(all).map(([k, v]) => [k, Array.from(v)]))));"},
	} {
		t.Run(c.language, func(t *testing.T) {
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("SKIPPED: %s is not installed", c.program)
			}
			cmd := exec.CommandContext(t.Context(), program, c.flag, reader(t, c.language)+c.show,
				file)
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var read map[string][]float64
			if err := json.Unmarshal(text, &read); err != nil {
				t.Fatal(err)
			}
			if len(read) != len(want) {
				t.Errorf("%d vectors instead of %d", len(read), len(want))
			}
			for name, values := range want {
				span := slices.Max(values) - slices.Min(values)
				if name == "time" {
					span = 0
				}
				for k, x := range values {
					if len(read[name]) != len(values) || math.Abs(read[name][k]-x) > 1e-7*span {
						t.Fatalf("%s, point %d of %d: not %g", name, k, len(read[name]), x)
					}
				}
			}
		})
	}
}
