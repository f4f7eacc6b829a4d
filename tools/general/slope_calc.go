package general

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/decimal"
	"slipstick/tools/special"
)

// SlopeCalc computes the line through two points.
var SlopeCalc = tools.Define(tools.Spec{
	Name:    "slope_calc",
	Title:   "Slope of a line",
	Summary: "Slope, inclination, grade, intercepts and distance of the line through two points",
	Method: "Slope m = (y2 - y1)/(x2 - x1); inclination = atan m; grade = 100 m %; y-intercept (x2 y1 - x1 y2)/(x2 - x1); " +
		"x-intercept (x1 y2 - x2 y1)/(y2 - y1); perpendicular -1/m; distance √(Δx² + Δy²). " +
		"A vertical line has no slope, grade or y-intercept, a horizontal one no x-intercept or perpendicular slope",
	Sources: []string{"Two-point form of a straight line; any textbook of analytic geometry"},
	Limits:  []string{"Grade is rise over run in the units of the points. Both axes must have the same unit for an angle or a distance to mean anything"},
	Aliases: []string{"gradient", "line equation", "grade", "inclination",
		"distance between points", "midpoint"},
	Examples: []tools.Example{{
		Title: "From (1, 2) to (4, 8)",
		In:    `{"x1": 1, "y1": 2, "x2": 4, "y2": 8}`,
		Want: `{"slope": 2, "angle_deg": 63.43494882, "grade_pct": 200, "y_intercept": 0, "x_intercept": 0, "distance": 6.708203932,
			"perpendicular_slope": -0.5, "midpoint": {"x": 2.5, "y": 5}, "equation": "y = 2x", "warnings": []}`,
	}, {
		Title: "A ramp of 3 in 4",
		In:    `{"x1": 0, "y1": 0, "x2": 4, "y2": 3}`,
		Want:  `{"slope": 0.75, "distance": 5, "grade_pct": 75}`,
		From:  "by hand",
	}, {
		Title: "A vertical wall",
		In:    `{"x1": 1, "y1": 2, "x2": 1, "y2": 5}`,
		Want:  `{"slope": null, "is_vertical": true, "distance": 3}`,
		From:  "by hand",
	}},
}, slopeCalc)

type slopeCalcIn struct {
	X1 float64 `json:"x1" unit:"1" min:"-1e150" max:"1e150" default:"0" label:"x1" doc:"First point, x"`
	Y1 float64 `json:"y1" unit:"1" min:"-1e150" max:"1e150" default:"0" label:"y1" doc:"First point, y"`
	X2 float64 `json:"x2" unit:"1" min:"-1e150" max:"1e150" example:"4" label:"x2" doc:"Second point, x"`
	Y2 float64 `json:"y2" unit:"1" min:"-1e150" max:"1e150" example:"8" label:"y2" doc:"Second point, y"`
}

type slopeCalcOut struct {
	Slope         *float64 `json:"slope" unit:"1" label:"Slope" doc:"Rise over run; null for a vertical line and outside the range of a double"`
	AngleDeg      *float64 `json:"angle_deg" unit:"°" label:"Angle" doc:"Inclination to the x axis, above -90 up to 90; null below the range of a double"`
	GradePct      *float64 `json:"grade_pct" unit:"%" label:"Grade" doc:"Slope in percent; null for a vertical line and outside the range of a double"`
	YIntercept    *float64 `json:"y_intercept" unit:"1" label:"y-intercept" doc:"Intersection with the y axis; null for a vertical line and outside the range of a double"`
	XIntercept    *float64 `json:"x_intercept" unit:"1" label:"x-intercept" doc:"Intersection with the x axis; null for a horizontal line and outside the range of a double"`
	Perpendicular *float64 `json:"perpendicular_slope" unit:"1" label:"Perpendicular slope" doc:"Slope of a perpendicular line; null for a horizontal line and outside the range of a double"`
	Distance      float64  `json:"distance" unit:"1" label:"Distance" doc:"Distance between the points"`
	Midpoint      point    `json:"midpoint" label:"Midpoint" doc:"Point halfway between"`
	DeltaX        float64  `json:"delta_x" unit:"1" label:"Δx" doc:"x2 - x1"`
	DeltaY        float64  `json:"delta_y" unit:"1" label:"Δy" doc:"y2 - y1"`
	IsVertical    bool     `json:"is_vertical" label:"Vertical" doc:"Both points have the same x"`
	IsHorizontal  bool     `json:"is_horizontal" label:"Horizontal" doc:"Both points have the same y"`
	Equation      string   `json:"equation" label:"Equation" doc:"Equation of the line"`
	tools.Warnings
}

type point struct {
	X float64 `json:"x" unit:"1" label:"x" doc:"x"`
	Y float64 `json:"y" unit:"1" label:"y" doc:"y"`
}

func slopeCalc(_ context.Context, in slopeCalcIn) (slopeCalcOut, error) {
	dx, dy := in.X2-in.X1, in.Y2-in.Y1
	out := slopeCalcOut{
		DeltaX: dx, DeltaY: dy, Distance: special.Hypot(dx, dy), IsVertical: dx == 0,
		IsHorizontal: dy == 0, Midpoint: point{(in.X1 + in.X2) / 2, (in.Y1 + in.Y2) / 2},
	}
	if dx == 0 && dy == 0 {
		var f tools.FieldErrors
		f.AddValue("x2", in.X2,
			"the two points are identical, so no line is determined; x2 or y2 must differ from x1, y1")
		f.AddValue("y2", in.Y2, "the two points are identical")
		return out, f.Err()
	}
	if dx == 0 {
		out.AngleDeg = tools.Finite(90)
		out.Perpendicular, out.XIntercept = tools.Finite(0), tools.Finite(in.X1)
		out.Equation = "x = " + decimal.Shortest(in.X1+0)
		return out, nil
	}
	slope := dy / dx
	if slope == 0 && dy != 0 {
		out.Warn("the slope is below the range of a double: slope, grade_pct and angle_deg were left out")
	} else {
		out.Slope, out.GradePct = tools.Finite(slope), tools.Finite(100*slope)
		out.AngleDeg = tools.Finite(math.Atan(slope) * (180 / math.Pi))
	}
	yIntercept := intercept(in.X1, in.Y1, in.X2, in.Y2)
	atZero := yIntercept.Float()
	out.YIntercept = inRange(&out.Warnings, "y_intercept", atZero, yIntercept.Sign() == 0)
	if dy != 0 {
		xIntercept := intercept(in.Y1, in.X1, in.Y2, in.X2)
		out.XIntercept = inRange(&out.Warnings, "x_intercept", xIntercept.Float(),
			xIntercept.Sign() == 0)
		out.Perpendicular = inRange(&out.Warnings, "perpendicular_slope", -dx/dy, false)
	}
	if math.Abs(dx) < 1e-9*math.Abs(dy) {
		out.Warn(
			"the line is nearly vertical: its slope and y-intercept depend on the last digits of x1 and x2",
		)
	}
	switch {
	case dy == 0:
		out.Equation = "y = " + decimal.Shortest(in.Y1+0)
	case slope == 0:
		out.Equation = lineEquation("("+decimal.Shortest(dy)+" / "+decimal.Shortest(dx)+")",
			atZero)
	case out.Slope == nil:
		out.Equation = "x = " + decimal.Shortest(in.X1+0)
	default:
		out.Equation = lineEquation(coefficient(slope), atZero)
	}
	return out, nil
}

// intercept returns the exact y of the line through (x1, y1) and (x2, y2) at x = 0, where x1 and x2
// differ. In doubles, the products of coordinates would underflow, and their difference would
// cancel for points far from the origin.
func intercept(x1, y1, x2, y2 float64) decimal.Fraction {
	fx1, fx2 := decimal.FromBinary(x1), decimal.FromBinary(x2)
	cross := fx2.Times(decimal.FromBinary(y1)).Minus(fx1.Times(decimal.FromBinary(y2)))
	return cross.Over(fx2.Minus(fx1))
}

// coefficient formats m as the factor of a variable.
func coefficient(m float64) string {
	switch m {
	case 1:
		return ""
	case -1:
		return "-"
	default:
		return decimal.Shortest(m)
	}
}

// lineEquation formats the equation y = mx + c. m is the text of the coefficient.
func lineEquation(m string, c float64) string {
	s := "y = " + m + "x"
	switch {
	case c > 0:
		s += " + " + decimal.Shortest(c)
	case c < 0:
		s += " - " + decimal.Shortest(-c)
	}
	return s
}
