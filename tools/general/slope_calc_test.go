package general

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestSlopeCalc(t *testing.T) {
	tooltest.Examples(t, SlopeCalc)
	tooltest.Cases(t, SlopeCalc, []tooltest.Case{
		{"through (0, y1): the intercept is y1, though x2·y1 is subnormal", `{"x1":0,"y1":1.5357012538104847e-238,"x2":9.055679080935152e-72,"y2":1}`,
			`{"y_intercept":1.5357012538104847e-238}`},
		{"from the origin when x1 and y1 are left out: 3/4, 36.87°, distance 5", `{"x2":4,"y2":3}`,
			`{"slope":0.75,"angle_deg":36.86989764584,"distance":5,"grade_pct":75,"midpoint":{"x":2,"y":1.5},"equation":"y = 0.75x","delta_x":4,"delta_y":3}`},
		{"falling: through (0, 5) and (5, 0)", `{"x1":0,"y1":5,"x2":5,"y2":0}`,
			`{"slope":-1,"angle_deg":-45.00000000000,"y_intercept":5,"x_intercept":5,"perpendicular_slope":1,"equation":"y = -x + 5"}`},
		{"the points swapped are the same line", `{"x1":5,"y1":0,"x2":0,"y2":5}`,
			`{"slope":-1,"angle_deg":-45.00000000000,"y_intercept":5,"x_intercept":5,"delta_x":-5}`},
		{"vertical", `{"x1":3,"y1":1,"x2":3,"y2":-7}`,
			`{"slope":null,"grade_pct":null,"y_intercept":null,"x_intercept":3,"angle_deg":90,"perpendicular_slope":0,"distance":8,"is_vertical":true,"is_horizontal":false,"equation":"x = 3"}`},
		{"horizontal, drawn to the left: no minus zero", `{"x1":3,"y1":2,"x2":1,"y2":2}`,
			`{"slope":0,"grade_pct":0,"angle_deg":0,"y_intercept":2,"x_intercept":null,"perpendicular_slope":null,"is_horizontal":true,"equation":"y = 2"}`},
		{"6 % grade: atan 0.06 = 3.433630°", `{"x2":100,"y2":6}`,
			`{"grade_pct":6.0000000000000,"angle_deg":3.433630362451}`},
		{"negative intercept: y = 2x - 3", `{"x1":1,"y1":-1,"x2":4,"y2":5}`,
			`{"y_intercept":-3,"x_intercept":1.5,"equation":"y = 2x - 3"}`},
		{"far out, y = x + 1 exactly",
			`{"x1":1e15,"y1":1000000000000001,"x2":3e15,"y2":3000000000000001}`,
			`{"slope":1,"y_intercept":1,"x_intercept":-1}`},
		{"nearly vertical", `{"x1":1,"y1":0,"x2":1.0000000000000002,"y2":1}`,
			`{"is_vertical":false,"slope":4503599627370496,"warnings":["~nearly vertical"]}`},
		{"steeper than a double can say", `{"x1":0,"y1":0,"x2":1e-300,"y2":1e100}`,
			`{"slope":null,"angle_deg":90.000000000,"perpendicular_slope":null,"warnings":["~perpendicular_slope is below","~nearly vertical"]}`},
		{"flatter than a double can say: 1e-450", `{"x1":0,"y1":0,"x2":1e150,"y2":1e-300}`,
			`{"slope":null,"grade_pct":null,"angle_deg":null,"y_intercept":0,"x_intercept":0,"perpendicular_slope":null,"is_horizontal":false,"equation":"y = (1e-300 / 1e+150)x","warnings":["~slope, grade_pct and angle_deg were left out","perpendicular_slope is above the range of a double and was left out"]}`},
		{"a y-intercept below the range of a double: -1e-450", `{"x1":1e-300,"y1":0,"x2":1,"y2":1e-150}`,
			`{"slope":1e-150,"y_intercept":null,"x_intercept":1e-300,"equation":"y = 1e-150x","warnings":["~y_intercept is below"]}`},
		{"a product of coordinates below the range of a double: -1e-200 · 1e150/(1e150 - 1e-200)",
			`{"x1":1e150,"y1":1e150,"x2":1e-200,"y2":0}`,
			`{"y_intercept":-1e-200,"x_intercept":1e-200,"equation":"y = x - 1e-200","warnings":[]}`},
		{"both products below it: (2e-200 - 1e-200) · 1e150/1e150",
			`{"x1":1e150,"y1":1e150,"x2":1e-200,"y2":2e-200}`,
			`{"y_intercept":1e-200,"x_intercept":-1e-200,"warnings":[]}`},
	})
	tooltest.InvalidCases(t, SlopeCalc, []tooltest.InvalidCase{
		{"one point", `{"x1":1,"y1":2}`, []string{"x2", "y2"}, "is required"},
		{"identical", `{"x1":1,"y1":2,"x2":1,"y2":2}`, []string{"x2", "y2"}, "identical"},
		{"no y2", `{"x2":1}`, []string{"y2"}, "is required"},
		{"a string", `{"x2":"1","y2":2}`, []string{"x2"}, "a string was given"},
	})
}

// TestInterceptDoesNotCancel compares the intercept, whose terms cancel, with exact rational
// arithmetic.
func TestInterceptDoesNotCancel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float64Range(-1e9, 1e9)
		in := slopeCalcIn{coordinate.Draw(t, "x1"), coordinate.Draw(t, "y1"),
			coordinate.Draw(t, "x2"), coordinate.Draw(t, "y2")}
		if in.X1 == in.X2 || math.Abs(in.X2-in.X1) < 1e-100 {
			t.Skip("vertical")
		}
		r := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
		product := func(a, b float64) *big.Rat { return new(big.Rat).Mul(r(a), r(b)) }
		exact := new(big.Rat).Sub(product(in.X2, in.Y1), product(in.X1, in.Y2))
		exact.Quo(exact, new(big.Rat).Sub(r(in.X2), r(in.X1)))
		want, _ := exact.Float64()
		out, err := slopeCalc(t.Context(), in)
		if err != nil || out.YIntercept == nil {
			underflows := want == 0 && exact.Sign() != 0
			if !underflows && math.Abs(want) < 1e300 {
				t.Fatalf("%+v: %v %v", in, out.YIntercept, err)
			}
			return
		}
		if !(math.Abs(*out.YIntercept-want) <= 1e-15*math.Abs(want)+1e-300) {
			t.Fatalf("%+v: y-intercept %.17g, exactly %.17g", in, *out.YIntercept, want)
		}
	})
}
