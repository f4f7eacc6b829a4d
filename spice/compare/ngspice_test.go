package compare

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

// dropped matches the cards that are omitted for ngspice: other analyses, and cards that limit or
// print vectors.
var dropped = regexp.MustCompile(
	`(?i)^\s*\.(op|dc|ac|tran|meas|measure|four|save|print|plot|end)\b`)

// measuring matches the .measure and .four cards for the given kind of analysis.
func measuring(kind string) *regexp.Regexp {
	if kind == "tran" {
		return regexp.MustCompile(`(?i)^\s*\.(meas\w*\s+tran|four\w*)\b`)
	}
	return regexp.MustCompile(`(?i)^\s*\.meas\w*\s+` + kind + `\b`)
}

// prepare keeps the first analysis card of the given kind in a netlist, and adds the library parts
// and the given cards. If step is above 0, it is the largest time step [s] of ngspice.
func prepare(text, kind string, step float64, cards ...string) (string, error) {
	return keeping(nil, text, kind, step, cards...)
}

// keeping returns a netlist as prepare does, but also keeps the cards that match kept.
func keeping(kept *regexp.Regexp, text, kind string, step float64,
	cards ...string) (string, error) {
	ckt, err := netlist.Parse(text, netlist.Config{MaxElements: 150, Library: library.Text})
	if err != nil {
		return "", err
	}
	var card *netlist.Analysis
	for i := range ckt.Analyses {
		if ckt.Analyses[i].Kind == kind && card == nil {
			card = &ckt.Analyses[i]
		}
	}
	if card == nil {
		return "", fmt.Errorf("no .%s card", kind)
	}
	var out []string
	skipping := false
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimRight(l, "\r")
		continues := strings.HasPrefix(strings.TrimSpace(l), "+")
		if continues && skipping {
			continue
		}
		if !strings.HasPrefix(l, "*") {
			skipping = false
		}
		if i+1 == card.Line && kind != "tran" {
			out = append(out, l)
			continue
		}
		if i > 0 && dropped.MatchString(l) && (kept == nil || !kept.MatchString(l)) {
			skipping = true
			continue
		}
		out = append(out, l)
	}
	if kind == "tran" {
		c := fmt.Sprintf(".tran %g %g %g", card.Step, card.Stop, card.Start)
		if step > 0 {
			c += fmt.Sprintf(" %g", step)
		} else if card.MaxStep > 0 {
			c += fmt.Sprintf(" %g", card.MaxStep)
		}
		if card.UIC {
			c += " uic"
		}
		out = append(out, c)
	}
	for _, p := range library.Parts() {
		if regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(p.Name) + `\b`).MatchString(text) {
			t, _ := library.Text(p.Name)
			out = append(out, strings.TrimRight(t, "\n"))
		}
	}
	out = append(out, cards...)
	return strings.Join(append(out, ".end", ""), "\n"), nil
}

// largestStep returns the largest time step [s] of this simulator for a .tran card. It is that of
// the card, or a quarter of the ngspice default.
func largestStep(text string) float64 {
	ckt, err := netlist.Parse(text, netlist.Config{MaxElements: 150, Library: library.Text})
	if err != nil {
		return 0
	}
	for _, a := range ckt.Analyses {
		if a.Kind == "tran" {
			if a.MaxStep > 0 {
				return a.MaxStep
			}
			return math.Min(a.Step, (a.Stop-a.Start)/50) / 4
		}
	}
	return 0
}

// settings lists the options to try in order. With the first entry, ngspice fails for some
// switching circuits ("timestep too small").
var settings = [...]string{
	"bypass=0 reltol=RELTOL abstol=1e-14 vntol=1e-9 chgtol=1e-18 trtol=1 itl4=100",
	"bypass=0 reltol=RELTOL abstol=1e-14 vntol=1e-9 chgtol=1e-16 trtol=1 itl4=100",
	"bypass=0 reltol=RELTOL abstol=1e-12 vntol=1e-7 chgtol=1e-15 trtol=1 itl4=200",
	"bypass=0 reltol=RELTOL abstol=1e-12 vntol=1e-6 chgtol=1e-14 trtol=1 itl4=200",
	"bypass=0 reltol=RELTOL abstol=1e-12 vntol=1e-6 chgtol=1e-14 trtol=1 itl4=200",
}

// setting returns settings[i] with the given relative tolerance. The last two settings relax it by
// the factors 10 and 100.
func setting(i int, reltol float64) string {
	return strings.Replace(settings[i], "RELTOL",
		fmt.Sprintf("%g", reltol*[...]float64{1, 1, 1, 10, 100}[i]), 1)
}

// reference returns the vectors of ngspice for the first analysis of the given kind. Its largest
// time step is a quarter of that of this simulator. It tries settings in order until one converges.
// eased is the number of settings that failed.
func reference(ng, text, kind string, how directives) (out []ngspice.Vector, eased int, err error) {
	step := 0.0
	if kind == "tran" {
		step = largestStep(text) / 4 / how.step
	}
	for i := range settings {
		opt := setting(i, how.reltol)
		full, err := prepare(text, kind, step, ".options "+opt, ".options "+how.extra)
		if err != nil {
			return nil, i, err
		}
		if out, err = batch(ng, full); err == nil {
			return out, i, nil
		} else if i == len(settings)-1 {
			return nil, i, err
		}
	}
	return nil, 0, nil
}

// sweepByPoints computes the vectors of the DC sweep in got by separate operating points of
// ngspice, because errors accumulate in sweeps of ngspice.
func sweepByPoints(ng, text string, got *spice.Result, how directives) ([]ngspice.Vector, error) {
	ckt, err := netlist.Parse(text, netlist.Config{MaxElements: 150, Library: library.Text})
	if err != nil {
		return nil, err
	}
	var sweeps []netlist.Sweep
	for _, a := range ckt.Analyses {
		if a.Kind == "dc" && sweeps == nil {
			sweeps = a.Sweeps
		}
	}
	base, err := prepare(text, "dc", 0, ".options "+strings.Replace(settings[0], "RELTOL",
		fmt.Sprint(how.reltol), 1))
	if err != nil {
		return nil, err
	}
	base = regexp.MustCompile(`(?mi)^\s*\.dc\b.*$`).ReplaceAllString(base, ".op")
	var out []ngspice.Vector
	for i := range got.Vectors[0].Values {
		one := base
		for k, s := range sweeps {
			line := regexp.MustCompile(`(?mi)^(` + regexp.QuoteMeta(s.Source) +
				`\s+\S+\s+\S+)\s.*$`)
			one = line.ReplaceAllString(one, fmt.Sprintf("${1} %.17g", got.Vectors[k].Values[i]))
		}
		p, err := batch(ng, one)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = make([]ngspice.Vector, len(p))
		}
		for k := range p {
			out[k].Name = p[k].Name
			out[k].Real = append(out[k].Real, p[k].Real[0])
		}
	}
	return out, nil
}

// batch runs ngspice on a netlist and returns the vectors of its raw file. It uses a cached file if
// there is one.
func batch(ng, text string) ([]ngspice.Vector, error) {
	raw, err := keptOr(text, "raw", func() ([]byte, error) {
		raw, _, err := ngspice.Simulate(ng, text)
		return raw, err
	})
	if err != nil {
		return nil, err
	}
	return ngspice.Read(raw)
}

// keptOr returns the file of a netlist in the -cache directory. If the file does not exist, it
// calls do to create the contents. ending is the file name extension.
func keptOr(text, ending string, do func() ([]byte, error)) ([]byte, error) {
	if *cacheDir == "" {
		return do()
	}
	file := filepath.Join(*cacheDir, fmt.Sprintf("%x.%s", sha256.Sum256([]byte(text)), ending))
	if data, err := os.ReadFile(file); err == nil {
		return data, nil
	}
	data, err := do()
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	return data, err
}
