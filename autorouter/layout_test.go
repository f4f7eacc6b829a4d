package autorouter_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter"
)

// request returns a request for a board with an 8-pin IC, a header, resistors and a ground pour.
func request() *autorouter.Request {
	q := &autorouter.Request{
		NetlistFormat: "auto", SourceConnector: "header", DefaultPackage: "0805", Name: "board",
		UtilizationPct: 45, AutoPower: true,
		HoleClearanceMM: 0.25, HoleToHoleMM: 0.3, MaskExpansionMM: 0.05, MaskWebMM: 0.1,
		NeckLengthMM: 3, CopperOz: 1, TempRiseC: 10,
		PourLayers: []string{"bottom"}, PourClearanceMM: 0.25, ThermalRelief: true,
		ThermalGapMM: 0.3, ThermalSpokeMM: 0.4, FabProfile: "generic",
		Effort: "normal", TimeLimitS: 60, Seed: 1, Exports: []string{"gerber", "drill", "ipc356",
			"bom", "cpl", "kicad", "svg"},
	}
	gnd, vcc := autorouter.Net{Name: "GND"}, autorouter.Net{Name: "VCC"}
	part := func(ref, footprint string) {
		q.Components = append(q.Components, autorouter.Component{Ref: ref, Footprint: footprint})
	}
	part("U1", "SOIC-8")
	part("J1", "PinHeader_1x06")
	gnd.Pins, vcc.Pins = append(gnd.Pins, "U1.4", "J1.1"), append(vcc.Pins, "U1.8", "J1.2")
	for k, pin := range []int{1, 2, 3, 5, 6, 7} {
		r := fmt.Sprintf("R%d", k+1)
		part(r, "R_0805")
		pins := []string{fmt.Sprintf("U1.%d", pin), r + ".1"}
		if k < 4 {
			pins = append(pins, fmt.Sprintf("J1.%d", 6-k))
		}
		q.Nets = append(q.Nets, autorouter.Net{Name: fmt.Sprintf("N%d", k), Pins: pins})
		if k%2 == 0 {
			gnd.Pins = append(gnd.Pins, r+".2")
		} else {
			vcc.Pins = append(vcc.Pins, r+".2")
		}
	}
	q.Nets = append(q.Nets, gnd, vcc)
	return q
}

// counted is a context that ends at the end-th call of Err, or never if end is 0. It measures the
// longest time between two calls.
type counted struct {
	context.Context
	end, polls    int
	last, ended   time.Time
	longest       time.Duration
	phase, behind string // current phase, and phase with the longest time between two calls
}

func (c *counted) Err() error {
	now := time.Now()
	if d := now.Sub(c.last); !c.last.IsZero() && d > c.longest {
		c.longest, c.behind = d, c.phase
	}
	c.last = now
	if c.polls++; c.end > 0 && c.polls >= c.end {
		if c.ended.IsZero() {
			c.ended = now
		}
		return context.Canceled
	}
	return nil
}

// TestCancelAnywhere verifies that a cancelled layout returns the context's error at once, in every
// phase.
func TestCancelAnywhere(t *testing.T) {
	const soon = 2 * time.Second // the goal is 100 ms; the margin is for a loaded machine
	whole := &counted{Context: context.Background()}
	if _, err := autorouter.Layout(whole, request(), func(phase string, _, _ float64) {
		whole.phase = phase
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d polls of the context, at most %v apart (%s)", whole.polls, whole.longest,
		whole.behind)
	if whole.longest > soon {
		t.Errorf("%v without a poll of the context, in %s", whole.longest, whole.behind)
	}
	for n := 1; n < whole.polls; n += 1 + n/6 {
		ctx := &counted{Context: context.Background(), end: n}
		_, err := autorouter.Layout(ctx, request(), func(phase string, _, _ float64) {
			ctx.phase = phase
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at poll %d in %s: %v", n, ctx.phase, err)
		}
		if late := time.Since(ctx.ended); late > soon {
			t.Errorf("cancelled at poll %d in %s: returned after %v", n, ctx.phase, late)
		}
	}
}

// TestProgress verifies that the progress never decreases, passes through every phase and ends at
// 1.
func TestProgress(t *testing.T) {
	var phases []string
	last, completion := -1.0, 0.0
	q := request()
	q.Effort = "fast" // one attempt
	if _, err := autorouter.Layout(context.Background(), q,
		func(phase string, done, completed float64) {
			if done < last || done < 0 || done > 1 || completed < 0 || completed > 1 {
				t.Errorf("%s: %g done after %g, %g connected", phase, done, last, completed)
			}
			last, completion = done, completed
			if len(phases) == 0 || phases[len(phases)-1] != phase {
				phases = append(phases, phase)
			}
		}); err != nil {
		t.Fatal(err)
	}
	if last != 1 || completion != 1 {
		t.Errorf("ended at %g with %g connected", last, completion)
	}
	want := []string{"placement", "route", "retry", "polish", "pour", "finish", "rule check",
		"export", "done"}
	if fmt.Sprint(phases) != fmt.Sprint(want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
}

// TestGroundWarnings verifies the warning about a board without a pour whose grounds are not called
// GND. The names are those of the grounds of a mixed-signal board and of CMOS data sheets.
func TestGroundWarnings(t *testing.T) {
	const prefix = "no ground pour: the netlist has no net GND; ground_net may name "
	for _, c := range []struct {
		name   string // in place of GND
		change func(q *autorouter.Request)
		want   string
	}{
		{"GND", nil, ""},
		{"AGND", nil, prefix + "AGND (5 pins)"},
		{"VSS", nil, prefix + "VSS (5 pins)"},
		{"OUT", nil, ""},
		{"AGND", func(q *autorouter.Request) { q.GroundNet = &q.Nets[len(q.Nets)-2].Name }, ""},
		{"AGND", func(q *autorouter.Request) { q.PourLayers = nil }, ""},
	} {
		q := request()
		q.Effort, q.Exports = "fast", nil
		q.Nets[len(q.Nets)-2].Name = c.name
		if c.change != nil {
			c.change(q)
		}
		r, err := autorouter.Layout(t.Context(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range r.Warnings {
			if strings.HasPrefix(w, "no ground pour") {
				got = w
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
