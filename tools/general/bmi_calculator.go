package general

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// BMICalculator computes the body mass index and its class.
var BMICalculator = tools.Define(tools.Spec{
	Name:    "bmi_calculator",
	Title:   "Body mass index",
	Summary: "Body mass index of an adult with its WHO classes and the healthy range of weight for the height",
	Method: "BMI = kg/m². Classes on the unrounded value: below 16, 17, 18.5 thinness; below 25 normal; below 30 overweight; below 35, 40 and from 40 obesity 1, 2, 3. " +
		"Asian action points 18.5, 23, 27.5. Prime = BMI/25; ponderal index kg/m³; healthy weight 18.5 to 25 × height². 1 lb = 0.45359237 kg, 1 in = 0.0254 m",
	Sources: []string{
		"WHO Technical Report Series 894, Obesity: preventing and managing the global epidemic (2000), table 2.1",
		"WHO Technical Report Series 854, Physical status: the use and interpretation of anthropometry (1995), grades of thinness",
		"WHO expert consultation, Appropriate body-mass index for Asian populations, The Lancet 363 (2004) 157",
	},
	Limits: []string{
		"Adults from 20 years on; younger people are judged by BMI-for-age percentiles",
		"Says nothing of muscle, pregnancy or the distribution of fat, and is no diagnosis",
	},
	Aliases: []string{"BMI", "body mass index", "healthy weight", "ponderal index"},
	Examples: []tools.Example{{
		Title: "70 kg, 175 cm",
		In:    `{"weight_kg": 70, "height_cm": 175}`,
		Want: `{"bmi": 22.85714, "category": "normal", "bmi_prime": 0.9142857, "healthy_weight_min_kg": 56.65625, "healthy_weight_max_kg": 76.5625,
			"weight_change_kg": 0, "warnings": []}`,
	}, {
		Title: "180 lb, 6 ft",
		In:    `{"weight_lb": 180, "height_ft": 6, "height_in": 0}`,
		Want:  `{"bmi": 24.4121}`,
		From:  "by hand: 81.6466 kg/(1.8288 m)²",
	}, {
		Title: "50 kg, 1.6 m",
		In:    `{"weight_kg": 50, "height_m": 1.6}`,
		Want:  `{"bmi": 19.53125}`,
		From:  "by hand: 50/2.56",
	}},
}, bmiCalculator)

type bmiCalculatorIn struct {
	WeightKg *float64 `json:"weight_kg" unit:"kg" min:"2" max:"700" example:"70" label:"Weight (kg)" doc:"Weight; alternative to weight_lb"`
	WeightLb *float64 `json:"weight_lb" unit:"lb" gt:"0" label:"Weight (lb)" doc:"Weight in pounds, in the range of 2 to 700 kg"`
	HeightCm *float64 `json:"height_cm" unit:"cm" min:"50" max:"280" example:"175" label:"Height (cm)" doc:"Height; one of height_cm, height_m, or height_ft with height_in"`
	HeightM  *float64 `json:"height_m" unit:"m" min:"0.5" max:"2.8" label:"Height (m)" doc:"Height in metres"`
	HeightFt *float64 `json:"height_ft" unit:"ft" min:"0" label:"Height (ft)" doc:"Height in feet, to which height_in is added; 0.5 to 2.8 m in total"`
	HeightIn *float64 `json:"height_in" unit:"in" min:"0" label:"Height (in)" doc:"Height in inches, alone or in addition to height_ft"`
	AgeYears *float64 `json:"age_years" unit:"year" min:"0" max:"130" label:"Age" doc:"Age; the weight classes apply from age 20"`
}

type bmiCalculatorOut struct {
	BMI           float64 `json:"bmi" unit:"kg/m²" label:"BMI" doc:"Body mass index"`
	Category      *string `json:"category" label:"Weight class" doc:"WHO class; null below 20 years"`
	CategoryAsian *string `json:"category_asian" label:"Weight class, Asian" doc:"Class by the WHO action points for Asian populations; null below 20 years"`
	BMIPrime      float64 `json:"bmi_prime" unit:"1" label:"BMI prime" doc:"BMI divided by 25, the upper limit of normal"`
	PonderalIndex float64 `json:"ponderal_index" unit:"kg/m³" label:"Ponderal index" doc:"Weight divided by height cubed"`
	HealthyMinKg  float64 `json:"healthy_weight_min_kg" unit:"kg" label:"Healthy weight, lower limit" doc:"Weight at a BMI of 18.5"`
	HealthyMaxKg  float64 `json:"healthy_weight_max_kg" unit:"kg" label:"Healthy weight, upper limit" doc:"Weight at a BMI of 25"`
	ChangeKg      float64 `json:"weight_change_kg" unit:"kg" label:"Weight change" doc:"Change to the nearest healthy weight: negative to lose, 0 within the range"`
	HeightM       float64 `json:"height_m" unit:"m" label:"Height" doc:"Height"`
	WeightKg      float64 `json:"weight_kg" unit:"kg" label:"Weight" doc:"Weight"`
	tools.Warnings
}

// bmiClass is a weight class with its exclusive upper limit of the BMI.
type bmiClass struct {
	below float64
	name  string
}

var bmiClasses = []bmiClass{
	{16, "severe_thinness"},
	{17, "moderate_thinness"},
	{18.5, "mild_thinness"},
	{25, "normal"},
	{30, "overweight"},
	{35, "obesity_class_1"},
	{40, "obesity_class_2"},
	{math.Inf(1), "obesity_class_3"},
}

var bmiClassesAsian = []bmiClass{
	{18.5, "underweight"},
	{23, "normal"},
	{27.5, "increased_risk"},
	{math.Inf(1), "high_risk"},
}

func bmiCalculator(_ context.Context, in bmiCalculatorIn) (bmiCalculatorOut, error) {
	var out bmiCalculatorOut
	var f tools.FieldErrors
	out.WeightKg = in.weight(&f)
	cm := in.height(&f)
	if err := f.Err(); err != nil {
		return out, err
	}
	out.HeightM = choice.Or(in.HeightM, cm/100)
	// Centimetres keep usual heights integral, so 81 kg at 1.80 m is exactly 25.
	area := cm * cm / 1e4
	out.BMI = out.WeightKg * 1e4 / (cm * cm)
	out.BMIPrime = out.BMI / 25
	out.PonderalIndex = out.WeightKg * 1e6 / (cm * cm * cm)
	out.HealthyMinKg, out.HealthyMaxKg = 18.5*area, 25*area
	switch {
	case out.BMI < 18.5:
		out.ChangeKg = out.HealthyMinKg - out.WeightKg
	case out.BMI > 25:
		out.ChangeKg = out.HealthyMaxKg - out.WeightKg
	}
	if in.AgeYears != nil && *in.AgeYears < 20 {
		out.Warn(
			"classes, healthy weight and weight_change_kg are those of adults from 20 years on and no advice; below that use BMI-for-age percentiles")
	} else {
		out.Category, out.CategoryAsian = classOf(out.BMI, bmiClasses),
			classOf(out.BMI, bmiClassesAsian)
	}
	if out.BMI < 16 || out.BMI > 40 {
		out.Warn("a BMI of %.1f is far from the usual; check weight and height and their units",
			out.BMI)
	}
	return out, nil
}

// classOf returns the class of a BMI. The comparison tolerates rounding errors.
func classOf(bmi float64, classes []bmiClass) *string {
	for _, c := range classes {
		if bmi < c.below*(1-1e-12) {
			return &c.name
		}
	}
	return nil
}

// weight returns the weight in kilograms. It adds an error to f unless exactly one weight within
// the range is given.
func (in bmiCalculatorIn) weight(f *tools.FieldErrors) float64 {
	choice.ExactlyOneMarked(f, choice.Of("weight_kg", in.WeightKg != nil),
		choice.Of("weight_lb", in.WeightLb != nil))
	if in.WeightLb == nil {
		return choice.Or(in.WeightKg, 1)
	}
	kg := *in.WeightLb * 0.45359237
	if kg < 2 || kg > 700 {
		f.AddValue("weight_lb", *in.WeightLb, "must be 2 to 700 kg, that is 4.41 to 1543 lb")
	}
	return kg
}

// height returns the height in centimetres. It adds an error to f unless the height is given once
// and within the range.
func (in bmiCalculatorIn) height(f *tools.FieldErrors) float64 {
	imperial := choice.Names(choice.Of("height_ft", in.HeightFt != nil),
		choice.Of("height_in", in.HeightIn != nil))
	forms := 0
	for _, there := range []bool{in.HeightCm != nil, in.HeightM != nil, len(imperial) > 0} {
		if there {
			forms++
		}
	}
	fields := append(
		choice.Names(choice.Of("height_cm", in.HeightCm != nil),
			choice.Of("height_m", in.HeightM != nil)),
		imperial...)
	if forms == 0 {
		fields = []string{"height_cm", "height_m", "height_ft", "height_in"}
	}
	if forms != 1 {
		for _, name := range fields {
			f.Add(name, "give the height once: height_cm, or height_m, or height_ft and height_in")
		}
		return 1
	}
	switch {
	case in.HeightCm != nil:
		return *in.HeightCm
	case in.HeightM != nil:
		return *in.HeightM * 100
	}
	feet, inches := choice.Or(in.HeightFt, 0), choice.Or(in.HeightIn, 0)
	cm := (feet*12 + inches) * 2.54
	const shortest, tallest = 0.5, 2.8 // limits of height_m
	m := cm / 100
	if tolerance.Below(m, shortest) || tolerance.Above(m, tallest) {
		values := map[string]float64{"height_ft": feet, "height_in": inches}
		for _, name := range imperial {
			f.AddValue(name, values[name],
				"the height must be %g to %g m, feet and inches come to %g m", shortest, tallest,
				tolerance.RoundOutside(m, shortest, tallest, 4))
		}
	}
	return cm
}
