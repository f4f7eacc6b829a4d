package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"slipstick/internal/cputime"
	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/analysis"
	"slipstick/spice/library"
	"slipstick/spice/measure"
	"slipstick/spice/netlist"
)

// benchCircuit names a netlist in ../testdata without its extension, its input source and its
// output node.
type benchCircuit struct{ file, source, output string }

// benchCircuits lists ten circuits for the analyses that have no card in the netlists.
var benchCircuits = []benchCircuit{
	{"compare/ua741_core", "vin", "out"},
	{"compare/macro_741", "v1", "out"},
	{"compare/mos_ota", "vin", "out"},
	{"compare/feedback_pair", "v1", "out"},
	{"compare/j_amp", "v1", "out"},
	{"compare/butter5", "v1", "c"},
	{"compare/ladder_rc74", "v1", "n74"},
	{"circuits/common_emitter", "vin", "out"},
	{"circuits/diff_pair", "vin", "out"},
	{"circuits/cmos_inverter", "vin", "out"},
}

// sensitivityCircuits lists circuits without bipolar transistors, because ngspice crashes during
// .sens of a circuit with a bipolar transistor.
var sensitivityCircuits = []benchCircuit{
	{"compare/mos_ota", "vin", "out"},
	{"compare/mos_cascode_amp", "vin", "out"},
	{"compare/mos_cs", "v1", "out"},
	{"compare/mos_source_follower", "v1", "out"},
	{"compare/temp_mos_cold", "vin", "out"},
	{"compare/j_amp", "v1", "out"},
	{"compare/butter5", "v1", "c"},
	{"compare/ladder_r149", "v1", "n5"},
	{"circuits/cmos_inverter", "vin", "out"},
	{"circuits/diode_clipper", "v1", "out"},
}

// ownCards returns circuits for which the first matching card in the netlist is run.
func ownCards(files ...string) (list []benchCircuit) {
	for _, f := range files {
		list = append(list, benchCircuit{file: f})
	}
	return list
}

// benchAnalysis is an analysis that both simulators support.
type benchAnalysis struct {
	name     string
	circuits []benchCircuit
	// card for this simulator; "" selects the first card of this kind in the netlist
	card   string
	theirs string // commands for ngspice; "" selects the card
	ports  bool   // the source is port 1, and an additional source at the output is port 2
}

var benchAnalyses = []benchAnalysis{
	{name: "op", circuits: ownCards("compare/ua741_core", "compare/macro_741", "compare/mos_ota",
		"compare/ladder_bjt30", "compare/bandgap_core", "compare/ttl_inverter",
		"compare/mesh_grid", "compare/nand3", "circuits/common_emitter", "circuits/zener")},
	{name: "dc", circuits: ownCards("compare/ua741_core", "compare/mos_ota", "compare/curves_npn",
		"compare/curves_nmos", "compare/ttl_inverter", "compare/bandgap_sweep",
		"compare/temp_diode", "circuits/diff_pair", "circuits/cmos_inverter", "circuits/zener")},
	{name: "ac", circuits: ownCards("compare/ua741_core", "compare/macro_741", "compare/mos_ota",
		"compare/feedback_pair", "compare/chebyshev7", "compare/line_lossy",
		"compare/ladder_rc74", "compare/vdmos_amp", "circuits/common_emitter",
		"circuits/rlc_bandpass")},
	{name: "noise", circuits: benchCircuits, card: "noise v(OUT) SOURCE dec 20 10 100meg"},
	{name: "tf", circuits: benchCircuits, card: "tf v(OUT) SOURCE"},
	{name: "sens dc", circuits: sensitivityCircuits, card: "sens v(OUT)"},
	{name: "sens ac", circuits: sensitivityCircuits, card: "sens v(OUT) ac dec 5 10 100meg"},
	{name: "pz", circuits: benchCircuits, card: "pz INPUT 0 OUT 0 vol pz"},
	{name: "sp", circuits: benchCircuits, ports: true, card: "sp dec 20 1k 1g"},
	{name: "step", circuits: benchCircuits,
		card:   "ac dec 20 10 100meg\n.step param swept list 0.5 1 2 5 10",
		theirs: "foreach x 0.5 1 2 5 10\nalter SOURCE dc = $x\nac dec 20 10 100meg\nend"},
	{name: "four", circuits: ownCards("compare/b_loop", "compare/diff_pair_long", "compare/e_value",
		"compare/f_bias", "compare/feedback_pair", "compare/j_amp", "compare/mos_cs",
		"circuits/bridge", "circuits/common_emitter", "circuits/diode_clipper")},
	{name: "fft", circuits: benchCircuits, card: "tran 0.1u 100u\n.fft v(OUT) np=1024",
		theirs: "tran 0.1u 100u 0 0.0244140625u\nlinearize v(OUT)\nfft v(OUT)"},
}

// cost holds the processor times [s] of one run in this simulator and in ngspice.
type cost struct{ ours, theirs float64 }

func (c cost) ratio() float64 { return c.ours / c.theirs }

// included names the work that the times of this simulator contain and those of ngspice do not.
// Both simulators build the equations again for every analysis.
const included = "ours also contains: checks of the topology, two refinements of the operating " +
	"point, the report of all devices\n.sp: the Touchstone text; .four and .fft: the error " +
	"estimate and the decimation of the transient\n.step: parsing for every value but the first\n"

// TestBenchAnalyses prints the processor times of both simulators for every kind of analysis. Each
// analysis runs on ten circuits.
//
// "Analysis" excludes parsing of the netlist. Both simulators parse the netlist once and repeat the
// analysis. "Text to result" includes parsing: spice.Simulate in this simulator, and source,
// analysis, destroy and remcirc in ngspice.
//
// Both simulators repeat within one process. The time of a process with one repetition is
// subtracted from that of ngspice, so neither column includes the start of a process.
func TestBenchAnalyses(t *testing.T) {
	if !*times {
		t.Skip("runs with -times: make bench-spice")
	}
	ng := ngspice.Program(t)
	fmt.Print(included)
	for _, a := range benchAnalyses {
		t.Run(a.name, func(t *testing.T) {
			fmt.Printf("\n%-34s %29s %29s\n%-8s %-25s %10s %10s %7s %10s %10s %7s\n", "",
				"analysis", "text to result", "analysis", "circuit", "ours us", "ngspice", "ratio",
				"ours us", "ngspice", "ratio")
			var only, all []float64
			for _, c := range a.circuits {
				run, whole, err := a.measure(ng, c)
				if err != nil {
					// ngspice crashes on some of these circuits.
					fmt.Printf("%-8s %-25s left out: %v\n", a.name, c.file, err)
					continue
				}
				fmt.Printf("%-8s %-25s %10.0f %10.0f %7.2f %10.0f %10.0f %7.2f\n", a.name, c.file,
					1e6*run.ours, 1e6*run.theirs, run.ratio(), 1e6*whole.ours, 1e6*whole.theirs,
					whole.ratio())
				only, all = append(only, run.ratio()), append(all, whole.ratio())
			}
			fmt.Printf("%-8s geometric mean: analysis %s; text to result %s\n", a.name,
				summary(only), summary(all))
		})
	}
}

// summary returns the geometric mean of the ratios and the number of ratios above 1.5 as text.
func summary(ratios []float64) string {
	if len(ratios) == 0 {
		return "none"
	}
	sum, above := 0.0, 0
	for _, r := range ratios {
		sum += math.Log(r)
		if r > 1.5 {
			above++
		}
	}
	return fmt.Sprintf("%.2f, %d of %d above 1.5", math.Exp(sum/float64(len(ratios))), above,
		len(ratios))
}

// netlists returns the netlist for this simulator, the netlist for ngspice without analysis cards,
// and the ngspice commands that replace these cards.
func (a *benchAnalysis) netlists(c benchCircuit) (ours, theirs, commands string, err error) {
	b, err := os.ReadFile("../testdata/" + c.file + ".cir")
	if err != nil {
		return "", "", "", err
	}
	body, cards := splitCards(string(b))
	replace := strings.NewReplacer("SOURCE", c.source, "OUT", c.output)
	card := replace.Replace(a.card)
	commands = replace.Replace(cmp.Or(a.theirs, a.card))
	if a.card == "" {
		if card, commands, err = ownCard(cards, a.name); err != nil {
			return "", "", "", err
		}
	}
	source := regexp.MustCompile(`(?mi)^` + cmp.Or(c.source, "none") + ` (\S+) (\S+)(.*)$`)
	input := "0"
	if m := source.FindStringSubmatch(body); m != nil {
		input = m[1]
	} else if c.source != "" {
		return "", "", "", fmt.Errorf("no source %s", c.source)
	}
	card = strings.ReplaceAll(card, "INPUT", input)
	commands = strings.ReplaceAll(commands, "INPUT", input)
	if a.ports {
		body = source.ReplaceAllString(body, c.source+" $1 $2$3 portnum 1 z0 50") +
			"CPORT " + c.output + " port 1u\nRPORT port 0 1meg\nVPORT port 0 0 portnum 2 z0 50\n"
	}
	mine := body
	if strings.Contains(card, ".step") {
		mine = source.ReplaceAllString(body, c.source+" $1 $2 dc {swept} ac 1") +
			".param swept=1\n"
	}
	return mine + "." + card + "\n.end\n", body + ".end\n", commands, nil
}

// splitCards separates the analysis and output cards from a netlist. body is the remaining netlist.
func splitCards(text string) (body string, cards []string) {
	skipping := false
	for i, l := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") {
		if !strings.HasPrefix(l, "+") {
			skipping = i > 0 && dropped.MatchString(l)
		}
		if skipping {
			cards = append(cards, l)
		} else if l != "" {
			body += l + "\n"
		}
	}
	return body, cards
}

// ownCard returns the first card of a kind without its dot, and the equivalent ngspice commands.
// For .four, both also contain the preceding transient.
func ownCard(cards []string, kind string) (card, commands string, err error) {
	find := func(kind string) string {
		at := slices.IndexFunc(cards, func(l string) bool {
			return strings.HasPrefix(strings.ToLower(l), "."+kind)
		})
		if at < 0 {
			err = fmt.Errorf("no card .%s", kind)
			return ""
		}
		return strings.TrimPrefix(cards[at], ".")
	}
	card = find(kind)
	if kind != "four" {
		return card, card, err
	}
	run := find("tran")
	return run + "\n." + card, run + "\nfourier" + strings.TrimPrefix(card, "four"), err
}

// measure returns the processor times of one run in this simulator and in ngspice. run is the
// analysis alone, and whole includes parsing of the netlist. The measurements alternate between the
// simulators. Each time comes from the minima of five measurements, because the minimum of a
// difference would select the measurement with the largest subtrahend.
func (a *benchAnalysis) measure(ng string, c benchCircuit) (run, whole cost, err error) {
	ours, theirs, commands, err := a.netlists(c)
	if err != nil {
		return run, whole, err
	}
	request := spice.Request{Netlist: ours}
	simulate := func() error {
		_, err := spice.Simulate(context.Background(), request)
		return err
	}
	analyse, err := parsedOnce(ours)
	if err != nil {
		return run, whole, err
	}
	// enough is the minimum processor time [s] of a measurement. It exceeds the scatter of the
	// start-up time of ngspice.
	const enough = 0.08
	times, spent := 1, 0.0
	for spent < enough/2 && times < 1000 {
		times = min(2*times, 1000)
		if spent, err = timeOf(times, simulate); err != nil {
			return run, whole, err
		}
	}
	times = max(min(int(float64(times)*enough/spent), 1000), 2)
	inf, n := math.Inf(1), float64(times)
	run.ours, whole.ours = inf, inf
	one, many, reread := inf, inf, inf // processor times of ngspice [s]
	for range 5 {
		for _, m := range [...]struct {
			least *float64
			call  func() (float64, error)
			n     float64
		}{
			{&run.ours, func() (float64, error) { return timeOf(times, analyse) }, n},
			{&whole.ours, func() (float64, error) { return timeOf(times, simulate) }, n},
			{&one, func() (float64, error) {
				return ngspiceTimeOf(ng, theirs, commands, 1, false)
			}, 1},
			{&many, func() (float64, error) {
				return ngspiceTimeOf(ng, theirs, commands, 1+times, false)
			}, 1},
			{&reread, func() (float64, error) {
				return ngspiceTimeOf(ng, theirs, commands, 1+times, true)
			}, 1},
		} {
			spent, err := m.call()
			if err != nil {
				return run, whole, err
			}
			*m.least = min(*m.least, spent/m.n)
		}
	}
	run.theirs, whole.theirs = (many-one)/n, (reread-one)/n
	if !(run.theirs > 0 && whole.theirs > 0 && run.ours > 0 && whole.ours > 0) {
		return run, whole, errors.New("no measurable time")
	}
	return run, whole, nil
}

// timeOf returns the processor time [s] of n calls of f.
func timeOf(n int, f func() error) (float64, error) {
	before := cputime.Process()
	for range n {
		if err := f(); err != nil {
			return 0, err
		}
	}
	return (cputime.Process() - before).Seconds(), nil
}

// parsedOnce parses a netlist and returns a function that runs its analyses as spice.Simulate does
// after parsing. For each value of a .step card but the first, the function parses the netlist
// again, as spice.Simulate does.
func parsedOnce(text string) (analyse func() error, err error) {
	config := netlist.Config{MaxElements: spice.MaxElements, Library: library.Text,
		Parts: library.Names(), Analyses: analysis.Cards()}
	ckt, err := netlist.Parse(text, config)
	if err != nil {
		return nil, err
	}
	return func() error {
		if err := analyseCards(ckt); err != nil || len(ckt.Steps) == 0 {
			return err
		}
		for k := 1; k < len(ckt.Steps[0].Values); k++ {
			again := config
			again.Run, again.Steps = k, []int{k}
			next, err := netlist.Parse(text, again)
			if err == nil {
				err = analyseCards(next)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// analyseCards runs the analysis cards of a circuit and evaluates its .four and .fft cards.
func analyseCards(ckt *netlist.Circuit) error {
	options := analysis.Defaults()
	for _, o := range ckt.Options {
		options.Set(o.Name, o.Value, o.Text)
	}
	if ckt.TempC != nil {
		options.Set("temp", *ckt.TempC, "")
	}
	for _, card := range ckt.Analyses {
		job := analysis.Job{Circuit: ckt, Analysis: card, Options: options,
			Budget: analysis.DefaultBudget()}
		job.Traces, job.StepLimits = measure.RequiredTraces(ckt, card)
		out, err := analysis.Run(context.Background(), job)
		if err != nil {
			return err
		}
		measure.Fourier(ckt, card.Kind, out.Traces)
		measure.FFT(ckt, card.Kind, out.Traces, false)
	}
	return nil
}

// ngspiceTimeOf returns the processor time [s] of the ngspice executable ng for the given number of
// repetitions of commands on the netlist text. If reread is true, it reads the netlist before each
// repetition and frees it afterwards.
func ngspiceTimeOf(ng, text, commands string, repeats int, reread bool) (float64, error) {
	dir, err := os.MkdirTemp("", "ngspice")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	script := []string{"t", "r1 1 0 1", ".control", "source netlist.cir",
		fmt.Sprintf("repeat %d", repeats), commands, "destroy all", "end", ".endc", ".end", ""}
	if reread {
		script[3], script[4] = script[4], script[3]
		script[6] += "\nremcirc"
	}
	for name, s := range map[string]string{"netlist.cir": text, "a.cir": strings.Join(script, "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
			return 0, err
		}
	}
	cmd := exec.Command(ng, "-b", "a.cir")
	cmd.Dir = dir
	// ngspice exits with 1 for a netlist without analysis cards.
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &failed) &&
		failed.ExitCode() == 1) {
		return 0, fmt.Errorf("ngspice: %w", err)
	}
	for _, word := range []string{"aborted", "Error", "singular", "not found"} {
		if strings.Contains(string(out), word) {
			return 0, errors.New("ngspice: " + excerpt(word+": "+string(out)))
		}
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}
