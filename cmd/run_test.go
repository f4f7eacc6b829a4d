package cmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"slipstick/tools/catalog"
)

// runCLI runs a command line and returns standard output, standard error and the error.
func runCLI(t *testing.T, stdin string, args ...string) (out, remarks string, err error) {
	t.Helper()
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	err = newCommand(
		all,
		strings.NewReader(stdin),
		&o,
		&e,
	).Run(t.Context(), append([]string{"slipstick"}, args...))
	return o.String(), e.String(), err
}

// TestInputs compares the results of all ways to pass an input, and verifies the errors of invalid
// arguments.
func TestInputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in.json")
	if err := os.WriteFile(file, []byte(`{"freq_mhz":915,"dist_km":5}`), 0o600); err != nil {
		t.Fatal(err)
	}
	distance := filepath.Join(filepath.Dir(file), "distance")
	if err := os.WriteFile(distance, []byte("5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stdin string
		args  []string
	}{
		{"", []string{"freq_mhz=915", "dist_km=5"}},
		{"", []string{"freq_mhz=915", "dist_km=@" + distance}},
		{"5", []string{"freq_mhz=915", "dist_km=@-"}},
		{"", []string{"@" + file}},
		{"", []string{`{"freq_mhz":915,"dist_km":5}`}},
		{`{"freq_mhz":915,"dist_km":5}`, []string{"-"}},
		{`{"freq_mhz":915,"dist_km":5}`, []string{"@-"}},
	} {
		out, _, err := runCLI(t, c.stdin, append([]string{"run", "fspl"}, c.args...)...)
		// The loss is 20·log10(4π·5000 m/0.327642 m), ITU-R P.525-4.
		if err != nil || !strings.Contains(out, "105.655605 dB") {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"standard input is given twice", []string{"freq_mhz=@-", "dist_km=@-"}},
		{"dist_km is given twice", []string{"dist_km=1", "dist_km=2"}},
		{"takes no other argument", []string{"@" + file, "dist_km=2"}},
		{`"5" is not field=value, @file, JSON in braces or -`, []string{"5"}},
		{"write @" + file + " to read the file", []string{file}},
		{"dist_km: write dist_km=@" + distance + " to read the file",
			[]string{"freq_mhz=915", "dist_km=" + distance}},
		{"nowhere", []string{"@nowhere"}},
		{"change: dist: unknown; was dist_km meant, in km?\nTry: slipstick run fspl freq_mhz=915 dist_km=5",
			[]string{"freq_mhz=915", "dist=5"}},
		{`"slipstick run fspl --help" lists the fields`, []string{"freq_mhz=915"}},
		{"--json and --csv exclude each other", []string{"--json", "--csv", "freq_mhz=915",
			"dist_km=5"}},
		{"--table needs --csv", []string{"--table", "x", "freq_mhz=915", "dist_km=5"}},
	} {
		_, _, err := runCLI(t, "5", append([]string{"run", "fspl"}, c.args...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			exitCode(err, &bytes.Buffer{}) != exitUsage {
			t.Errorf("%v: %v, want %s", c.args, err, c.want)
		}
	}
}

// TestNetlistFile verifies that the error of a netlist file without @ names the argument to write.
func TestNetlistFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rc.cir")
	if err := os.WriteFile(file, []byte("RC\nV1 a 0 1\nR1 a 0 1\n.op\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{file, "netlist=" + file} {
		_, _, err := runCLI(t, "", "run", "spice_simulate", arg)
		if err == nil || !strings.Contains(err.Error(), "write netlist=@"+file+" to read the file") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// TestEncodings runs a netlist from files in the encodings of LTspice. The µ of the capacitor
// decides the time constant: 1 kΩ and 1 µF have 63.2 % after 1 ms.
func TestEncodings(t *testing.T) {
	const text = "RC\r\nV1 in 0 1\r\nR1 in out 1k\r\nC1 out 0 1µF ic=0\r\n" +
		".tran 1u 1m uic\r\n.meas tran v find v(out) at=1m\r\n.end\r\n"
	wide := utf16.Encode([]rune(text))
	var little, big []byte
	for _, u := range wide {
		little = append(little, byte(u), byte(u>>8))
		big = append(big, byte(u>>8), byte(u))
	}
	for name, content := range map[string]string{
		"UTF-8":                   text,
		"UTF-8 with a mark":       "\ufeff" + text,
		"UTF-16":                  "\xff\xfe" + string(little),
		"UTF-16 without a mark":   string(little),
		"UTF-16, high byte first": "\xfe\xff" + string(big),
		"ISO 8859-1":              strings.ReplaceAll(text, "µ", "\xb5"),
	} {
		out, _, err := runCLI(t, content, "run", "spice_simulate", "netlist=@-", "--json")
		if err != nil || !strings.Contains(out, `"v": 0.6321`) {
			t.Errorf("%s: %v\n%.300s", name, err, out)
		}
	}
}

// TestUnitOfResult verifies that a result is printed with the unit that another field selects.
func TestUnitOfResult(t *testing.T) {
	for _, c := range []struct{ want, args string }{
		{"77 °F", "unit_convert value=25 from_unit=C to_unit=F"},
		{"3.1 mi", "unit_convert value=4.9889664 from_unit=km to_unit=mi"}, // 1 mi is 1.609344 km
		{"25 %", "percentage_calc operation=what_percent part=1 whole=4"},
		{"0.04", "percentage_calc operation=percent_of percent=4 value=1"},
	} {
		out, _, err := runCLI(t, "", append([]string{"run"}, strings.Fields(c.args)...)...)
		if err != nil || !strings.Contains(out, " "+c.want+"\n") {
			t.Errorf("%s: %v, no %q in\n%s", c.args, err, c.want, out)
		}
	}
}

// TestHelpAfterArguments verifies that --help behind arguments shows the help of the command.
func TestHelpAfterArguments(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	root := newCommand(all, nil, io.Discard, io.Discard)
	for _, c := range []struct{ args, want string }{
		{"run fspl freq_mhz=915 --help", "run fspl --help"},
		{"run fspl --json freq_mhz=915 -h", "run fspl -h"},
		{"route board.dsn -o board.ses --help", "route --help"},
		{"run fpsl --help", "run fpsl"},
		{"fspl --help", "fspl"},
		{"--addr 127.0.0.1:9 --help", "--addr 127.0.0.1:9 --help"},
		{"help run fspl", "run fspl --help"},
		{"help serv", "help serv"},
		{"run fspl freq_mhz=915 dist_km=5", "run fspl freq_mhz=915 dist_km=5"},
		{"run fspl -- --help", "run fspl -- --help"},
		{"--help", "--help"},
		{"", ""},
	} {
		args := strings.Fields("slipstick " + c.args)
		if got := strings.Join(helpArguments(root, args)[1:], " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
	if got := helpArguments(root, nil); len(got) != 0 {
		t.Errorf("no arguments: %q", got)
	}
}

// TestToolHelp verifies that the help of a tool has its fields with label, unit, range, default and
// enum, and an example. It also verifies that the help contains no settings.
func TestToolHelp(t *testing.T) {
	for _, c := range []struct {
		tool string
		want []string
	}{
		{"fspl", []string{"freq_mhz Frequency [MHz]", "number; greater than 0; required",
			"fspl_db Free-space path loss [dB]", "slipstick run fspl freq_mhz=915 dist_km=5"}},
		{"zfs_capacity", []string{"string; stripe, mirror, raidz1", `default "TB"`,
			"9 to 16; default 12", "at most 1000"}},
		{"noise_figure_cascade", []string{"stages[].nf_db"}},
	} {
		out, _, err := runCLI(t, "", "run", c.tool, "--help")
		words := strings.Join(strings.Fields(out), " ") // without the alignment of the columns
		for _, want := range c.want {
			if err != nil || !strings.Contains(words, want) {
				t.Errorf("%s: %v, no %q in\n%s", c.tool, err, want, out)
			}
		}
		for _, setting := range []string{"redis", "SLIPSTICK_", "burst"} {
			if strings.Contains(out, setting) {
				t.Errorf("%s: the help names %s", c.tool, setting)
			}
		}
	}
	if _, _, err := runCLI(t, "", "run", "fpsl", "--help"); err == nil ||
		!strings.Contains(err.Error(), "fpsl") {
		t.Errorf("an unknown tool: %v", err)
	}
}

// TestExamplesAsArguments verifies that the examples of all tools are the same input as command
// line arguments and as JSON.
func TestExamplesAsArguments(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, e := range all.All() {
		for _, x := range e.Examples {
			line, ok := exampleArguments(e.Input, x.In)
			if !ok {
				continue
			}
			body, err := composeInput(e.Input, shellWords(line), nil)
			if err != nil {
				t.Errorf("%s %s: %v", e.Name, line, err)
				continue
			}
			want, errWant := e.Canonical([]byte(x.In))
			got, errGot := e.Canonical(body)
			if errWant != nil || errGot != nil || !bytes.Equal(want, got) {
				t.Errorf("%s %s: %s (%v), want %s (%v)", e.Name, line, got, errGot, want, errWant)
			}
			compared++
		}
	}
	if compared < len(all.All()) {
		t.Errorf("only %d examples were compared", compared)
	}
}

// shellWords splits a line at spaces outside single quotes, as a POSIX shell does.
func shellWords(line string) (words []string) {
	if line == "" {
		return nil
	}
	quoted, word := false, ""
	line = strings.ReplaceAll(line, `'\''`, "\x00")
	for _, r := range line {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			words, word = append(words, word), ""
		case r == 0:
			word += "'"
		default:
			word += string(r)
		}
	}
	return append(words, word)
}

// TestCSV compares the numbers in CSV with those in JSON.
func TestCSV(t *testing.T) {
	netlist :=
		"netlist=RC\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 2 159.1549 159154.9\n.end"
	out, remarks, err := runCLI(t, "", "run", "spice_simulate", netlist, "--csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 8 || rows[0][0] != "frequency" {
		t.Fatalf("%v\n%s", err, out)
	}
	column := slices.Index(rows[0], "v(out)_mag")
	// The gain is 1/√2 at 1/(2πRC) = 1591.549 Hz. This is the third point of a sweep from 159.1549
	// Hz with two points per decade.
	if got, err := strconv.ParseFloat(rows[3][column], 64); err != nil ||
		math.Abs(got-math.Sqrt2/2) > 1e-6 {
		t.Errorf("at %s Hz: %v", rows[3][0], got)
	}
	if !strings.Contains(
		remarks,
		"printed vectors; --table selects another one of vectors, operating_point",
	) {
		t.Errorf("remarks: %s", remarks)
	}
	full, _, err := runCLI(t, "", "run", "spice_simulate", netlist, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var response struct {
		Result struct {
			Vectors map[string][]json.Number
		}
	}
	if err := json.Unmarshal([]byte(full), &response); err != nil {
		t.Fatal(err)
	}
	for j, name := range rows[0] {
		for i, x := range response.Result.Vectors[name] {
			if rows[i+1][j] != x.String() {
				t.Errorf("%s, row %d: %s, in JSON %s", name, i, rows[i+1][j], x)
			}
		}
	}

	for _, c := range []struct{ want, args string }{
		{"fspl_db,wavelength_m,path_loss_db,crossover_km,diffraction_parameter\n105.65",
			"fspl freq_mhz=915 dist_km=5"},
		// The first payment of 1000 at 6 % has 1000·0.06/12 = 5.00 of interest.
		{"period,date,payment,interest,principal,extra,balance\n1,,86.07,5,",
			"loan_amortization principal=1000 annual_rate_pct=6 term_years=1"},
	} {
		out, _, err := runCLI(t, "", append([]string{"run", "--csv"}, strings.Fields(c.args)...)...)
		if err != nil || !strings.HasPrefix(out, c.want) {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
	if _, _, err := runCLI(t, "", "run", "spice_simulate", netlist, "--csv", "--table",
		"vector"); err == nil ||
		!strings.Contains(err.Error(), `["vectors" "operating_point"]`) {
		t.Errorf("an unknown table: %v", err)
	}
}

// TestWrappedNetlist verifies that the inputs which "slipstick run" adds to spice_simulate do not
// prevent the interpretation of its input. A netlist without .end needs add_end.
func TestWrappedNetlist(t *testing.T) {
	const netlist = `"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.op"`
	quoted := strconv.Quote("{" + netlist + "}")
	for input, want := range map[string]string{
		`{"input":` + quoted + `}`:             "",
		`{"arguments":{` + netlist + `}}`:      "",
		`{` + netlist + `,"addEnd":false}`:     ".end",
		`{` + netlist + `,"max_components":0}`: "max_components",
	} {
		out, _, err := runCLI(t, input, "run", "spice_simulate", "-")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\n%s", input, err, out)
		}
	}
}

// TestCompletion verifies that shells complete tools, categories, fields and the values of enums.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args         []string
		want, absent string
	}{
		{[]string{"run"}, "fspl:Loss between", "worker:"},
		{[]string{"tools"}, "rf:", "fspl"},
		{[]string{"run", "fspl"}, "freq_mhz=:Frequency [MHz]\n", "run"},
		{[]string{"run", "fspl", "freq_mhz=915"}, "dist_km=:Distance [km]\n", "freq_mhz"},
		{[]string{"run", "zfs_capacity"}, "raid_level=mirror:Redundancy\n", "raid_level=:"},
		{[]string{"run", "fspl", "freq_mhz", "=", "915"}, "dist_km=:Distance [km]\n", "freq_mhz"},
		{[]string{"run", "zfs_capacity", "raid_level", "="}, "raid_level=mirror:Redundancy\n",
			"raid_level=:"},
		{[]string{"run", "fspl", "--js"}, "--json", "freq_mhz"},
		{[]string{"worker", "--con"}, "--concurrency", "--wait"},
	} {
		out, _, err := runCLI(t, "", append(c.args, "--generate-shell-completion")...)
		if err != nil || !strings.Contains(out, c.want) || strings.Contains(out, c.absent) {
			t.Errorf("%v: %v, want %q without %q:\n%s", c.args, err, c.want, c.absent, out)
		}
	}
}

// TestBashCompletion verifies the completion of a value after "=", where bash begins a new word.
// Shell functions replace the program and the functions of the package bash-completion.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: bash is not installed")
	}
	script, _, err := runCLI(t, "", "completion", "bash")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, words, want string }{
		{"slipstick run zfs_capacity raid_level=m", "slipstick run zfs_capacity raid_level = m",
			"mirror"},
		{"slipstick run zfs_capacity raid", "slipstick run zfs_capacity raid",
			"raid_level=mirror raid_level=raidz1"},
		{"slipstick run zfs_capacity drive", "slipstick run zfs_capacity drive",
			"no space: drive_size_tb="},
	} {
		cmd := exec.Command(bash, "--norc", "-c", script+`
compopt() { printf 'no space: '; }
slipstick() { printf 'raid_level=mirror:Redundancy\nraid_level=raidz1:Redundancy\ndrive_size_tb=:Drive size\n'; }
_get_comp_words_by_ref() { cur="${COMP_LINE##* }"; }
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=($2) COMP_TYPE=9
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
__slipstick_fields slipstick
printf '%s' "${COMPREPLY[*]}"`, "bash", c.line, c.words)
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v, %q, want %q", c.line, err, out, c.want)
		}
	}
}
