package general

import (
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestCircumference(t *testing.T) {
	tooltest.Examples(t, Circumference)
	tooltest.Cases(t, Circumference, []tooltest.Case{
		{"diameter 2: C = 2π, A = π", `{"diameter":2}`, `{"radius":1,"circumference":6.28318530717959,"area":3.14159265358979,"arc_length":null,"eccentricity":null,"unit":null}`},
		{"circumference 2π·7 = 43.982297150257104 has the radius 7",
			`{"circumference":43.982297150257104}`, `{"radius":7.00000000000000,"area":153.938040025900,"circumference":43.982297150257104}`},
		{"area π·9 has the radius 3", `{"area":28.274333882308138}`,
			`{"radius":3.00000000000000,"diameter":6.00000000000000}`},
		{"quarter of the unit circle: segment π/4 - 1/2, chord √2", `{"radius":1,"angle_deg":90}`, `{"arc_length":1.57079632679490,"sector_area":0.785398163397448,"chord_length":1.41421356237310,"segment_area":0.285398163397448}`},
		{"full turn", `{"radius":2,"angle_deg":360}`, `{"chord_length":0,"segment_area":12.5663706143592,"sector_area":12.5663706143592,"arc_length":12.5663706143592}`},
		{"a millionth of a degree: (θ - sin θ)/2 to 30 digits", `{"radius":1,"angle_deg":1e-6}`,
			`{"segment_area":4.430480778506e-25}`},
		{"three quarters: chord as of one quarter", `{"radius":1,"angle_deg":270}`,
			`{"chord_length":1.41421356237310,"segment_area":2.85619449019234}`},
		{"1e-7° less than a full turn: chord 2 sin(5e-8°)", `{"radius":1,"angle_deg":359.9999999}`,
			`{"chord_length":1.745329251994330e-9}`},
		{"so small that areas are no doubles", `{"radius":1e-170,"angle_deg":60}`,
			`{"area":null,"chord_length":1e-170,"sector_area":null,"segment_area":null,"warnings":["~the area","~sector_area","~segment_area"]}`},
		{"r² is below the range of a double, π r² is not", `{"radius":1e-162,"angle_deg":360}`,
			`{"area":5e-324,"sector_area":5e-324,"segment_area":5e-324,"chord_length":0,"warnings":[]}`},
		{"r² is above the range of a double, r²θ/2 and r²θ³/12 are not",
			`{"radius":1e160,"angle_deg":1e-100}`,
			`{"sector_area":8.72664625997165e217,"segment_area":4.430480778506e13,"warnings":["~the area"]}`},
		{"θ³ is below the range of a double, r²θ³/12 is not",
			`{"radius":1e165,"angle_deg":1e-110}`,
			`{"segment_area":4.430480778506e-7,"warnings":["~the area"]}`},
		{"so large that areas are no doubles", `{"radius":1e160,"angle_deg":60}`,
			`{"chord_length":1e160,"sector_area":null,"segment_area":null,"warnings":["~the area","sector_area is above the range of a double and was left out","~segment_area is above"]}`},
		{"ellipse in the other order", `{"shape":"ellipse","semi_major":5,"semi_minor":10}`,
			`{"circumference":48.44224110273838,"eccentricity":0.866025403784439,"diameter":null}`},
		{"orbit of Halley's comet, a = 17.834, e = 0.96714, b = a √(1 - e²) = 4.534151: E to 30 digits", `{"shape":"ellipse","semi_major":17.834,"semi_minor":4.534151}`, `{"circumference":76.633904341047,"eccentricity":0.96714}`},
		{"circle as an ellipse", `{"shape":"ellipse","semi_major":3,"semi_minor":3}`,
			`{"circumference":18.8495559215388,"eccentricity":0}`},
		{"needle: 4a", `{"shape":"ellipse","semi_major":1,"semi_minor":1e-12}`,
			`{"circumference":4.00000000000000}`},
		{"so large that the area is no double", `{"radius":1e200}`,
			`{"area":null,"circumference":6.28318530717959e200,"warnings":["~left out"]}`},
		{"fields of the other shape", `{"radius":1,"semi_major":3}`,
			`{"warnings":["~semi_major was ignored"]}`},
		{"angle of an ellipse", `{"shape":"ellipse","semi_major":3,"semi_minor":3,"angle_deg":3}`,
			`{"arc_length":null,"warnings":["~angle_deg was ignored"]}`},
	})
	tooltest.InvalidCases(t, Circumference, []tooltest.InvalidCase{
		{"none", `{}`, []string{"radius", "diameter", "circumference", "area"}, "exactly one"},
		{"two", `{"radius":1,"area":3}`, []string{"radius", "area"}, "radius and area"},
		{"zero", `{"radius":0}`, []string{"radius"}, "greater than 0"},
		{"negative area", `{"area":-1}`, []string{"area"}, "greater than 0"},
		{"angle of 0", `{"radius":1,"angle_deg":0}`, []string{"angle_deg"}, "greater than 0"},
		{"more than a turn", `{"radius":1,"angle_deg":361}`, []string{"angle_deg"}, "at most 360"},
		{"half an ellipse", `{"shape":"ellipse","semi_major":1}`, []string{"semi_minor"},
			"is required"},
		{"square", `{"shape":"square","radius":1}`, []string{"shape"}, "circle, ellipse"},
	})
}

// TestEllipsePerimeterByMeans compares the perimeter with a second method for E, the
// arithmetic-geometric mean (DLMF 19.8.6).
func TestEllipsePerimeterByMeans(t *testing.T) {
	for _, b := range []float64{1, 0.999999, 0.9, 0.5, 0.1, 0.01, 1e-4, 1e-7} {
		x, y, sum, weight := 1.0, b, 1-(1-b*b)/2, 0.5
		for range 12 {
			c := (x - y) / 2
			x, y = (x+y)/2, math.Sqrt(x*y)
			weight *= 2
			sum -= weight * c * c
		}
		want := 4 * math.Pi / (2 * x) * sum
		one, small := 1.0, b
		got, err := circumference(t.Context(), circumferenceIn{Shape: "ellipse", SemiMajor: &one,
			SemiMinor: &small})
		if err != nil || !(math.Abs(got.Circumference/want-1) < 1e-14) {
			t.Errorf("b = %g: %.17g, want %.17g (%v)", b, got.Circumference, want, err)
		}
	}
}
