package thermal

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// forcedSink returns the sink of the forced example: 60 by 60 by 5 mm, 12 fins of 30 by 1 mm, 50 W,
// 3 m/s.
func forcedSink() *Sink {
	return &Sink{
		Width: .06, Length: .06, Base: .005, Fins: 12, Height: .03, Thickness: .001,
		Conductivity: 200, Power: 50, Ambient: 298.15,
		Source: Rectangle{0, .06, 0, .06}, Stream: &Stream{Speed: 3, DuctWidth: .06,
			DuctHeight: .03},
	}
}

// naturalSink returns the sink of the natural example: 100 by 100 by 5 mm, 10 fins of 40 by 1.5 mm,
// 20 W.
func naturalSink() *Sink {
	return &Sink{
		Width: .1, Length: .1, Base: .005, Fins: 10, Height: .04, Thickness: .0015,
		Conductivity: 201, Emissivity: .8, Power: 20, Ambient: 298.15,
		Source: Rectangle{0, .1, 0, .1},
	}
}

func solve(t *testing.T, s *Sink, refine float64) *SinkField {
	t.Helper()
	f, err := s.Field(context.Background(), s.ClosedForm(), refine)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSinkGrid verifies that halving the size of every cell changes the rise of the source by less
// than 0.2 %. The limit is 1.5 % for a source of a few cells whose edges are not on cell edges.
func TestSinkGrid(t *testing.T) {
	small := forcedSink()
	small.Source = Rectangle{.028, .032, .01, .014}
	for _, c := range []struct {
		name  string
		sink  *Sink
		limit float64
	}{{"forced", forcedSink(), 0.002}, {"natural", naturalSink(), 0.002},
		{"source of 4 mm", small, 0.015}} {
		coarse, usual, fine := solve(t, c.sink, 0.5), solve(t, c.sink, 1), solve(t, c.sink, 2)
		first, second := coarse.SourceMean/fine.SourceMean-1, usual.SourceMean/fine.SourceMean-1
		t.Logf("%s: %d, %d, %d cells; source rise %.4f, %.4f, %.4f K", c.name,
			coarse.Comb.Unknowns(), usual.Comb.Unknowns(), fine.Comb.Unknowns(),
			coarse.SourceMean, usual.SourceMean, fine.SourceMean)
		if math.Abs(second) > c.limit {
			t.Errorf("%s: halving the cells changes the rise by %.3g %%", c.name, 100*second)
		}
		if math.Abs(first) < math.Abs(second) {
			t.Errorf("%s: coarse cells are %.3g %% off and the usual ones %.3g %%", c.name,
				100*first, 100*second)
		}
	}
}

// TestSinkIsothermal compares the field of a sink with a very high conductivity with the closed
// form, which assumes an isothermal plate.
func TestSinkIsothermal(t *testing.T) {
	for name, s := range map[string]*Sink{"forced": forcedSink(), "natural": naturalSink()} {
		s.Conductivity = 1e6
		within(t, name, solve(t, s, 1).BaseMean, s.ClosedForm().Base, 1e-3)
	}
}

// TestSpreading compares a small source with the closed form of Lee, Song, Au and Moran, whose
// error for squares is a few percent.
func TestSpreading(t *testing.T) {
	for _, side := range []float64{0.01, 0.02, 0.04} {
		s := forcedSink()
		s.Source = Rectangle{.03 - side/2, .03 + side/2, .03 - side/2, .03 + side/2}
		f := solve(t, s, 1)
		within(t, "spreading resistance", (f.SourceMean-f.BaseMean)/s.Power,
			s.ClosedForm().Plate, 0.05)
	}
}

// TestPlateResistance verifies that, for a source on the whole base, the mean difference between
// source face and fin face is P·thickness/(k·area). It also verifies that the air at the outlet
// carries the whole power.
func TestPlateResistance(t *testing.T) {
	s := forcedSink()
	f := solve(t, s, 1)
	within(t, "50·0.005/(200·0.0036)", f.SourceMean-f.BaseMean, 0.3472222, 1e-5)
	within(t, "air: 50/(1.18393·5.4e-3·1007)", f.Outlet, 7.7665, 1e-4)
}

// TestSinkMirror verifies that mirrored sources have the same temperature.
func TestSinkMirror(t *testing.T) {
	left, right := naturalSink(), naturalSink()
	left.Source = Rectangle{.01, .03, .02, .04}
	// The sink is turned about its centre, because still air has no direction.
	right.Source = Rectangle{.07, .09, .06, .08}
	within(t, "turned", solve(t, left, 1).SourceMean, solve(t, right, 1).SourceMean, 1e-6)
	left, right = forcedSink(), forcedSink()
	left.Source, right.Source = Rectangle{.01, .02, .02, .03}, Rectangle{.04, .05, .02, .03}
	within(t, "mirrored", solve(t, left, 1).SourceMean, solve(t, right, 1).SourceMean, 1e-6)
	right.Source = Rectangle{.01, .02, .05, .06}
	left.Source = Rectangle{.01, .02, 0, .01}
	if in, out := solve(t, left, 1).SourceMean, solve(t, right, 1).SourceMean; in >= out {
		t.Errorf("at the inlet the source is %g K over ambient, at the outlet %g K", in, out)
	}
}

func TestFlow(t *testing.T) {
	s := forcedSink()
	all := s.Flow(320)
	within(t, "3 m/s·60/48", all.Speed, 3.75, 1e-12)
	if all.Bypass != 0 {
		t.Errorf("%g m³/s go past a sink that fills its duct", all.Bypass)
	}
	s.Stream.DuctWidth = .1
	part := s.Flow(320)
	within(t, "what comes goes through or past", part.Volume+part.Bypass, 3*.1*.03, 1e-9)
	// The dynamic pressure of the bypass equals the sum of the dynamic pressure and the pressure
	// drop of the channels.
	rho := AirAt(298.15, 0).Density
	past := part.Bypass / ((.1 - .06) * .03)
	within(t, "heads", rho*past*past/2, part.Pressure+rho*part.Speed*part.Speed/2, 1e-9)
	s.Stream.DuctWidth = .06 * (1 + 1e-6)
	within(t, "a narrow gap takes nothing", s.Flow(320).Speed, 3.75, 1e-4)

	s = forcedSink()
	s.Stream.Fan = &Fan{MaxFlow: 0.01, MaxPressure: 30}
	point := s.Flow(320)
	within(t, "on the curve of the fan", point.Pressure, 30*(1-point.Volume/0.01), 1e-9)
	s.Stream.Fan.MaxPressure = 1e9
	within(t, "a strong fan gives all its flow", s.Flow(320).Volume, 0.01, 1e-6)
}

// TestClosedFormByHand compares the resistance with 0.745 K/W, which follows from h 39.2, η 0.897
// and the exponential temperature rise of the air. Teertstra's model gives 0.762 K/W.
func TestClosedFormByHand(t *testing.T) {
	s := forcedSink()
	c := s.ClosedForm()
	within(t, "film", c.Film, 39.19, 0.001)
	within(t, "efficiency", c.Efficiency, 0.8970, 0.0005)
	// By hand, hA = 39.19·11·0.06·(2·0.03·0.897 + 0.0043636) = 1.50492, C = 6.43800 and 1/(C (1 -
	// e^(-hA/C))) = 0.74530.
	within(t, "resistance", c.Fins, 0.74530, 0.0005)
	within(t, "plate", c.Plate, 0.005/(200*0.0036), 1e-9)
}

// TestSinkFasterIsCooler verifies that more air never makes a sink warmer, from laminar to
// turbulent flow. It uses the closed form and the field, with and without a bypass in the duct.
func TestSinkFasterIsCooler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tens := func(name string, lo, hi float64) float64 {
			return math.Pow(10, rapid.Float64Range(math.Log10(lo), math.Log10(hi)).Draw(t, name))
		}
		s := &Sink{
			Width: tens("width", .02, .4), Length: tens("length", .01, .5),
			Base: tens("base", .001, .02),
			Fins: rapid.IntRange(2, 20).Draw(t, "fins"), Height: tens("height", .005, .1),
			Conductivity: tens("k", 20, 400),
			Emissivity:   rapid.Float64Range(0, 1).Draw(t, "emissivity"),
			Power:        tens("power", .1, 30),
			Ambient:      rapid.Float64Range(250, 330).Draw(t, "ambient"),
			Altitude:     rapid.Float64Range(0, 5000).Draw(t, "altitude"),
		}
		s.Thickness = s.Width / float64(s.Fins) * rapid.Float64Range(0.05, 0.5).Draw(t, "filled")
		s.Source = Rectangle{0, s.Width, 0, s.Length}
		s.Stream = &Stream{DuctWidth: s.Width, DuctHeight: s.Height}
		if rapid.Bool().Draw(t, "bypass") {
			s.Stream.DuctWidth *= tens("wider", 1, 4)
			s.Stream.DuctHeight *= tens("higher", 1, 4)
		}
		// This speed gives the Reynolds number between the fins in the absence of a bypass.
		air := AirAt(s.Ambient, s.Altitude)
		open := s.Gap() * float64(s.Fins-1) / s.Width
		slow := tens("re", 1000, 6000) * air.Viscosity / (air.Density * 2 * s.Gap()) * open
		fast := slow * (1 + tens("more", 0.01, 1))
		at := func(speed float64) (closed, field float64) {
			s.Stream.Speed = speed
			c := s.ClosedForm()
			f, err := s.Field(context.Background(), c, 0.5)
			if err != nil {
				t.Fatal(err)
			}
			return c.Fins, f.SourceMean / s.Power
		}
		closedSlow, fieldSlow := at(slow)
		closedFast, fieldFast := at(fast)
		if closedFast > closedSlow*(1+1e-9) || fieldFast > fieldSlow*(1+1e-5) {
			t.Fatalf("%+v: %v and %v K/W at %v m/s, %v and %v at %v m/s", s, closedSlow, fieldSlow,
				slow, closedFast, fieldFast, fast)
		}
	})
}

func TestSinkCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range []*Sink{forcedSink(), naturalSink()} {
		if _, err := s.Field(ctx, s.ClosedForm(), 1); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}
