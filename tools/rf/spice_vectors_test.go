package rf

import (
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/spice"
	"slipstick/tools/tooltest"
)

// digits returns the number of significant digits of a number as JSON has it.
func digits(x float64) int {
	text, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', -1, 64), "e")
	return len(strings.ReplaceAll(text, ".", ""))
}

// TestRoundVectors checks the bounds that docs/results.md promises, over 24 decades.
func TestRoundVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for exponent := -21; exponent <= 21; exponent++ {
		scale := math.Pow(10, float64(exponent)) * (1 + random.Float64())
		for _, offset := range []float64{0, 1, -30, 1e4, 1e9} {
			n := 500
			time, curve := make([]float64, n), make([]float64, n)
			at := 0.0
			for k := range n {
				at += scale * math.Pow(10, -6*random.Float64()) // steps of six decades
				time[k], curve[k] = at, scale*(offset+random.Float64())
			}
			curve[0], curve[1] = scale*offset, scale*(offset+1)
			wasTime, was := slices.Clone(time), slices.Clone(curve)
			roundVectors("tran", []spice.Vector{{Name: "time", Values: time}, {Name: "v(a)", Values: curve}})
			allowed := max(1e-7*scale, 1e-12*scale*(math.Abs(offset)+1)) * (1 + 1e-6)
			sum := 0
			for k := range n {
				if d := math.Abs(curve[k] - was[k]); d > allowed {
					t.Fatalf("1e%d, offset %g: %g became %g", exponent, offset, was[k], curve[k])
				}
				step := math.Inf(1)
				if k > 0 {
					step = wasTime[k] - wasTime[k-1]
				}
				if k+1 < n {
					step = min(step, wasTime[k+1]-wasTime[k])
				}
				if d := math.Abs(time[k] - wasTime[k]); d > 1e-7*step*(1+1e-6) {
					t.Fatalf("1e%d: time %g moved by %g of a step of %g", exponent, wasTime[k], d, step)
				}
				sum += digits(curve[k])
			}
			if most := 8 + max(0, math.Log10(math.Abs(offset)+1)); offset <= 1e4 && float64(sum)/float64(n) > most {
				t.Errorf("1e%d, offset %g: %.1f digits per value", exponent, offset, float64(sum)/float64(n))
			}
		}
	}
}

func TestRoundedAnalyses(t *testing.T) {
	spectrum := []spice.Vector{{Values: []float64{1, 10, 100}}, {Values: []float64{math.Pi, math.Pi * 1e-12, -math.E * 1e30}}}
	roundVectors("ac", spectrum)
	if want := []float64{3.14159265, 3.14159265e-12, -2.71828183e30}; !slices.Equal(spectrum[1].Values, want) {
		t.Errorf("%v instead of %v", spectrum[1].Values, want)
	}
	if want := []float64{1, 10, 100}; !slices.Equal(spectrum[0].Values, want) {
		t.Errorf("%v instead of %v", spectrum[0].Values, want)
	}
	point := []spice.Vector{{Values: []float64{math.Pi}}}
	roundVectors("op", point)
	if point[0].Values[0] != math.Pi {
		t.Errorf("an operating point became %v", point[0].Values[0])
	}
	sweep := []spice.Vector{{Values: []float64{0, 0.1, 0.2, 0.30000000000000004, 0, 0.1}}, {Values: make([]float64, 6)}}
	roundVectors("dc", sweep)
	if want := []float64{0, 0.1, 0.2, 0.3, 0, 0.1}; !slices.Equal(sweep[0].Values, want) {
		t.Errorf("%v instead of %v", sweep[0].Values, want)
	}
	still := []spice.Vector{{Values: []float64{0, 1, 2}}, {Values: []float64{12, 12 + 4e-15, 12 - 4e-15}}, {Values: []float64{0, 0, 0}}}
	roundVectors("tran", still)
	if want := []float64{12, 12, 12}; !slices.Equal(still[1].Values, want) {
		t.Errorf("a constant became %v", still[1].Values)
	}
}

// run returns the result of a request.
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

// lowPass returns the request of an RC low-pass with a sine of 1 kHz, 5 ms, with more inputs.
func lowPass(more string) string {
	text := strings.TrimSuffix(deck("V1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 100n\n.tran 1u 5m"), "}")
	return text + more + "}"
}

func TestSelectedVectors(t *testing.T) {
	full := simulated(t, lowPass(""))
	if len(full.Vectors) != 4 || full.RoundingPct == nil || *full.RoundingPct != 1e-5 {
		t.Fatalf("%d vectors, %v", len(full.Vectors), full.RoundingPct)
	}
	one := simulated(t, lowPass(`,"vectors":["v(out)"],"points_max":50`))
	if len(one.Vectors) != 2 || len(one.Vectors["time"]) > 50 || len(one.Vectors["v(out)"]) < 20 {
		t.Errorf("%d vectors of %d points", len(one.Vectors), len(one.Vectors["time"]))
	}
	cut := simulated(t, lowPass(`,"from":1e-3,"to":1.5e-3`))
	time := cut.Vectors["time"]
	if n := len(time); n < 10 || time[0] > 1e-3 || time[1] <= 1e-3 || time[n-1] < 1.5e-3 || time[n-2] >= 1.5e-3+1e-12 {
		t.Errorf("the window has %d points from %v to %v", n, time[:2], time[n-2:])
	}
	first := slices.Index(full.Vectors["time"], time[1])
	if first < 0 || !slices.Equal(full.Vectors["v(in)"][first:first+5], cut.Vectors["v(in)"][1:6]) &&
		math.Abs(full.Vectors["v(in)"][first]-cut.Vectors["v(in)"][1]) > 2e-7 {
		t.Errorf("the window has other values")
	}
	// In a window, points_max counts the points inside: the thinning of all is coarser.
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
	half := simulated(t, lowPass(`,"from":4.999e-3`))
	if at := half.Vectors["time"]; at[len(at)-1] != 5e-3 || at[0] > 4.999e-3 {
		t.Errorf("an open window: %v", at)
	}
	ac := simulated(t, strings.TrimSuffix(deck("V1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 10 1 1meg"), "}")+`,"from":100,"to":1000}`)
	if f := ac.Vectors["frequency"]; len(f) < 11 || len(f) > 13 || f[0] > 100 || f[len(f)-1] < 1000 {
		t.Errorf("frequencies %v", f)
	}
	nested := simulated(t, strings.TrimSuffix(deck("V1 a 0 0\nV2 b 0 0\nR1 a b 1k\n.dc V1 0 10 1 V2 0 1 1"), "}")+`,"from":4,"to":5}`)
	if want := []float64{3, 4, 5, 6, 3, 4, 5, 6}; !slices.Equal(nested.Vectors["sweep"], want) {
		t.Errorf("a nested sweep: %v", nested.Vectors["sweep"])
	}
	down := simulated(t, strings.TrimSuffix(deck("V1 a 0 0\nR1 a 0 1k\n.dc V1 10 0 -1"), "}")+`,"from":4,"to":5}`)
	if want := []float64{6, 5, 4, 3}; !slices.Equal(down.Vectors["sweep"], want) {
		t.Errorf("a falling sweep: %v", down.Vectors["sweep"])
	}
	op := simulated(t, strings.TrimSuffix(deck("V1 a 0 1\nR1 a 0 1k\n.op"), "}")+`,"from":4}`)
	if len(op.Warnings) != 1 || !strings.Contains(op.Warnings[0], "no sweep") {
		t.Errorf("a window of .op: %v", op.Warnings)
	}
	tooltest.InvalidCases(t, SpiceSimulate, []tooltest.InvalidCase{
		{"a window that ends before it begins", lowPass(`,"from":2,"to":1`), []string{"to"}, "above from"},
		{"an empty window", lowPass(`,"from":1,"to":1`), []string{"to"}, "above from"},
		{"a window after the end", lowPass(`,"from":1`), []string{"from"}, "from 0 to 0.005"},
		{"a window before the beginning", lowPass(`,"to":-1`), []string{"to"}, "from 0 to 0.005"},
		{"another format", lowPass(`,"format":"xml"`), []string{"format"}, "columns"},
		{"no vectors", lowPass(`,"vectors":[]`), []string{"vectors"}, "1"},
		{"one point", lowPass(`,"points_max":1`), []string{"points_max"}, "2"},
		{"too many points", lowPass(`,"points_max":200001`), []string{"points_max"}, "200000"},
		{"half a point", lowPass(`,"points_max":2.5`), []string{"points_max"}, "whole"},
		{"points twice", lowPass(`,"points_max":20,"options":{"points_max":30}`), []string{"points_max"}, "options"},
		{"vectors twice", lowPass(`,"vectors":["v(in)"],"options":{"Vectors":["v(out)"]}`), []string{"vectors"}, "options"},
	})
}

func TestCSV(t *testing.T) {
	want := simulated(t, lowPass("")).Vectors
	got := simulated(t, lowPass(`,"format":"csv"`))
	if got.CSV == nil || len(got.Vectors) != 0 {
		t.Fatalf("%d vectors beside", len(got.Vectors))
	}
	lines, err := csv.NewReader(strings.NewReader(*got.CSV)).ReadAll()
	if err != nil || lines[0][0] != "time" || len(lines[0]) != 4 || len(lines) != len(want["time"])+1 {
		t.Fatalf("%v, %d lines of %v", err, len(lines), lines[0])
	}
	for i, name := range lines[0] {
		for k, line := range lines[1:] {
			if x, err := strconv.ParseFloat(line[i], 64); err != nil || x != want[name][k] {
				t.Fatalf("%s, point %d: %s instead of %g", name, k, line[i], want[name][k])
			}
		}
	}
	quoted := csvOf([]spice.Vector{{Name: `v(a,"b")`, Values: []float64{1}}, {Name: "x", Values: []float64{-2.5e-9}}})
	if quoted != "\"v(a,\"\"b\"\")\",x\n1,-2.5e-09\n" {
		t.Errorf("%q", quoted)
	}
}

// reader returns the code of docs/results.md in a language.
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

// TestBinaryReaders reads the binary format with the programs of the documentation.
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
			cmd := exec.CommandContext(t.Context(), program, c.flag, reader(t, c.language)+c.show, file)
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

// TestBinaryColumns: a vector whose offset hides its swing stays float64, and columns of odd length
// begin at multiples of eight bytes.
func TestBinaryColumns(t *testing.T) {
	text, err := binaryOf("tran", []spice.Vector{
		{Name: "time", Unit: "s", Values: []float64{0, 1, 2}},
		{Name: "v(a)", Unit: "V", Values: []float64{-1, 0.5, 1}},
		{Name: "v(b)", Unit: "V", Values: []float64{12, 12.001, 12.002}},
		{Name: "v(c)", Unit: "V", Values: []float64{0, 1e-40, 2e-40}},
		{Name: "v(d)", Unit: "V", Values: []float64{0, 1e39, -1e39}},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data)%8 != 0 {
		t.Fatalf("%v, %d bytes", err, len(data))
	}
	for _, want := range []string{
		`"rows":3`, `"name":"v(a)","unit":"V","type":"float32","offset":24`, `"v(b)","unit":"V","type":"float64","offset":40`,
		`"v(c)","unit":"V","type":"float64"`, `"v(d)","unit":"V","type":"float64"`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %.400s", want, data)
		}
	}
}
