package compare

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var tuning = flag.String("tuning", "", "vary the constants of analysis/tuning.go that match")

// tuningCircuits matches a few transients of every kind: linear, switched, autonomous, and with
// diodes, bipolar and MOS transistors.
const tuningCircuits = `/(rlc_underdamped|lc_coupled_c|line_lossy|s_buck|s_relaxation|` +
	`diode_rectifier|peak_detector|multivibrator|colpitts|ring07|nand3|opamp_slew|schmitt_bjt|` +
	`k_rectifier|latch_bjt|class_b_push_pull)\.cir$`

// constant is a constant of tuning.go. from and to are the byte offsets of its expression in the
// file.
type constant struct {
	name       string
	from, to   int
	expression string
}

// TestTuning halves and doubles each constant of analysis/tuning.go. It prints the Newton
// iterations and the error relative to ngspice as a Markdown table.
func TestTuning(t *testing.T) {
	if *tuning == "" {
		t.Skip("runs with -tuning: make tune-spice")
	}
	file, err := filepath.Abs("../analysis/tuning.go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cache := *cacheDir
	if cache == "" {
		cache = t.TempDir()
	}
	base := measureTuning(t, file, source, cache)
	fmt.Printf("%d transients, %d Newton iterations, largest error %.2f %%\n\n",
		len(base), total(base), 100*largest(base))
	fmt.Printf("| constant | value | iterations at half | error | iterations at double | error |\n")
	fmt.Printf("|---|---|---|---|---|---|\n")
	for _, c := range constants(t, file, source) {
		if !regexp.MustCompile(*tuning).MatchString(c.name) {
			continue
		}
		row := fmt.Sprintf("| %s | %s ", c.name, c.expression)
		for _, factor := range []string{"/ 2", "* 2"} {
			changed := string(source[:c.from]) + "(" + c.expression + ") " + factor +
				string(source[c.to:])
			row += "| " + effect(base, measureTuning(t, file, []byte(changed), cache))
		}
		fmt.Println(row + " |")
	}
}

// constants lists the constants of a file that have an expression.
func constants(t *testing.T, file string, source []byte) (list []constant) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				from, to := set.Position(v.Values[0].Pos()).Offset,
					set.Position(v.Values[0].End()).Offset
				list = append(list, constant{v.Names[0].Name, from, to, string(source[from:to])})
			}
		}
	}
	return list
}

// tuned holds the Newton iterations of one transient and its distance from ngspice.
type tuned struct {
	iterations int
	distance   float64
}

var resultLine = regexp.MustCompile(`(?m)^(\S+)\s+tran\s+(\S+)\s.*newton\s+(\d+)`)

// measureTuning runs the comparison of this package with a modified text of tuning.go. It returns
// the results by circuit. cache is the -cache directory.
func measureTuning(t *testing.T, file string, source []byte, cache string) map[string]tuned {
	dir := t.TempDir()
	overlay, changed := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "tuning.go")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{overlay: data, changed: source} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The comparison may fail with the modified constant, so its exit status is ignored.
	out, _ := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-count=1", "-v",
		"-run", "TestAgainstNgspice", ".", "-all", "-cache", cache, "-only",
		tuningCircuits).CombinedOutput()
	results := map[string]tuned{}
	for _, m := range resultLine.FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.Atoi(m[3])
		d, _ := strconv.ParseFloat(m[2], 64)
		results[m[1]] = tuned{n, d}
	}
	if len(results) == 0 && !strings.Contains(string(out), "FAIL") {
		t.Fatalf("no result:\n%s", out)
	}
	return results
}

func total(results map[string]tuned) (sum int) {
	for _, r := range results {
		sum += r.iterations
	}
	return sum
}

func largest(results map[string]tuned) (worst float64) {
	for _, r := range results {
		worst = math.Max(worst, r.distance)
	}
	return worst
}

// effect describes results relative to base. The text contains the geometric mean of the ratios of
// iterations, the largest error and the number of circuits without a result.
func effect(base, results map[string]tuned) string {
	if len(results) == 0 {
		return "not valid | "
	}
	sum, n, same := 0.0, 0, true
	for name, b := range base {
		if r, ok := results[name]; ok {
			sum += math.Log(float64(r.iterations) / float64(b.iterations))
			n++
			same = same && r == b
		}
	}
	text := fmt.Sprintf("%+.1f %% | %.2f %%", 100*(math.Exp(sum/float64(n))-1),
		100*largest(results))
	if same {
		text = "0 | same"
	}
	if failed := len(base) - n; failed > 0 {
		text += fmt.Sprintf(", %d fail", failed)
	}
	return text
}
