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
	"sort"
	"strings"
	"testing"

	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/analysis"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

// benchCircuits lists ten circuits with a source V1, a resistor and a node out: those of stages,
// a ladder and an amplifier of three transistors.
func benchCircuits() map[string]string {
	circuits := map[string]string{}
	for name, body := range stages {
		circuits[name] = strings.Replace(body, "\n", " ac 1\n", 1)
	}
	ladder := "V1 in 0 1 ac 1\nR1 in n0 1k\n"
	for k := range 30 {
		ladder += fmt.Sprintf("RL%d n%d n%d 100\nCL%d n%[3]d 0 %[5]dp\n", k, k, k+1, k, 10+k)
	}
	circuits["ladder"] = ladder + "RO n30 out 1\nCO out 0 1p"
	circuits["amplifier"] = "V1 in 0 0 ac 1\nVCC vcc 0 12\nR1 in b 1k\nQ1 c1 b e q\nQ2 c2 f e q\n" +
		"RC1 vcc c1 5k\nRC2 vcc c2 5k\nRE e x 5k\nVEE x 0 -12\nRF f 0 1k\nRFB out f 9k\n" +
		"Q3 vcc c2 o q\nRO o out 3k\nRL out x 5k\nCL out 0 10p\n" +
		".model q npn(is=1e-15 bf=120 vaf=60 rb=200 cje=2p cjc=1p tf=0.3n)"
	return circuits
}

// benchAnalysis is an analysis of both simulators, run often enough for a measurable time.
type benchAnalysis struct {
	name   string
	card   string // here
	theirs string // commands of ngspice; "": the card
	ports  bool   // V1 is port 1, and an added V2 port 2
	times  int
}

var benchAnalyses = []benchAnalysis{
	{name: ".noise", card: "noise v(out) v1 dec 50 10 1g", times: 20},
	{name: ".sens dc", card: "sens v(out)", times: 200},
	{name: ".sens ac", card: "sens v(out) ac dec 10 10 1g", times: 20},
	{name: ".tf", card: "tf v(out) v1", times: 200},
	{name: ".pz", card: "pz in 0 out 0 vol pz", times: 100},
	{name: ".sp", card: "sp dec 50 1k 1g", ports: true, times: 50},
	{name: ".step", card: "ac dec 50 10 1g\n.step param rv list 500 1k 2k 5k 10k", times: 20,
		theirs: "foreach x 500 1k 2k 5k 10k\nalter r1 = $x\nac dec 50 10 1g\nend"},
	{name: ".fft", card: "tran 0.1u 100u\n.fft v(out) np=1024", times: 3,
		theirs: "tran 0.1u 100u 0 0.0244140625u\nlinearize v(out)\nfft v(out)"},
}

// TestBenchAnalyses prints the processor time of every analysis besides .op, .dc, .ac and .tran, on
// ten circuits, and its ratio to ngspice's. Neither time includes the reading of the netlist:
// ngspice reads it once, and the difference of many runs and of one is its time; here the time of
// netlist.Parse is subtracted.
func TestBenchAnalyses(t *testing.T) {
	if !*times {
		t.Skip("runs with -times: make bench-spice")
	}
	ng := ngspice.Program(t)
	circuits := benchCircuits()
	var names []string
	for name := range circuits {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Printf("\n%-10s %-18s %10s %10s %6s\n", "analysis", "circuit", "ours us", "ngspice us", "ratio")
	for _, a := range benchAnalyses {
		sum, above, n := 0.0, 0, 0
		for _, name := range names {
			ours, theirs, err := a.measure(ng, circuits[name])
			if err != nil {
				fmt.Printf("%-10s %-18s left out: %v\n", a.name, name, err)
				continue
			}
			ratio := ours / theirs
			fmt.Printf("%-10s %-18s %10.0f %10.0f %6.2f\n", a.name, name, 1e6*ours, 1e6*theirs,
				ratio)
			sum += math.Log(ratio)
			n++
			if ratio > 1.5 {
				above++
			}
		}
		fmt.Printf("%-10s geometric mean %.2f, %d of %d above 1.5\n", a.name,
			math.Exp(sum/float64(n)), above, n)
	}
}

// firstResistor matches the name, the nodes and the value of a resistor.
var firstResistor = regexp.MustCompile(`(?m)^(R\S+)( \S+ \S+) \S+$`)

// measure returns the processor times of one run [s], the least of three measurements.
func (a *benchAnalysis) measure(ng, body string) (ours, theirs float64, err error) {
	if a.ports {
		body = strings.Replace(body, " ac 1\n", " portnum 1 z0 50\n", 1) +
			"\nCP out port 1u\nRP port 0 1meg\nV2 port 0 0 portnum 2 z0 50"
	}
	mine := body
	commands := cmp.Or(a.theirs, a.card)
	if strings.Contains(a.card, "param rv") {
		r := firstResistor.FindStringSubmatch(body)
		mine = ".param rv=1k\n" + strings.Replace(body, r[0], r[1]+r[2]+" {rv}", 1)
		commands = strings.Replace(commands, "r1", strings.ToLower(r[1]), 1)
	}
	request := spice.Request{Netlist: "t\n" + mine + "\n." + a.card + "\n.end"}
	config := netlist.Config{MaxElements: 150, Library: library.Text, Analyses: analysis.Cards()}
	ours, theirs = math.Inf(1), math.Inf(1)
	for range 3 {
		before := processorTime()
		for range a.times {
			if _, err := spice.Simulate(context.Background(), request); err != nil {
				return 0, 0, err
			}
		}
		middle := processorTime()
		for range a.times {
			if _, err := netlist.Parse(request.Netlist, config); err != nil {
				return 0, 0, err
			}
		}
		ours = min(ours, (2*middle-before-processorTime())/float64(a.times))
		many, err := ngspiceTimeOf(ng, body, commands, 1+a.times)
		if err != nil {
			return 0, 0, err
		}
		one, err := ngspiceTimeOf(ng, body, commands, 1)
		if err != nil {
			return 0, 0, err
		}
		theirs = min(theirs, max(many-one, 0)/float64(a.times))
	}
	if theirs == 0 {
		return 0, 0, errors.New("no measurable time of ngspice")
	}
	return ours, theirs, nil
}

// ngspiceTimeOf returns the processor time [s] of ngspice that repeats commands.
func ngspiceTimeOf(ng, body, commands string, repeats int) (float64, error) {
	dir, err := os.MkdirTemp("", "ngspice")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	text := fmt.Sprintf("t\n%s\n.control\nrepeat %d\n%s\ndestroy all\nend\n.endc\n.end\n", body,
		repeats, commands)
	if err := os.WriteFile(filepath.Join(dir, "a.cir"), []byte(text), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.Command(ng, "-b", "a.cir")
	cmd.Dir = dir
	// ngspice returns 1 from a netlist without cards of analyses.
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
