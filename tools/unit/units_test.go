package unit

import (
	"math/big"
	"strings"
	"testing"

	"slipstick/tools/decimal"
)

// TestUnitDefinitions compares every factor to the base unit with its published value.
func TestUnitDefinitions(t *testing.T) {
	// The source is NIST SP 811 (2008) appendix B, or the definition; values are exact unless they
	// end in "…".
	published := map[string]string{
		"m": "1", "km": "1000", "cm": "0.01", "mm": "0.001", "um": "0.000001", "nm": "0.000000001",
		"in": "0.0254", "ft": "0.3048", "yd": "0.9144", "mi": "1609.344",
		"mil": "0.0000254", "nmi": "1852", "ft_us": "0.304800609601219…", "au": "149597870700",
		"ly": "9460730472580800", "pc": "30856775814913672…", "angstrom": "0.0000000001",
		"m2": "1", "km2": "1000000", "cm2": "0.0001", "mm2": "0.000001", "ha": "10000",
		"in2": "0.00064516", "ft2": "0.09290304", "yd2": "0.83612736", "acre": "4046.8564224",
		"mi2": "2589988.110336", "cmil": "0.000000000506707479097497…",
		"kcmil": "0.000000506707479097497…",
		"m3":    "1", "L": "0.001", "mL": "0.000001", "cm3": "0.000001", "mm3": "0.000000001",
		"in3": "0.000016387064", "ft3": "0.028316846592", "yd3": "0.764554857984",
		"gal_us": "0.003785411784", "qt_us": "0.000946352946", "pt_us": "0.000473176473",
		"cup_us": "0.0002365882365", "floz_us": "0.0000295735295625",
		"tbsp_us": "0.00001478676478125",
		"tsp_us":  "0.00000492892159375", "gal_imp": "0.00454609", "qt_imp": "0.0011365225",
		"pt_imp": "0.00056826125", "floz_imp": "0.0000284130625", "bbl_oil": "0.158987294928",
		"acre_ft": "1233.48183754752",
		"kg":      "1", "g": "0.001", "mg": "0.000001", "ug": "0.000000001", "t": "1000",
		"lb": "0.45359237", "oz": "0.028349523125", "st": "6.35029318", "ton_us": "907.18474",
		"ton_uk": "1016.0469088",
		"oz_t":   "0.0311034768", "gr": "0.00006479891", "ct": "0.0002",
		"slug": "14.5939029372063…",
		"C":    "1", "K": "1", "F": "0.555555555555555…", "R": "0.555555555555555…",
		"m/s": "1", "km/h": "0.277777777777777…", "mph": "0.44704", "kn": "0.514444444444444…",
		"ft/s": "0.3048", "ft/min": "0.00508", "in/s": "0.0254", "c": "299792458",
		"Pa": "1", "kPa": "1000", "MPa": "1000000", "hPa": "100", "bar": "100000", "mbar": "100",
		"psi": "6894.75729316836…", "ksi": "6894757.29316836…", "psf": "47.8802589803358…",
		"atm": "101325",
		"at":  "98066.5", "torr": "133.322368421052…", "mmHg": "133.322387415",
		"inHg": "3386.388640341", "cmH2O": "98.0665", "inH2O": "249.08891",
		"mmH2O": "9.80665",
		"J":     "1", "kJ": "1000", "MJ": "1000000", "GJ": "1000000000", "Wh": "3600", "kWh": "3600000",
		"MWh": "3600000000", "cal": "4.184", "kcal": "4184", "cal_IT": "4.1868",
		"BTU":      "1055.05585262",
		"therm_us": "105480400", "ft_lbf": "1.3558179483314004", "erg": "0.0000001",
		"eV": "0.0000000000000000001602176634", "ton_tnt": "4184000000",
		"W": "1", "mW": "0.001", "kW": "1000", "MW": "1000000", "GW": "1000000000",
		"hp": "745.69987158227022", "hp_metric": "735.49875", "hp_electric": "746",
		"BTU/h":    "0.293071070172222…",
		"ft_lbf/s": "1.3558179483314004", "ton_refrigeration": "3516.85284206666…",
		"V": "1", "mV": "0.001", "uV": "0.000001", "kV": "1000",
		"bit": "1", "kbit": "1000", "Mbit": "1000000", "Gbit": "1000000000",
		"Tbit": "1000000000000", "Kibit": "1024", "Mibit": "1048576", "Gibit": "1073741824",
		"B": "8", "kB": "8000", "MB": "8000000", "GB": "8000000000", "TB": "8000000000000",
		"PB":  "8000000000000000",
		"KiB": "8192", "MiB": "8388608", "GiB": "8589934592", "TiB": "8796093022208",
		"PiB": "9007199254740992",
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
		difference := new(big.Rat).Sub(u.Factor.Rat(), want)
		_, decimals, _ := strings.Cut(digits, ".")
		unitInLast := new(big.Rat).SetFrac(big.NewInt(1), decimal.Pow10(len(decimals)))
		if difference.Sign() != 0 && (!cut || difference.Sign() < 0 ||
			difference.Cmp(unitInLast) >= 0) {
			t.Errorf("1 %s is %s, published %s", id, u.Factor.Rat().FloatString(25), text)
		}
	}
}

// TestUnitNames verifies that no name has two units, and that ids precede names.
func TestUnitNames(t *testing.T) {
	owner := map[string]string{}
	for _, category := range table {
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
			if u, _ := Find(row.id); u == nil || u.ID != row.id || u.Category != category.category {
				t.Errorf("%s finds %+v", row.id, u)
			}
		}
	}
	for _, v := range vagueUnits {
		if owner[v.word] != "" {
			t.Errorf("%q is vague and means %s", v.word, owner[v.word])
		}
		if u, warning := Find(strings.ToUpper(v.word) + "S"); u == nil || u.ID != v.id ||
			warning == "" {
			t.Errorf("the plural of %q finds %+v, %q", v.word, u, warning)
		}
	}
	for word, id := range map[string]string{
		"ft^2": "ft2", "ft²": "ft2", "sq ft": "ft2", "Sq Ft": "ft2", "square mi": "mi2",
		"m^3": "m3", "cu ft": "ft3", "cubic in": "in3", "foo m": "", "m^": "m",
	} {
		if u, _ := Find(word); (u != nil) != (id != "") || u != nil && u.ID != id {
			t.Errorf("%q finds %+v", word, u)
		}
	}
	// Ids that differ in case only must remain distinct.
	for _, pair := range [][2]string{{"mW", "MW"}, {"C", "c"}, {"Mbit", "mbit"}, {"MB", "Mb"},
		{"mPa", "MPa"}} {
		a, _ := Find(pair[0])
		b, _ := Find(pair[1])
		if a != nil && a == b {
			t.Errorf("%s and %s are the same unit", pair[0], pair[1])
		}
	}
}
