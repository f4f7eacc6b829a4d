package compare

import (
	"fmt"
	"math"
	"testing"

	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

// leastTHD is the difference in THD [%] that is accepted for any THD. ngspice prints five decimals.
const leastTHD = 1e-3 // %

// compareMeasures compares the .measure and .four results in got with the output of ngspice for the
// same netlist text. name is the name of the netlist in the outcomes. eased is the index in
// settings of the options that the reference used.
func compareMeasures(ng, name, text string, got *spice.Result, eased int,
	how directives) (out []outcome) {
	if len(got.Measures) == 0 && len(got.Fourier) == 0 {
		return nil
	}
	printed, err := measureReference(ng, text, got.Analysis, eased, how)
	if err != nil {
		return []outcome{{name: name, kind: "measure", estimate: -1, problem: err.Error()}}
	}
	degrees := phases(text)
	made := ngspice.Measures(printed)
	for _, m := range got.Measures {
		o := outcome{name: name, kind: "measure", where: m.Name, estimate: -1}
		w, ok := made[m.Name]
		if degrees[m.Name] {
			w *= 180 / math.Pi // ngspice prints phases in radians
		}
		switch {
		case m.Value == nil && !ok:
		case m.Value == nil:
			o.problem = fmt.Sprintf("%s was not made, ngspice has %g", m.Name, w)
		case !ok:
			o.problem = fmt.Sprintf("%s is %g, ngspice did not make it", m.Name, *m.Value)
		default:
			if o.distance = math.Abs(*m.Value - w); o.distance > 0 {
				o.distance /= math.Max(math.Abs(w), 1e-30)
			}
			o.problem = exceeds(o.distance, "measure", fmt.Sprintf("%s is %.6g, ngspice %.6g",
				m.Name, *m.Value, w))
		}
		out = append(out, o)
	}
	thd := ngspice.THD(printed)
	for _, f := range got.Fourier {
		o := outcome{name: name, kind: "thd", where: f.Name, estimate: -1}
		w, ok := thd[f.Name]
		if f.THDPct == nil || !ok {
			o.problem = fmt.Sprintf("THD of %s: here %v, ngspice %v", f.Name, f.THDPct != nil, ok)
		} else {
			o.distance = math.Abs(*f.THDPct-w) / math.Max(w, leastTHD/limits["thd"])
			o.problem = exceeds(o.distance, "thd",
				fmt.Sprintf("THD of %s is %.6g %%, ngspice %.6g %%", f.Name, *f.THDPct, w))
		}
		out = append(out, o)
	}
	if testing.Verbose() {
		for _, o := range out {
			fmt.Printf("%-28s %-7s %9.2e %s\n", name, o.kind, o.distance, o.where)
		}
	}
	return out
}

func exceeds(d float64, kind, what string) string {
	if d <= limits[kind] {
		return ""
	}
	return fmt.Sprintf("%s: %.3g %% off", what, 100*d)
}

// phases reports for each measure whether it is an angle.
func phases(text string) map[string]bool {
	out := map[string]bool{}
	ckt, err := netlist.Parse(text, netlist.Config{MaxElements: 150, Library: library.Text})
	if err != nil {
		return out
	}
	for _, m := range ckt.Measures {
		out[m.Name] = m.Operand != nil && m.Operand.Part == "p"
	}
	return out
}

// measureReference returns the output that ngspice prints for the .measure and .four cards of an
// analysis of the given kind. For .four it uses 4000 points per period instead of 200. eased is the
// index in settings of the options.
func measureReference(ng, text, kind string, eased int, how directives) (string, error) {
	step := 0.0
	if kind == "tran" {
		step = largestStep(text) / 4 / how.step
	}
	full, err := keeping(measuring(kind), text, kind, step, ".options "+setting(eased, how.reltol),
		".options "+how.extra, ".save all")
	if err != nil {
		return "", err
	}
	printed, err := keptOr(full, "measures", func() ([]byte, error) {
		printed, err := ngspice.Print(ng, full)
		return []byte(printed), err
	})
	return string(printed), err
}
