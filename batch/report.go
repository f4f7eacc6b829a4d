package batch

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// WriteReport writes the outcome of a batch as text: counts, the first error, and the output of
// WriteSummary. It returns the errors of w.
func (p *Plan) WriteReport(w io.Writer, runs []Run) error {
	failed, first := 0, ""
	for _, r := range runs {
		if r.Err == "" {
			continue
		}
		if failed++; first == "" {
			first = r.Err
		}
	}
	fmt.Fprintf(w, "%d runs of %s, %d failed\n", len(runs), p.Tool.Name, failed)
	if failed > 0 {
		fmt.Fprintf(w, "first error: %s\n", first)
	}
	fmt.Fprintln(w)
	return p.WriteSummary(w, p.Summarize(runs))
}

// WriteSummary writes statistics as text: a table of the collected columns and, depending on the
// mode, yield, correlations, roots or the best run. It returns the errors of w.
func (p *Plan) WriteSummary(w io.Writer, s *Summary) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	heading := "\tcount\tmean\tsigma\tmin\t5 %\tmedian\t95 %\tmax\t\n"
	for i, name := range p.Collected() {
		c := s.Columns[name]
		if c == nil {
			continue // the summary was computed by another version
		}
		if c.Count == 0 && (len(p.Request.Collect) == 0 || p.columns[i].textual) {
			continue // the input does not request the value, or the values are texts
		}
		fmt.Fprintf(table, "%s%s\t%d\t", heading, name, c.Count)
		heading = ""
		for _, x := range []*float64{c.Mean, c.Sigma, c.Min, c.P05, c.P50, c.P95, c.Max} {
			fmt.Fprintf(table, "%s\t", shortNumber(x))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return p.WriteAnalysis(w, s)
}

// WriteAnalysis writes yield, correlations, roots and the best run, depending on the mode. It
// returns the errors of w.
func (p *Plan) WriteAnalysis(w io.Writer, s *Summary) error {
	if y := s.Yield; y != nil {
		fmt.Fprintf(w, "\nyield %.2f %% (%d of %d; 95 %% confidence: %.2f to %.2f %%)\n", y.Pct,
			y.Passed, y.Of, y.LowPct, y.HighPct)
		for _, name := range slices.Sorted(maps.Keys(y.Limits)) {
			fmt.Fprintf(w, "  %s alone: %.2f %%\n", name, y.Limits[name].Pct)
		}
	}
	heading := "\nrank correlation\n"
	for _, field := range p.Varied() {
		for _, name := range p.Collected() {
			if rho := s.RankCorrelation[field][name]; rho != nil {
				fmt.Fprintf(w, "%s  %s with %s: %.2f\n", heading, field, name, *rho)
				heading = ""
			}
		}
	}
	if s.Roots != nil {
		fmt.Fprintf(w, "\nroots: %d\n", len(*s.Roots))
		for _, r := range *s.Roots {
			p.writePoint(w, r)
		}
	}
	if s.Note != "" {
		fmt.Fprintln(w, s.Note)
	}
	if s.Incomplete != "" {
		fmt.Fprintf(w, "incomplete: %s\n", s.Incomplete)
	}
	if mode := p.Request.Mode; mode != Minimize && mode != Maximize {
		return nil
	}
	if s.Best != nil {
		if best, ok := s.Best.Run(); ok {
			fmt.Fprintln(w, "\nbest run")
			p.writePoint(w, best)
			return nil
		}
	}
	reason := "no run is within the limits"
	switch c := s.Columns[*p.Request.Objective]; {
	case c == nil:
		return nil // there is no summary
	case c.Count == 0:
		reason = "no run has a number for " + *p.Request.Objective
	}
	_, err := fmt.Fprintln(w, "\n"+reason)
	return err
}

func (p *Plan) writePoint(w io.Writer, point Point) {
	for _, field := range p.Varied() {
		fmt.Fprintf(w, "  %s = %s", field, point.Input[field])
	}
	for _, name := range p.Collected() {
		if x := point.Values[name]; x != nil {
			fmt.Fprintf(w, "  %s = %s", name, shortNumber(x))
		}
	}
	fmt.Fprintln(w)
}

// shortNumber formats a number with six significant digits. It returns "-" for nil.
func shortNumber(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.6g", *x)
}
