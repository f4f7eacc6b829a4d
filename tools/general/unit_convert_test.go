package general

import (
	"math/big"
	"strings"
	"testing"

	"slipstick/tools/tooltest"
)

func TestUnitConvert(t *testing.T) {
	tooltest.Examples(t, UnitConvert)
	tooltest.Cases(t, UnitConvert, []tooltest.Case{
		{"contract: 10 gal_imp", `{"value":10,"from_unit":"gal_imp","to_unit":"L"}`, `{"result":45.4609,"factor":4.54609,"formula":"10 gal_imp × 4.54609 = 45.4609 L"}`},
		{"contract: a difference of 10 C", `{"value":10,"from_unit":"C","to_unit":"F","interval":true}`, `{"result":18,"factor":null,"formula":"10 C × 9/5 = 18 F"}`},
		{"-40 meets -40", `{"value":-40,"from_unit":"C","to_unit":"F"}`, `{"result":-40,"formula":"((-40) + 273.15) × 9/5 - 459.67 F = -40 F"}`},
		{"absolute zero", `{"value":0,"from_unit":"K","to_unit":"F"}`, `{"result":-459.67}`},
		{"(100 + 273.15)·9/5", `{"value":100,"from_unit":"C","to_unit":"R"}`, `{"result":671.67}`},
		{"body temperature, the way it is written", `{"value":98.6,"from_unit":"F","to_unit":"C"}`, `{"formula":"(98.6 + 459.67) × 5/9 - 273.15 C = 37 C"}`},
		{"SP 811: 1 atm = 14.6959487755134 psi", `{"value":1,"from_unit":"atm","to_unit":"psi"}`, `{"result":14.69594877551345}`},
		{"SP 811: 1 psi = 6894.757293168361 Pa", `{"value":1,"from_unit":"psi","to_unit":"Pa"}`, `{"result":6894.757293168361}`},
		{"by hand: 3600000/1055.05585262", `{"value":1,"from_unit":"kWh","to_unit":"BTU"}`, `{"result":3412.141633127942}`},
		{"IAU: 1 pc = 3.26156377716743356 ly", `{"value":1,"from_unit":"pc","to_unit":"ly"}`, `{"result":3.261563777167434}`},
		{"English names in any case, plural", `{"value":6,"from_unit":"Feet","to_unit":"INCHES"}`, `{"result":72,"from_unit":"ft","to_unit":"in","warnings":[]}`},
		{"hyphens and spaces", `{"value":1,"from_unit":"light-years","to_unit":"Nautical Mile"}`, `{"from_unit":"ly","to_unit":"nmi"}`},
		{"gallon", `{"value":1,"from_unit":"gal","to_unit":"L"}`, `{"result":3.785411784,"from_unit":"gal_us","warnings":["~gal_us"]}`},
		{"ton", `{"value":1,"from_unit":"tons","to_unit":"kg"}`, `{"result":907.18474,"warnings":["~ton_us"]}`},
		{"cal", `{"value":1,"from_unit":"cal","to_unit":"J"}`, `{"result":4.184,"warnings":["~4.184"]}`},
		{"calorie of the kitchen", `{"value":1,"from_unit":"kcal","to_unit":"J"}`, `{"result":4184,"warnings":[]}`},
		{"horsepower", `{"value":1,"from_unit":"Horsepower","to_unit":"hp_metric"}`, `{"result":1.013869665424,"warnings":["~hp_metric"]}`},
		{"kB against KiB", `{"value":1,"from_unit":"KiB","to_unit":"kB"}`, `{"result":1.024,"warnings":["~1024"]}`},
		{"bits do not warn", `{"value":1,"from_unit":"GiB","to_unit":"B"}`, `{"result":1073741824,"warnings":[]}`},
		{"a disk of 1 TB", `{"value":1,"from_unit":"TB","to_unit":"GiB"}`, `{"result":931.3225746154785,"warnings":["~differ in kind"]}`},
		{"negative length", `{"value":-1,"from_unit":"m","to_unit":"cm"}`, `{"result":-100,"warnings":["~negative length"]}`},
		{"negative speed is one backwards", `{"value":-36,"from_unit":"km/h","to_unit":"m/s"}`, `{"result":-10,"warnings":[]}`},
		{"interval where it means nothing", `{"value":1,"from_unit":"m","to_unit":"cm","interval":true}`, `{"warnings":["~interval"]}`},
		{"the category agrees", `{"value":1,"from_unit":"cmil","to_unit":"mm2","category":"area"}`, `{"result":0.0005067074790974978}`},
		{"0.1 m is exactly 10 cm", `{"value":0.1,"from_unit":"m","to_unit":"cm"}`, `{"result":10}`},
		{"by definition: 30 dBm is 1 W", `{"value":30,"from_unit":"dBm","to_unit":"W"}`, `{"result":1.000000000000,"factor":null,"category":"power","formula":"30 dBm = 1 W"}`},
		{"by definition: 100 mW is 20 dBm and -10 dBW", `{"value":100,"from_unit":"mW","to_unit":"dBm"}`, `{"result":20.00000000000}`},
		{"by definition: 0 dBW is 30 dBm", `{"value":0,"from_unit":"dBW","to_unit":"dBm"}`, `{"result":30.00000000000,"warnings":[]}`},
		{"ASTM B258: 12 AWG is 3.309 mm²", `{"value":12,"from_unit":"AWG","to_unit":"mm2"}`, `{"result":3.3088}`},
		{"ASTM B258: 4/0 is 107.2 mm²", `{"value":-3,"from_unit":"AWG","to_unit":"mm2"}`, `{"result":107.22}`},
		{"ASTM B258: 10 AWG is 10380 circular mils", `{"value":10383,"from_unit":"cmil","to_unit":"AWG"}`, `{"result":10.000}`},
	})
	tooltest.InvalidCases(t, UnitConvert, []tooltest.InvalidCase{
		{"unknown", `{"value":1,"from_unit":"furlong","to_unit":"m"}`, []string{"from_unit"}, "no known unit"},
		{"close ids", `{"value":1,"from_unit":"kpa","to_unit":"Kpa"}`, []string{"from_unit", "to_unit"}, "did you mean kPa"},
		{"different categories", `{"value":1,"from_unit":"m","to_unit":"kg"}`, []string{"from_unit", "to_unit"}, "length"},
		{"category", `{"value":1,"from_unit":"m","to_unit":"km","category":"mass"}`, []string{"category"}, "units of length"},
		{"below absolute zero", `{"value":-459.68,"from_unit":"F","to_unit":"C"}`, []string{"value"}, "absolute zero, -459.67 F"},
		{"no level of no power", `{"value":0,"from_unit":"W","to_unit":"dBm"}`, []string{"value"}, "above 0"},
		{"a level is no area", `{"value":1,"from_unit":"dBm","to_unit":"AWG"}`, []string{"from_unit", "to_unit"}, "power"},
		{"a string", `{"value":"1","from_unit":"m","to_unit":"km"}`, []string{"value"}, "a string was given"},
		{"missing", `{}`, []string{"value", "from_unit", "to_unit"}, "is required"},
	})
}

// TestUnitDefinitions checks every factor to the base unit against its published value.
func TestUnitDefinitions(t *testing.T) {
	// NIST SP 811 (2008) appendix B, or the definition; exact unless it ends in "…".
	published := map[string]string{
		"m": "1", "km": "1000", "cm": "0.01", "mm": "0.001", "um": "0.000001", "nm": "0.000000001", "in": "0.0254", "ft": "0.3048", "yd": "0.9144", "mi": "1609.344",
		"mil": "0.0000254", "nmi": "1852", "ft_us": "0.304800609601219…", "au": "149597870700", "ly": "9460730472580800", "pc": "30856775814913672…", "angstrom": "0.0000000001",
		"m2": "1", "km2": "1000000", "cm2": "0.0001", "mm2": "0.000001", "ha": "10000", "in2": "0.00064516", "ft2": "0.09290304", "yd2": "0.83612736", "acre": "4046.8564224",
		"mi2": "2589988.110336", "cmil": "0.000000000506707479097497…",
		"m3": "1", "L": "0.001", "mL": "0.000001", "cm3": "0.000001", "mm3": "0.000000001", "in3": "0.000016387064", "ft3": "0.028316846592", "yd3": "0.764554857984",
		"gal_us": "0.003785411784", "qt_us": "0.000946352946", "pt_us": "0.000473176473", "cup_us": "0.0002365882365", "floz_us": "0.0000295735295625", "tbsp_us": "0.00001478676478125",
		"tsp_us": "0.00000492892159375", "gal_imp": "0.00454609", "qt_imp": "0.0011365225", "pt_imp": "0.00056826125", "floz_imp": "0.0000284130625", "bbl_oil": "0.158987294928", "acre_ft": "1233.48183754752",
		"kg": "1", "g": "0.001", "mg": "0.000001", "ug": "0.000000001", "t": "1000", "lb": "0.45359237", "oz": "0.028349523125", "st": "6.35029318", "ton_us": "907.18474", "ton_uk": "1016.0469088",
		"oz_t": "0.0311034768", "gr": "0.00006479891", "ct": "0.0002", "slug": "14.5939029372063…",
		"C": "1", "K": "1", "F": "0.555555555555555…", "R": "0.555555555555555…",
		"m/s": "1", "km/h": "0.277777777777777…", "mph": "0.44704", "kn": "0.514444444444444…", "ft/s": "0.3048", "ft/min": "0.00508", "in/s": "0.0254", "c": "299792458",
		"Pa": "1", "kPa": "1000", "MPa": "1000000", "hPa": "100", "bar": "100000", "mbar": "100", "psi": "6894.75729316836…", "ksi": "6894757.29316836…", "psf": "47.8802589803358…", "atm": "101325",
		"at": "98066.5", "torr": "133.322368421052…", "mmHg": "133.322387415", "inHg": "3386.388640341", "cmH2O": "98.0665", "inH2O": "249.08891",
		"J": "1", "kJ": "1000", "MJ": "1000000", "GJ": "1000000000", "Wh": "3600", "kWh": "3600000", "MWh": "3600000000", "cal": "4.184", "kcal": "4184", "cal_IT": "4.1868", "BTU": "1055.05585262",
		"therm_us": "105480400", "ft_lbf": "1.3558179483314004", "erg": "0.0000001", "eV": "0.0000000000000000001602176634", "ton_tnt": "4184000000",
		"W": "1", "mW": "0.001", "kW": "1000", "MW": "1000000", "GW": "1000000000", "hp": "745.69987158227022", "hp_metric": "735.49875", "hp_electric": "746", "BTU/h": "0.293071070172222…",
		"ft_lbf/s": "1.3558179483314004", "ton_refrigeration": "3516.85284206666…",
		"bit": "1", "kbit": "1000", "Mbit": "1000000", "Gbit": "1000000000", "Tbit": "1000000000000", "Kibit": "1024", "Mibit": "1048576", "Gibit": "1073741824",
		"B": "8", "kB": "8000", "MB": "8000000", "GB": "8000000000", "TB": "8000000000000", "PB": "8000000000000000",
		"KiB": "8192", "MiB": "8388608", "GiB": "8589934592", "TiB": "8796093022208", "PiB": "9007199254740992",
	}
	if len(published) != len(units.byID) {
		t.Errorf("%d units, %d published values", len(units.byID), len(published))
	}
	for id, text := range published {
		u := units.byID[id]
		if u == nil {
			t.Errorf("there is no unit %s", id)
			continue
		}
		digits, cut := strings.CutSuffix(text, "…")
		want, ok := new(big.Rat).SetString(digits)
		if !ok {
			t.Fatalf("%s: %q", id, text)
		}
		difference := new(big.Rat).Sub(u.factor.rat(), want)
		_, decimals, _ := strings.Cut(digits, ".")
		unitInLast := new(big.Rat).SetFrac(big.NewInt(1), pow10(len(decimals)))
		if difference.Sign() != 0 && (!cut || difference.Sign() < 0 || difference.Cmp(unitInLast) >= 0) {
			t.Errorf("1 %s is %s, published %s", id, u.factor.rat().FloatString(25), text)
		}
	}
}

// TestUnitNames checks that no name means two units, and that ids come before names.
func TestUnitNames(t *testing.T) {
	owner := map[string]string{}
	for _, category := range unitTable {
		for _, row := range category.rows {
			for name := range strings.SplitSeq(row.names, ",") {
				if name == "" {
					continue
				}
				if name != strings.ToLower(name) || strings.ContainsAny(name, "_-") {
					t.Errorf("%q of %s cannot be found as it is spelt", name, row.id)
				}
				if other := owner[name]; other != "" {
					t.Errorf("%q means %s and %s", name, other, row.id)
				}
				owner[name] = row.id
			}
			if u, _ := units.find(row.id); u == nil || u.id != row.id || u.category != category.category {
				t.Errorf("%s finds %+v", row.id, u)
			}
		}
	}
	for _, v := range vagueUnits {
		if owner[v.word] != "" {
			t.Errorf("%q is vague and means %s", v.word, owner[v.word])
		}
		if u, warning := units.find(strings.ToUpper(v.word) + "S"); u == nil || u.id != v.id || warning == "" {
			t.Errorf("the plural of %q finds %+v, %q", v.word, u, warning)
		}
	}
	// Ids that differ in case only must not find each other.
	for _, pair := range [][2]string{{"mW", "MW"}, {"C", "c"}, {"Mbit", "mbit"}, {"MB", "Mb"}, {"mPa", "MPa"}} {
		a, _ := units.find(pair[0])
		b, _ := units.find(pair[1])
		if a != nil && a == b {
			t.Errorf("%s and %s are the same unit", pair[0], pair[1])
		}
	}
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
			out, err := unitConvert(t.Context(), unitConvertIn{Value: c.value, From: c.from, To: to})
			if err != nil || out.Result-want > 1e-12 || want-out.Result > 1e-12 {
				t.Errorf("%v %s is %v %s, %v, want %v", c.value, c.from, out.Result, to, err, want)
			}
		}
	}
}
