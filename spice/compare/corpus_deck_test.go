package compare

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

// corpusCards matches the cards that the reference omits: analyses, output cards and cards that
// open files. The analysis to compare is added again as this simulator parsed it.
var corpusCards = regexp.MustCompile(`(?i)^\s*\.(op|dc|ac|tran|noise|tf|sens|pz|disto|meas|measure|four|fourier|fft|save|print|plot|probe|wave|graph|width|backanno|include|inc|incl|lib|step|end|net|title)\b`)

// constantSource matches independent sources with a constant value. The option startup turns them
// into ramps.
var constantSource = regexp.MustCompile(
	`(?i)^(\s*[vi]\S*\s+\S+\s+\S+)\s+(?:dc\s+)?([-+.\d]\S*)\s*$`)

// multiple matches a subcircuit instance with m=, the number of parallel copies.
var multiple = regexp.MustCompile(`(?i)^(\s*X\S+)(\s.*?)\sm\s*=\s*([1-9]\d?)(?:\s+(.*))?$`)

// ownMultiple matches a subcircuit that declares a parameter m.
var ownMultiple = regexp.MustCompile(`(?im)^\s*\.subckt\b.*\sm\s*=`)

// copies replaces an instance with m= by that many instances. ngspice ignores the factor for nested
// instances and for sources inside them. The first instance keeps its name.
func copies(line string) (out []string) {
	m := multiple.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
	if m == nil {
		return []string{line}
	}
	n, _ := strconv.Atoi(m[3])
	for k := range n {
		name := m[1]
		if k > 0 {
			name += fmt.Sprintf("_copy%d", k)
		}
		out = append(out, name+m[2]+" "+m[4])
	}
	return out
}

// edges matches waveforms whose default times are the time step of .tran.
var edges = regexp.MustCompile(`(?i)\b(pulse|exp)\b`)

// corpusText returns the deck for ngspice, with the analysis as this simulator parsed it. step is
// the largest time step [s], or 0 for that of the deck. finer is the divisor of the step and the
// tolerance.
func corpusText(source string, got *spice.Result, step, finer float64) (string, error) {
	ckt, err := netlist.Parse(source, netlist.Config{MaxElements: 150, Library: library.Text,
		AddEnd: true})
	if err != nil {
		return "", err
	}
	var card *netlist.Analysis
	for i := range ckt.Analyses {
		if a := &ckt.Analyses[i]; a.Kind == got.Analysis && card == nil {
			card = a
		}
	}
	if card == nil {
		return "", fmt.Errorf("no .%s card", got.Analysis)
	}
	out := []string{"deck of the corpus"}
	stepped := map[string]bool{}
	for _, step := range ckt.Steps {
		stepped[step.Name] = true
		if step.Name == "temp" {
			out = append(out, fmt.Sprintf(".temp %g", step.Values[0]))
		} else {
			out = append(out, fmt.Sprintf(".param %s=%g", step.Name, step.Values[0]))
		}
	}
	skipping := false
	for i, l := range ckt.Lines {
		if m := regexp.MustCompile(`(?i)^\s*\.param\s+(\w+)\s*=`).FindStringSubmatch(l); m != nil &&
			stepped[strings.ToLower(m[1])] {
			continue
		}
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "+") && skipping {
			continue
		}
		if !strings.HasPrefix(trimmed, "*") {
			skipping = false
		}
		if corpusCards.MatchString(l) && !strings.HasPrefix(strings.ToLower(trimmed), ".ends") {
			skipping = true
			continue
		}
		if i+1 == ckt.TitleLine {
			continue
		}
		if !ownMultiple.MatchString(source) {
			out = append(out, copies(l)...)
		} else {
			out = append(out, l)
		}
	}
	if card.Startup > 0 {
		ramp := fmt.Sprintf("$1 PWL(0 0 %g $2)", card.Startup)
		for i, l := range out {
			out[i] = constantSource.ReplaceAllString(l, ramp)
		}
	}
	switch card.Kind {
	case "tran":
		if !edges.MatchString(source) {
			// The first step h of ngspice is proportional to card.Step. Unless card.Step is a rise
			// time, a very small value only adds a rounding error, the current C·1e-16 V/h of a
			// capacitance C. A finer run begins with another value, so that its rounding error also
			// differs.
			card.Step = max(card.Step, 1e-5*card.Stop) * (1 + (finer-1)/(finer*finer))
		}
		c := fmt.Sprintf(".tran %g %g %g", card.Step, card.Stop, card.Start)
		if card.MaxStep > 0 && (step == 0 || card.MaxStep < step) {
			step = card.MaxStep
		}
		if step > 0 {
			c += fmt.Sprintf(" %g", step)
		}
		if card.UIC {
			c += " uic"
		}
		out = append(out, c)
	case "ac":
		out = append(out, fmt.Sprintf(".ac %s %g %.15g %.15g", card.Variation, card.Points,
			card.From, card.To))
	case "dc":
		c := ".dc"
		for _, s := range card.Sweeps {
			c += fmt.Sprintf(" %s %.15g %.15g %.15g", s.Source, s.Start, s.Stop, s.Step)
		}
		out = append(out, c)
	default:
		out = append(out, ".op")
	}
	all := strings.Join(out, "\n")
	for _, p := range library.Parts() {
		if regexp.MustCompile(`(?im)\b`+regexp.QuoteMeta(p.Name)+`\b`).MatchString(all) &&
			!regexp.MustCompile(`(?im)^\s*\.(model|subckt)\s+`+regexp.QuoteMeta(
				p.Name)+`\b`).MatchString(all) {
			t, _ := library.Text(p.Name)
			all += "\n" + strings.TrimRight(t, "\n")
		}
	}
	return all + "\n", nil
}

// corpusReference returns the vectors of the reference for the result got of a deck. It runs
// ngspice with increasing tolerances until it returns a result. If all runs fail, it repeats them
// with the LTspice and PSpice compatibility of ngspice. finer divides the tolerance and the largest
// step.
func corpusReference(ng, source string, got *spice.Result,
	finer float64) ([]ngspice.Vector, error) {
	step := 0.0
	if got.Analysis == "tran" {
		step = corpusStep(got, finer)
	}
	text, err := corpusText(source, got, step, finer)
	if err != nil {
		return nil, err
	}
	extra := ""
	for _, w := range got.Warnings {
		if strings.Contains(w, "has no DC path to ground") {
			// The option connects 1e-12 S from every node to ground, the conductance that this
			// simulator adds at floating nodes.
			extra = " rshunt=1e12"
		}
	}
	stopped := false
	for _, init := range []string{noTransientPoint, noTransientPoint + "set ngbehavior=ltps\n"} {
		for _, i := range []int{0, 2, 4} {
			options := setting(i, corpusReltol/finer) + extra
			raw, runErr := keptOr(init+options+text, "raw", func() ([]byte, error) {
				return ngspice.SimulateWith(ngspiceTime, ng, init,
					text+".options "+options+"\n.end\n")
			})
			if runErr == nil {
				var vectors []ngspice.Vector
				if vectors, runErr = ngspice.Read(raw); runErr == nil {
					return vectors, nil
				}
			}
			if err == nil || errors.Is(runErr, ngspice.ErrCrash) &&
				!errors.Is(err, ngspice.ErrProcessorTime) {
				err = runErr
			}
			// A finer run that exceeds its time limit is repeated once with larger tolerances.
			if errors.Is(runErr, ngspice.ErrProcessorTime) {
				if stopped = stopped || finer == 1; stopped {
					return nil, runErr
				}
				stopped = true
			}
		}
	}
	return nil, err
}

// noTransientPoint disables the last convergence aid of ngspice, a transient of 10 us. Its result
// has uncharged coupling capacitors.
const noTransientPoint = "optran 1 1 1 0 0 0\n"

// corpusStep returns the largest step [s] of the reference of a transient. With finer = 1 the
// reference has at least 1000 steps and half as many as the result, but at most 200,000. With
// longer steps ngspice may skip whole periods of a source.
func corpusStep(got *spice.Result, finer float64) float64 {
	t := got.Vectors[0].Values
	return t[len(t)-1] / min(finer*max(1000, float64(len(t))/2), max(200000, 12500*finer))
}
