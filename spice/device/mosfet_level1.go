package device

import (
	"math"

	"slipstick/spice/interval"
)

// mosfetLevel1 is the Shichman-Hodges channel of SPICE3 level 1 (H. Shichman and D. A. Hodges, IEEE
// J. Solid-State Circuits 3, 1968).
type mosfetLevel1 struct {
	mosfetTemp
	lambda    float64 // channel-length modulation [1/V]
	root      float64 // square root of phi [√V]
	rootSlope float64 // slope of sqrt(phi - vbs) at vbs = 0, without its sign [1/√V]
}

func (d *mosfetLevel1) params(*mosfetModel) []modelParam {
	return []modelParam{{name: "lambda", value: &d.lambda}}
}

func (d *mosfetLevel1) setTemperature(t mosfetTemp) {
	d.mosfetTemp = t
	d.root = math.Sqrt(t.phi)
	d.rootSlope = 1 / (2 * d.root)
}

func (d *mosfetLevel1) at(vgs, vds, vbs float64) (id dual, von, vdsat float64) {
	// For a forward-biased bulk SPICE3 replaces the square root by its tangent at 0. This code uses
	// the derivative of that tangent; the slope gamma/(2s) in SPICE3 is inconsistent with it.
	s, slope := d.root, d.rootSlope
	if vbs < 0 {
		s = math.Sqrt(d.phi - vbs)
		slope = 1 / (2 * s)
	} else if vbs > 0 {
		if s = d.root - vbs/(2*d.root); s <= 0 {
			s, slope = 0, 0
		}
	}
	von = d.vbi + d.gamma*s
	over := vgs - von
	if over <= 0 {
		return dual{}, von, 0
	}
	b := d.beta * (1 + d.lambda*vds)
	if over <= vds {
		gm := b * over
		return dual{gm * over / 2, gm, d.lambda * d.beta * over * over / 2,
			gm * (d.gamma * slope)}, von, over
	}
	gm := b * vds
	return dual{gm * (over - vds/2), gm, b*(over-vds) + d.lambda*d.beta*vds*(over-vds/2),
		gm * (d.gamma * slope)}, von, over
}

// bypassError uses the curvature of the square law. The error is beta·Δ²/2 for a change Δ of the
// overdrive. Channel-length modulation adds the product of the changes of overdrive and vds.
func (d *mosfetLevel1) bypassError(t *mosfetTangent, c mosfetChange) float64 {
	switch {
	case c.cutoff:
		return 0
	case c.saturated:
		return d.beta * (c.reach*c.reach/2 + d.lambda*(c.overdrive+c.reach)*c.vds)
	}
	reach := c.vgs + c.vds + c.vbs
	return d.beta * (1 + d.lambda*math.Abs(t.vds)) * reach * reach / 2
}

// interval returns the hull of the bounds in all regions that the box intersects: cutoff,
// saturation and linear. The current and its derivatives are continuous between them.
func (d *mosfetLevel1) interval(l *IntervalLoad, name string,
	vgs, vds, vbs interval.Jet) interval.Jet {
	von := interval.Constant(interval.Point(d.vbi))
	if d.gamma != 0 {
		von = von.Add(d.intervalBodyEffect(l, name, vbs).Scale(interval.Point(d.gamma)))
	}
	over := vgs.Sub(von)
	out := interval.Jet{}
	if over.V.Hi <= 0 {
		return out
	}
	cutoff := over.V.Lo <= 0
	over.V.Lo = math.Max(over.V.Lo, 0)
	b := vds.Scale(interval.Point(d.lambda)).Shift(interval.Point(1)).Scale(interval.Point(d.beta))
	first := true
	add := func(j interval.Jet) {
		if !first || cutoff {
			j = j.Hull(out)
		}
		out, first = j, false
	}
	if over.V.Lo <= vds.V.Hi {
		add(b.Mul(over.Sqr()).Scale(interval.Point(0.5)))
	}
	if over.V.Hi > vds.V.Lo {
		add(b.Mul(vds.Mul(over.Sub(vds.Scale(interval.Point(0.5))))))
	}
	return out
}

// intervalBodyEffect bounds the square root of the body effect. It is sqrt(phi - vbs) up to vbs =
// 0, its tangent from there to 2·phi, and 0 above this kink.
func (d *mosfetLevel1) intervalBodyEffect(l *IntervalLoad, name string,
	vbs interval.Jet) interval.Jet {
	phi := interval.Point(d.phi)
	root := phi.Sqrt()
	if vbs.V.Hi >= phi.Scale(2).Lo {
		if vbs.V.Lo > phi.Scale(2).Hi {
			return interval.Jet{}
		}
		l.kink(name, "has a bulk so far forward that the root of the body effect ends")
	}
	c := pieces(vbs.V, interval.I{}, func(v interval.I) intervalCurve {
		a := phi.Sub(v)
		s := a.Sqrt()
		f1 := interval.Point(-0.5).Div(s)
		return intervalCurve{s, f1, f1.Div(a).Scale(0.5)}
	}, func(v interval.I) intervalCurve {
		f1 := interval.Point(-0.5).Div(root)
		return intervalCurve{root.Add(f1.Mul(v)), f1, interval.I{}}
	})
	return vbs.Chain(c.f, c.f1, c.f2)
}
