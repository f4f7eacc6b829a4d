package general

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mathext"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
)

// Circumference computes dimensions of circles, sectors and ellipses.
var Circumference = tools.Define(tools.Spec{
	Name:    "circumference",
	Title:   "Circumference of a circle or ellipse",
	Summary: "Circumference and area of a circle from any one of its measures, its sector and chord, or of an ellipse",
	Method: "Circle: d = 2r, C = 2πr, A = πr². With an angle θ: arc rθ, sector r²θ/2, chord 2r sin(θ/2), segment r²(θ - sin θ)/2. " +
		"Ellipse with semi-axes a ≥ b: C = 4a E(e), E the complete elliptic integral of the second kind, e = √(a² - b²)/a; A = πab",
	Sources: []string{
		"Euclid and Archimedes, Measurement of a Circle; any textbook of geometry",
		"NIST Digital Library of Mathematical Functions, 19.9.9 (perimeter of an ellipse)",
	},
	Limits: []string{
		"Plane figures only. Lengths are in one unit of your choice, areas in its square"},
	Aliases: []string{"circle", "perimeter", "diameter", "radius", "arc length", "chord", "sector",
		"segment", "ellipse"},
	Primary: []string{"circumference", "area"},
	Solves: tools.Solves{Inputs: []string{"radius", "diameter", "circumference", "area"},
		Given: 1},
	Examples: []tools.Example{
		{
			Title: "Radius 2.5",
			In:    `{"radius": 2.5}`,
			Want:  `{"diameter": 5, "circumference": 15.70796326794897, "area": 19.63495408493621, "warnings": []}`,
		},
		{
			Title: "Ellipse, semi-axes 10 and 5",
			In:    `{"shape": "ellipse", "semi_major": 10, "semi_minor": 5}`,
			Want:  `{"circumference": 48.44224110273838, "area": 157.0796326794897, "eccentricity": 0.866025403784439, "radius": null}`,
		},
		{
			Title: "Sixty degrees of a circle of radius 10",
			In:    `{"radius": 10, "angle_deg": 60, "unit": "mm"}`,
			Want:  `{"arc_length": 10.47197551196598, "chord_length": 10.00000000000000, "sector_area": 52.3598775598299, "segment_area": 9.0586073706080, "unit": "mm"}`,
			From:  "by hand: the chord of 60° is the radius; segment = 50 (π/3 - √3/2)",
		},
	},
}, circumference)

type circumferenceIn struct {
	Shape         string   `json:"shape" enum:"circle,ellipse" default:"circle" label:"Shape" doc:"Shape of the figure"`
	Radius        *float64 `json:"radius" unit:"length" gt:"0" example:"2.5" label:"Radius" doc:"Radius of the circle; exactly one of radius, diameter, circumference and area is required"`
	Diameter      *float64 `json:"diameter" unit:"length" gt:"0" label:"Diameter" doc:"Diameter of the circle"`
	Circumference *float64 `json:"circumference" unit:"length" gt:"0" label:"Circumference" doc:"Circumference of the circle"`
	Area          *float64 `json:"area" unit:"length²" gt:"0" label:"Area" doc:"Area of the circle"`
	AngleDeg      *float64 `json:"angle_deg" unit:"°" gt:"0" max:"360" label:"Central angle" doc:"Central angle, for arc, sector, chord and segment"`
	SemiMajor     *float64 `json:"semi_major" unit:"length" gt:"0" label:"Semi-major axis" doc:"One semi-axis of the ellipse; the order of the two does not matter"`
	SemiMinor     *float64 `json:"semi_minor" unit:"length" gt:"0" label:"Semi-minor axis" doc:"The other semi-axis of the ellipse"`
	Unit          *string  `json:"unit" maxLength:"32" label:"Length unit" doc:"Name of the length unit, returned with the result"`
}

type circumferenceOut struct {
	Radius        *float64 `json:"radius" unit:"length" label:"Radius" doc:"Radius; null for an ellipse"`
	Diameter      *float64 `json:"diameter" unit:"length" label:"Diameter" doc:"Diameter; null for an ellipse"`
	Circumference float64  `json:"circumference" unit:"length" label:"Circumference" doc:"Circumference"`
	Area          *float64 `json:"area" unit:"length²" label:"Area" doc:"Area; null when it is outside the range of a double"`
	ArcLength     *float64 `json:"arc_length" unit:"length" label:"Arc length" doc:"Length of the arc; null without an angle and outside the range of a double"`
	SectorArea    *float64 `json:"sector_area" unit:"length²" label:"Sector area" doc:"Area of the sector; null without an angle and outside the range of a double"`
	ChordLength   *float64 `json:"chord_length" unit:"length" label:"Chord length" doc:"Length of the chord; null without an angle and outside the range of a double"`
	SegmentArea   *float64 `json:"segment_area" unit:"length²" label:"Segment area" doc:"Area between chord and arc; null without an angle and outside the range of a double"`
	Eccentricity  *float64 `json:"eccentricity" unit:"1" label:"Eccentricity" doc:"Eccentricity of the ellipse; null for a circle"`
	Unit          *string  `json:"unit" label:"Length unit" doc:"Name of the length unit"`
	tools.Warnings
}

func circumference(_ context.Context, in circumferenceIn) (circumferenceOut, error) {
	out := circumferenceOut{Unit: in.Unit}
	var f tools.FieldErrors
	measures := []choice.Field{
		choice.Of("radius", in.Radius != nil), choice.Of("diameter", in.Diameter != nil),
		choice.Of("circumference", in.Circumference != nil), choice.Of("area", in.Area != nil),
	}
	axes := []choice.Field{
		choice.Of("semi_major", in.SemiMajor != nil), choice.Of("semi_minor", in.SemiMinor != nil),
	}
	if in.Shape == "ellipse" {
		for _, g := range axes {
			if !g.Given {
				f.Add(g.Name, "is required for an ellipse: a length greater than 0")
			}
		}
		if err := f.Err(); err != nil {
			return out, err
		}
		choice.Ignored(
			&out.Warnings, "it has no meaning for an ellipse",
			append(measures, choice.Of("angle_deg", in.AngleDeg != nil))...)
		a, b := math.Max(*in.SemiMajor, *in.SemiMinor), math.Min(*in.SemiMajor, *in.SemiMinor)
		square := (a - b) / a * (1 + b/a) // e², without cancellation for nearly circular ellipses
		out.Circumference = 4 * a * mathext.CompleteE(square)
		out.Eccentricity = tools.Finite(math.Sqrt(square))
		out.Area = out.area(math.Pi * a * b)
		return out, nil
	}

	choice.ExactlyOneMarked(&f, measures...)
	if err := f.Err(); err != nil {
		return out, err
	}
	choice.Ignored(&out.Warnings, "it has no meaning for a circle", axes...)
	var r float64
	switch {
	case in.Radius != nil:
		r = *in.Radius
	case in.Diameter != nil:
		r = *in.Diameter / 2
	case in.Circumference != nil:
		r = *in.Circumference / (2 * math.Pi)
	default:
		r = math.Sqrt(*in.Area / math.Pi)
	}
	diameter := 2 * r
	out.Radius, out.Diameter = &r, &diameter
	// A given measure is returned unchanged.
	out.Circumference = choice.Or(in.Circumference, 2*math.Pi*r)
	out.Area = out.area(choice.Or(in.Area, math.Pi*r*r))
	if in.AngleDeg != nil {
		angle := *in.AngleDeg * (math.Pi / 180)
		// The chord for θ is the chord for 360° - θ. The difference is that of the decimals as
		// written: doubles near 360 would leave few digits of it.
		toChord := angle
		if *in.AngleDeg > 180 {
			rest := decimal.Whole(360).Minus(decimal.FromFloat(*in.AngleDeg))
			toChord = rest.Float() * (math.Pi / 180)
		}
		w := &out.Warnings
		out.ArcLength = inRange(w, "arc_length", r*angle, false)
		out.ChordLength = inRange(w, "chord_length", 2*r*math.Sin(toChord/2), toChord == 0)
		out.SectorArea = inRange(w, "sector_area", r*(r*angle/2), false)
		out.SegmentArea = inRange(w, "segment_area", segment(r, angle), false)
	}
	return out, nil
}

// area returns an area. If the area is outside the range of a double, it returns nil and adds a
// warning.
func (out *circumferenceOut) area(v float64) *float64 {
	if v == 0 || math.IsInf(v, 1) {
		out.Warn("the area is outside the range of a double and was left out")
		return nil
	}
	return &v
}

// segment returns r²(x - sin x)/2, the area between chord and arc of an angle 0 <= x <= 2π. It uses
// the series where the difference would cancel. The order of the products prevents that r² or x³
// leave the range of a double where the area does not.
func segment(r, x float64) float64 {
	if x > 1 {
		return r * (r * (x - math.Sin(x)) / 2)
	}
	term, sum := 1.0, 1.0 // of 6(x - sin x)/x³
	for k := 4.0; k < 30; k += 2 {
		term *= -x * x / (k * (k + 1))
		sum += term
	}
	arc := r * x
	return arc * (arc * x / 12) * sum
}
