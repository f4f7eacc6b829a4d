package general

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestUnitConvert(t *testing.T) {
	tooltest.Examples(t, UnitConvert)
	tooltest.Cases(t, UnitConvert, []tooltest.Case{
		{"contract: 10 gal_imp", `{"value":10,"from_unit":"gal_imp","to_unit":"L"}`,
			`{"result":45.4609,"factor":4.54609,"formula":"10 gal_imp × 4.54609 = 45.4609 L"}`},
		{"contract: a difference of 10 C",
			`{"value":10,"from_unit":"C","to_unit":"F","interval":true}`,
			`{"result":18,"factor":null,"formula":"10 C × 9/5 = 18 F"}`},
		{"-40 meets -40", `{"value":-40,"from_unit":"C","to_unit":"F"}`,
			`{"result":-40,"formula":"((-40) + 273.15) × 9/5 - 459.67 F = -40 F"}`},
		{"absolute zero", `{"value":0,"from_unit":"K","to_unit":"F"}`, `{"result":-459.67}`},
		{"(100 + 273.15)·9/5", `{"value":100,"from_unit":"C","to_unit":"R"}`, `{"result":671.67}`},
		{"body temperature, the way it is written", `{"value":98.6,"from_unit":"F","to_unit":"C"}`,
			`{"formula":"(98.6 + 459.67) × 5/9 - 273.15 C = 37 C"}`},
		{"SP 811: 1 atm = 14.6959487755134 psi", `{"value":1,"from_unit":"atm","to_unit":"psi"}`,
			`{"result":14.69594877551345}`},
		{"SP 811: 1 psi = 6894.757293168361 Pa", `{"value":1,"from_unit":"psi","to_unit":"Pa"}`,
			`{"result":6894.757293168361}`},
		{"by hand: 3600000/1055.05585262", `{"value":1,"from_unit":"kWh","to_unit":"BTU"}`,
			`{"result":3412.141633127942}`},
		{"IAU: 1 pc = 3.26156377716743356 ly", `{"value":1,"from_unit":"pc","to_unit":"ly"}`,
			`{"result":3.261563777167434}`},
		{"English names in any case, plural", `{"value":6,"from_unit":"Feet","to_unit":"INCHES"}`,
			`{"result":72,"from_unit":"ft","to_unit":"in","warnings":[]}`},
		{"hyphens and spaces", `{"value":1,"from_unit":"light-years","to_unit":"Nautical Mile"}`,
			`{"from_unit":"ly","to_unit":"nmi"}`},
		{"gallon", `{"value":1,"from_unit":"gal","to_unit":"L"}`,
			`{"result":3.785411784,"from_unit":"gal_us","warnings":["~gal_us"]}`},
		{"ton", `{"value":1,"from_unit":"tons","to_unit":"kg"}`,
			`{"result":907.18474,"warnings":["~ton_us"]}`},
		{"cal", `{"value":1,"from_unit":"cal","to_unit":"J"}`,
			`{"result":4.184,"warnings":["~4.184"]}`},
		{"calorie of the kitchen", `{"value":1,"from_unit":"kcal","to_unit":"J"}`,
			`{"result":4184,"warnings":[]}`},
		{"horsepower", `{"value":1,"from_unit":"Horsepower","to_unit":"hp_metric"}`,
			`{"result":1.013869665424,"warnings":["~hp_metric"]}`},
		{"kB against KiB", `{"value":1,"from_unit":"KiB","to_unit":"kB"}`,
			`{"result":1.024,"warnings":["~1024"]}`},
		{"bits do not warn", `{"value":1,"from_unit":"GiB","to_unit":"B"}`,
			`{"result":1073741824,"warnings":[]}`},
		{"a disk of 1 TB", `{"value":1,"from_unit":"TB","to_unit":"GiB"}`,
			`{"result":931.3225746154785,"warnings":["~differ in kind"]}`},
		{"negative length", `{"value":-1,"from_unit":"m","to_unit":"cm"}`,
			`{"result":-100,"warnings":["~negative length"]}`},
		{"negative speed is one backwards", `{"value":-36,"from_unit":"km/h","to_unit":"m/s"}`,
			`{"result":-10,"warnings":[]}`},
		{"interval where it means nothing",
			`{"value":1,"from_unit":"m","to_unit":"cm","interval":true}`,
			`{"warnings":["~interval"]}`},
		{"the category agrees", `{"value":1,"from_unit":"cmil","to_unit":"mm2","category":"area"}`,
			`{"result":0.0005067074790974978}`},
		{"0.1 m is exactly 10 cm", `{"value":0.1,"from_unit":"m","to_unit":"cm"}`, `{"result":10}`},
		{"by definition: 30 dBm is 1 W", `{"value":30,"from_unit":"dBm","to_unit":"W"}`,
			`{"result":1.000000000000,"factor":null,"category":"power","formula":"30 dBm = 1 W"}`},
		{"sowter.co.uk: 0 dBu is 0.7746 V", `{"value":0,"from_unit":"dBu","to_unit":"V"}`,
			`{"result":0.7746,"category":"voltage","factor":null}`},
		{"sowter.co.uk: 20 dBu is 7.7460 V", `{"value":20,"from_unit":"dBu","to_unit":"V"}`, `{"result":7.7460}`},
		{"sowter.co.uk: -40 dBu is 0.0077 V", `{"value":-40,"from_unit":"dBu","to_unit":"V"}`, `{"result":0.0077}`},
		{"controlbooth.com: +4 dBu is 1.228 V", `{"value":4,"from_unit":"dBu","to_unit":"V"}`, `{"result":1.228}`},
		{"controlbooth.com: -10 dBV is 316 mV", `{"value":-10,"from_unit":"dBV","to_unit":"mV"}`, `{"result":3.16e2}`},
		{"onebyzeroelectronics: -10 dBV is -7.78 dBu", `{"value":-10,"from_unit":"dBV","to_unit":"dBu"}`, `{"result":-7.78}`},
		{"jeffvautin.com: +4 dBu is 1.8 dBV", `{"value":4,"from_unit":"dBu","to_unit":"dBV"}`, `{"result":1.8}`},
		{"by definition: 60 dBµV is 1 mV", `{"value":60,"from_unit":"dBµV","to_unit":"mV"}`, `{"result":1.000000000,"from_unit":"dBuV"}`},
		{"by definition: 0 dBmV is 60 dBuV", `{"value":0,"from_unit":"dBmV","to_unit":"dBuV"}`, `{"result":60.00000000}`},
		{"by definition: 10 V is 80 dBmV", `{"value":10,"from_unit":"V","to_unit":"dBmV"}`, `{"result":80.00000000}`},
		{"by definition: 1 V is 120 dBuV", `{"value":1,"from_unit":"volt","to_unit":"dBuV"}`, `{"result":120.0000000}`},
		{"by definition: 100 mW is 20 dBm and -10 dBW",
			`{"value":100,"from_unit":"mW","to_unit":"dBm"}`, `{"result":20.00000000000}`},
		{"by definition: 0 dBW is 30 dBm", `{"value":0,"from_unit":"dBW","to_unit":"dBm"}`,
			`{"result":30.00000000000,"warnings":[]}`},
		{"ASTM B258: 12 AWG is 3.309 mm²", `{"value":12,"from_unit":"AWG","to_unit":"mm2"}`,
			`{"result":3.3088}`},
		{"ASTM B258: 24 AWG has 0.5106 mm", `{"value":24,"from_unit":"AWG","to_unit":"mm"}`,
			`{"result":0.5106,"category":"length"}`},
		{"ASTM B258: 4/0 has 0.46 inch", `{"value":0.46,"from_unit":"in","to_unit":"AWG"}`,
			`{"result":-3.000000,"category":"length"}`},
		{"BS 3737: 20 SWG has 0.914 mm (engineeringtoolbox.com)", `{"value":20,"from_unit":"SWG","to_unit":"mm"}`,
			`{"result":0.9144000000,"category":"length"}`},
		{"BS 3737: 10 SWG has 0.128 inch, 3.2512 mm exactly", `{"value":10,"from_unit":"SWG","to_unit":"mm"}`,
			`{"formula":"10 SWG = 3.2512 mm"}`},
		{"120 mm² is no AWG: 4/0 is the largest", `{"value":120,"from_unit":"mm2","to_unit":"AWG"}`,
			`{"warnings":["~outside the sizes"]}`},
		{"0.02 mm, AWG 52", `{"value":52,"from_unit":"AWG","to_unit":"mm"}`, `{"warnings":[]}`},
		{"BS 3737: 3.2512 mm is 10 SWG", `{"value":3.2512,"from_unit":"mm","to_unit":"SWG"}`,
			`{"result":10.00000000}`},
		{"BS 3737: 7/0 has 0.5 inch", `{"value":0.5,"from_unit":"in","to_unit":"SWG"}`,
			`{"result":-6.00000000}`},
		{"BS 3737: 50 SWG has 1 mil, 1 circular mil", `{"value":1,"from_unit":"cmil","to_unit":"SWG"}`,
			`{"result":50.00000000,"category":"area"}`},
		{"between 22 (28 mil) and 23 (24 mil) SWG: ln(26/28)/ln(24/28)", `{"value":26,"from_unit":"mil","to_unit":"SWG"}`,
			`{"result":22.48075}`},
		{"8 AWG is 10 SWG (Wikipedia: about)", `{"value":8,"from_unit":"AWG","to_unit":"SWG"}`,
			`{"result":9.97}`},
		{"ASTM B258: 4/0 is 107.2 mm²", `{"value":-3,"from_unit":"AWG","to_unit":"mm2"}`,
			`{"result":107.22}`},
		{"ASTM B258: 10 AWG is 10380 circular mils",
			`{"value":10383,"from_unit":"cmil","to_unit":"AWG"}`, `{"result":10.000}`},
	})
	tooltest.InvalidCases(t, UnitConvert, []tooltest.InvalidCase{
		{"a level in lower case", `{"value":0,"from_unit":"dbv","to_unit":"V"}`,
			[]string{"from_unit"}, "did you mean dBV"},
		{"power and voltage", `{"value":0,"from_unit":"dBm","to_unit":"dBuV"}`,
			[]string{"from_unit", "to_unit"}, "dbm_convert"},
		{"a voltage of 0 in decibels", `{"value":0,"from_unit":"V","to_unit":"dBV"}`,
			[]string{"value"}, "above 0"},
		{"unknown", `{"value":1,"from_unit":"furlong","to_unit":"m"}`, []string{"from_unit"},
			"no known unit"},
		{"close ids", `{"value":1,"from_unit":"kpa","to_unit":"Kpa"}`,
			[]string{"from_unit", "to_unit"}, "did you mean kPa"},
		{"different categories", `{"value":1,"from_unit":"m","to_unit":"kg"}`,
			[]string{"from_unit", "to_unit"}, "length"},
		{"category", `{"value":1,"from_unit":"m","to_unit":"km","category":"mass"}`,
			[]string{"category"}, "units of length"},
		{"below absolute zero", `{"value":-459.68,"from_unit":"F","to_unit":"C"}`,
			[]string{"value"}, "absolute zero, -459.67 F"},
		{"no wire is that thin", `{"value":1e300,"from_unit":"AWG","to_unit":"mm"}`, []string{"value"},
			"below the range"},
		{"beyond the gauge", `{"value":51,"from_unit":"SWG","to_unit":"mm"}`, []string{"value"},
			"-6 (7/0) to 50"},
		{"thicker than the gauge", `{"value":1,"from_unit":"in","to_unit":"SWG"}`, []string{"value"},
			"0.5 inch"},
		{"no level of no power", `{"value":0,"from_unit":"W","to_unit":"dBm"}`,
			[]string{"value"}, "above 0"},
		{"a level is no area", `{"value":1,"from_unit":"dBm","to_unit":"AWG"}`,
			[]string{"from_unit", "to_unit"}, "power"},
		{"a string", `{"value":"1","from_unit":"m","to_unit":"km"}`, []string{"value"},
			"a string was given"},
		{"missing", `{}`, []string{"value", "from_unit", "to_unit"}, "is required"},
	})
}

func TestTemperatureScalesAgree(t *testing.T) {
	for _, c := range []struct {
		from  string
		value float64
		want  map[string]float64
	}{
		{"C", 0, map[string]float64{"C": 0, "F": 32, "K": 273.15, "R": 491.67}},
		{"F", 212, map[string]float64{"C": 100, "F": 212, "K": 373.15, "R": 671.67}},
		{"K", 255.3722222222222, map[string]float64{"R": 459.67, "K": 255.3722222222222}},
		{"R", 459.67, map[string]float64{"F": 0, "R": 459.67}},
	} {
		for to, want := range c.want {
			out, err := unitConvert(t.Context(),
				unitConvertIn{Value: c.value, From: c.from, To: to})
			if err != nil || out.Result-want > 1e-12 || want-out.Result > 1e-12 {
				t.Errorf("%v %s is %v %s, %v, want %v", c.value, c.from, out.Result, to, err, want)
			}
		}
	}
}
