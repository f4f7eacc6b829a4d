// Package unit defines units of measure with their exact factors, and logarithmic units.
package unit

import (
	"math"
	"slices"
	"strings"

	"slipstick/tools/decimal"
)

// Unit is a unit of measure.
type Unit struct {
	ID       string // case-sensitive
	Category string
	Factor   decimal.Fraction // factor to the base unit of the category
}

// row is a row of the table. factor is the size of the unit in base units. It is a product or
// quotient of exact decimals and of units defined above.
type row struct{ id, factor, names string }

// pi50 is π to 50 decimals (OEIS A000796), far more than the precision of a double.
const pi50 = "3.14159265358979323846264338327950288419716939937510"

// table contains the definitions. The inch, pound, gallon, BTU, therm and conventional columns are
// from NIST SP 811 (2008), appendix B. The exact electron volt and speed of light are from the SI
// brochure, 9th edition. The au and parsec are from IAU 2012 B2 and 2015 B2, and the binary
// prefixes from IEC 80000-13.
var table = []struct {
	category string
	rows     []row
}{
	{"length", []row{
		{"m", "1", "meter,metre"},
		{"km", "1000", "kilometer,kilometre"},
		{"cm", "0.01", "centimeter,centimetre"},
		{"mm", "0.001", "millimeter,millimetre"},
		{"um", "1e-6", "micrometer,micrometre,micron,µm,μm"},
		{"nm", "1e-9", "nanometer,nanometre"},
		{"in", "0.0254", "inch,inches,international inch,international inches"},
		{"ft", "0.3048", "foot,feet,international foot,international feet"},
		{"yd", "0.9144", "yard,international yard"},
		{"mi", "1609.344", "mile,international mile,statute mile"},
		{"mil", "0.0254/1000", "thou"},
		{"nmi", "1852", "nautical mile"},
		{"ft_us", "1200/3937", "us survey foot,us survey feet,survey foot,survey feet"},
		{"au", "149597870700", "astronomical unit"},
		{"ly", "9460730472580800", "light year,lightyear"},
		{"pc", "648000/pi*au", "parsec"},
		{"angstrom", "1e-10", "ångström,angström"},
	}},
	{"area", []row{
		{"m2", "1", "square meter,square metre,m²"},
		{"km2", "1e6", "square kilometer,square kilometre,km²"},
		{"cm2", "1e-4", "square centimeter,square centimetre,cm²"},
		{"mm2", "1e-6", "square millimeter,square millimetre,mm²"},
		{"ha", "1e4", "hectare"},
		{"in2", "in*in", "square inch,square inches,in²"},
		{"ft2", "ft*ft", "square foot,square feet,ft²"},
		{"yd2", "yd*yd", "square yard,yd²"},
		{"acre", "4840*yd2", "acre"},
		{"mi2", "mi*mi", "square mile,mi²"},
		{"cmil", "pi/4*mil*mil", "circular mil"},
		{"kcmil", "1000*cmil", "mcm,thousand circular mils"},
	}},
	{"volume", []row{
		{"m3", "1", "cubic meter,cubic metre,m³"},
		{"L", "0.001", "liter,litre"},
		{"mL", "1e-6", "milliliter,millilitre"},
		{"cm3", "1e-6", "cubic centimeter,cubic centimetre,cm³"},
		{"mm3", "1e-9", "cubic millimeter,cubic millimetre,mm³"},
		{"in3", "in*in*in", "cubic inch,cubic inches,in³"},
		{"ft3", "ft*ft*ft", "cubic foot,cubic feet,ft³"},
		{"yd3", "yd*yd*yd", "cubic yard,yd³"},
		{"gal_us", "231*in3", "us gallon"},
		{"qt_us", "gal_us/4", "us quart"},
		{"pt_us", "gal_us/8", "us pint"},
		{"cup_us", "gal_us/16", "us cup"},
		{"floz_us", "gal_us/128", "us fluid ounce"},
		{"tbsp_us", "gal_us/256", "us tablespoon"},
		{"tsp_us", "gal_us/768", "us teaspoon"},
		{"gal_imp", "4.54609*L", "imperial gallon,uk gallon"},
		{"qt_imp", "gal_imp/4", "imperial quart,uk quart"},
		{"pt_imp", "gal_imp/8", "imperial pint,uk pint"},
		{"floz_imp", "gal_imp/160", "imperial fluid ounce,uk fluid ounce"},
		{"bbl_oil", "42*gal_us", "oil barrel,barrel of oil,barrels of oil"},
		{"acre_ft", "acre*ft", "acre foot,acre feet"},
	}},
	{"mass", []row{
		{"kg", "1", "kilogram,kilogramme"},
		{"g", "0.001", "gram,gramme"},
		{"mg", "1e-6", "milligram,milligramme"},
		{"ug", "1e-9", "microgram,microgramme,µg,μg"},
		{"t", "1000", "tonne,metric ton"},
		{"lb", "0.45359237", "pound,avoirdupois pound"},
		{"oz", "lb/16", "ounce,avoirdupois ounce"},
		{"st", "14*lb", "stone"},
		{"ton_us", "2000*lb", "short ton,us ton"},
		{"ton_uk", "2240*lb", "long ton,uk ton,imperial ton"},
		{"oz_t", "480/7000*lb", "troy ounce,troy oz,ozt"},
		{"gr", "lb/7000", "grain"},
		{"ct", "0.0002", "carat,metric carat"},
		{"slug", "lb*9.80665/ft", "slug"},
	}},
	{"temperature", []row{
		{"C", "1", "celsius,degree celsius,degrees celsius,centigrade,°c,degc,deg c"},
		{"F", "5/9", "fahrenheit,degree fahrenheit,degrees fahrenheit,°f,degf,deg f"},
		{"K", "1", "kelvin"},
		{"R", "5/9", "rankine,degree rankine,degrees rankine,°r,degr"},
	}},
	{"speed", []row{
		{"m/s", "1", "meter per second,metre per second,meters per second,metres per second"},
		{"km/h", "1/3.6",
			"kilometer per hour,kilometre per hour,kilometers per hour,kilometres per hour,kph"},
		{"mph", "mi/3600", "mile per hour,miles per hour"},
		{"kn", "1852/3600", "knot"},
		{"ft/s", "ft", "foot per second,feet per second"},
		{"ft/min", "ft/60", "foot per minute,feet per minute"},
		{"in/s", "in", "inch per second,inches per second"},
		{"c", "299792458", "speed of light"},
	}},
	{"pressure", []row{
		{"Pa", "1", "pascal"},
		{"kPa", "1000", "kilopascal"},
		{"MPa", "1e6", "megapascal"},
		{"hPa", "100", "hectopascal"},
		{"bar", "1e5", "bar"},
		{"mbar", "100", "millibar"},
		{"psi", "lb*9.80665/in2", "psi,pound per square inch,pounds per square inch,lbf/in2"},
		{"ksi", "1000*psi", "kilopound per square inch,kilopounds per square inch"},
		{"psf", "lb*9.80665/ft2", "pound per square foot,pounds per square foot"},
		{"atm", "101325", "standard atmosphere,atmosphere"},
		{"at", "98066.5", "technical atmosphere,kgf/cm2,kgf/cm²"},
		{"torr", "atm/760", "torr"},
		{"mmHg", "133.322387415", "millimeter of mercury,millimetre of mercury,millimeters of mercury,millimetres of mercury"},
		{"inHg", "25.4*mmHg", "inch of mercury,inches of mercury"},
		{"cmH2O", "98.0665",
			"centimeter of water,centimetre of water,centimeters of water,centimetres of water"},
		{"mmH2O", "cmH2O/10",
			"millimeter of water,millimetre of water,millimeters of water,millimetres of water"},
		{"inH2O", "2.54*cmH2O", "inch of water,inches of water"},
	}},
	{"energy", []row{
		{"J", "1", "joule"},
		{"kJ", "1000", "kilojoule"},
		{"MJ", "1e6", "megajoule"},
		{"GJ", "1e9", "gigajoule"},
		{"Wh", "3600", "watt hour"},
		{"kWh", "3.6e6", "kilowatt hour"},
		{"MWh", "3.6e9", "megawatt hour"},
		{"cal", "4.184", "thermochemical calorie"},
		{"kcal", "4184", "kilocalorie,kilogram calorie,food calorie"},
		{"cal_IT", "4.1868", "international table calorie"},
		{"BTU", "1055.05585262", "btu,british thermal unit"},
		{"therm_us", "105480400", "us therm"},
		{"ft_lbf", "ft*lb*9.80665", "foot pound,foot pound force,ft lb,ft lbf"},
		{"erg", "1e-7", "erg"},
		{"eV", "1.602176634e-19", "electronvolt,electron volt"},
		{"ton_tnt", "4.184e9", "ton of tnt,tons of tnt"},
	}},
	{"power", []row{
		{"W", "1", "watt"},
		{"mW", "0.001", "milliwatt"},
		{"kW", "1000", "kilowatt"},
		{"MW", "1e6", "megawatt"},
		{"GW", "1e9", "gigawatt"},
		{"hp", "550*ft_lbf", "mechanical horsepower,imperial horsepower"},
		{"hp_metric", "75*9.80665", "metric horsepower,ps,cv"},
		{"hp_electric", "746", "electric horsepower,electrical horsepower"},
		{"BTU/h", "BTU/3600",
			"btu/h,btu per hour,british thermal unit per hour,british thermal units per hour"},
		{"ft_lbf/s", "ft_lbf",
			"foot pound per second,foot pounds per second,foot pound force per second"},
		{"ton_refrigeration", "12000*BTU/3600",
			"ton of refrigeration,tons of refrigeration,refrigeration ton"},
	}},
	{"voltage", []row{
		{"V", "1", "volt"},
		{"mV", "0.001", "millivolt"},
		{"uV", "1e-6", "microvolt,µv,μv"},
		{"kV", "1000", "kilovolt"},
	}},
	{"data", []row{
		{"bit", "1", "bit"},
		{"kbit", "1e3", "kilobit"},
		{"Mbit", "1e6", "megabit"},
		{"Gbit", "1e9", "gigabit"},
		{"Tbit", "1e12", "terabit"},
		{"Kibit", "1024", "kibibit"},
		{"Mibit", "1048576", "mebibit"},
		{"Gibit", "1073741824", "gibibit"},
		{"B", "8", "byte,octet"},
		{"kB", "8e3", "kilobyte"},
		{"MB", "8e6", "megabyte"},
		{"GB", "8e9", "gigabyte"},
		{"TB", "8e12", "terabyte"},
		{"PB", "8e15", "petabyte"},
		{"KiB", "8*1024", "kibibyte"},
		{"MiB", "8*1048576", "mebibyte"},
		{"GiB", "8*1073741824", "gibibyte"},
		{"TiB", "8*1099511627776", "tebibyte"},
		{"PiB", "8*1125899906842624", "pebibyte"},
	}},
}

// vagueUnits are names that denote several units. The warning names the unit that is used.
var vagueUnits = []struct{ word, id, warning string }{
	{"gal", "gal_us", "the US gallon of 231 cubic inches; the imperial one is gal_imp"},
	{"gallon", "gal_us", "the US gallon of 231 cubic inches; the imperial one is gal_imp"},
	{"quart", "qt_us", "the US quart; the imperial one is qt_imp"},
	{"pint", "pt_us", "the US pint; the imperial one is pt_imp"},
	{"cup", "cup_us", "the US cup of 1/16 gallon"},
	{"fluid ounce", "floz_us", "the US fluid ounce; the imperial one is floz_imp"},
	{"tablespoon", "tbsp_us", "the US tablespoon"},
	{"tbsp", "tbsp_us", "the US tablespoon"},
	{"teaspoon", "tsp_us", "the US teaspoon"},
	{"tsp", "tsp_us", "the US teaspoon"},
	{"barrel", "bbl_oil", "the oil barrel of 42 US gallons"},
	{"bbl", "bbl_oil", "the oil barrel of 42 US gallons"},
	{"lb ft", "ft_lbf", "an energy; a torque in N·m has the number of the energy in J"},
	{"lbf ft", "ft_lbf", "an energy; a torque in N·m has the number of the energy in J"},
	{"ton", "ton_us", "the short ton of 2000 lb; the long ton is ton_uk, the tonne t"},
	{"hp", "hp", "mechanical horsepower of 550 ft lbf/s; others are hp_metric and hp_electric"},
	{"horsepower", "hp",
		"mechanical horsepower of 550 ft lbf/s; others are hp_metric and hp_electric"},
	{"cal", "cal", "the thermochemical calorie of 4.184 J; others are cal_IT and, for food, kcal"},
	{"calorie", "cal",
		"the thermochemical calorie of 4.184 J; others are cal_IT and, for food, kcal"},
	{"therm", "therm_us", "the US therm"},
}

// units contains all units by id and by their other names. It is built once and never modified.
var units = newIndex()

type index struct {
	byID   map[string]*Unit
	byName map[string]*Unit
	vague  map[string]string // warning for a vague word as spelled
	all    []string          // ids and names, for suggestions
}

func newIndex() index {
	x := index{map[string]*Unit{}, map[string]*Unit{}, map[string]string{}, nil}
	name := func(name string, u *Unit) {
		for _, n := range []string{name, plural(name)} {
			if x.byName[n] == nil {
				x.byName[n] = u
				x.all = append(x.all, n)
			}
		}
	}
	for _, category := range table {
		for _, row := range category.rows {
			u := &Unit{ID: row.id, Category: category.category, Factor: x.product(row.factor)}
			x.byID[u.ID] = u
			x.all = append(x.all, u.ID)
			for n := range strings.SplitSeq(row.names, ",") {
				if n != "" {
					name(n, u)
				}
			}
		}
	}
	for _, v := range vagueUnits {
		name(v.word, x.byID[v.id])
		x.vague[v.word], x.vague[plural(v.word)] = v.warning, v.warning
	}
	return x
}

// plural returns the plural of an English unit name. Irregular plurals are listed with their names.
func plural(name string) string {
	for _, end := range []string{"s", "z", "feet", "foot", "inch"} {
		if strings.HasSuffix(name, end) {
			return name
		}
	}
	if strings.ContainsAny(name, "/²³µμ°") || strings.Contains(name, " per ") ||
		strings.Contains(name, " of ") {
		return name
	}
	return name + "s"
}

// product evaluates an expression such as "648000/pi*au" of numbers, pi and previously defined
// units.
func (x index) product(s string) decimal.Fraction {
	r := decimal.Whole(1)
	divide := false
	for s != "" {
		end := strings.IndexAny(s, "*/")
		word, operator := s, byte('*')
		if end >= 0 {
			word, operator, s = s[:end], s[end], s[end+1:]
		} else {
			s = ""
		}
		if word == "pi" {
			word = pi50
		}
		var f decimal.Fraction
		if u := x.byID[word]; u != nil {
			f = u.Factor
		} else if d, err := decimal.Parse(word); err == nil {
			f = d.Exact()
		} else {
			panic("unit: factor " + word)
		}
		if divide {
			r = r.Over(f)
		} else {
			r = r.Times(f)
		}
		divide = operator == '/'
	}
	return r
}

// powers replaces the notations of a square and a cube by that of the ids.
var powers = strings.NewReplacer("^", "", "²", "2", "³", "3")

// exponents maps words before a length to the exponent at the end of the id.
var exponents = map[string]string{"sq": "2", "square": "2", "cu": "3", "cubic": "3"}

// Find returns the unit with an id, which may be written as in ft^2 or sq ft, or with an English
// name in any case; nil if there is none. The warning is not empty if the word denotes several
// units.
func Find(word string) (u *Unit, warning string) {
	words := strings.FieldsFunc(strings.ToLower(word),
		func(r rune) bool { return strings.ContainsRune(" _-·", r) })
	spelt := strings.Join(words, " ")
	if u = units.byID[word]; u == nil {
		u = units.byID[powers.Replace(word)] // ft^2 and ft² are ft2
	}
	if u == nil {
		u = units.byName[spelt]
	}
	if u == nil && len(words) == 2 && exponents[words[0]] != "" {
		u = units.byID[words[1]+exponents[words[0]]] // sq ft is ft2
	}
	if u == nil {
		return nil, ""
	}
	return u, units.vague[spelt]
}

// Names returns the ids and names of all units and scales for use in suggestions.
func Names() []string {
	names := slices.Clone(units.all)
	for _, s := range levelsAndGauges {
		names = append(names, s.ID)
	}
	return names
}

// ByCategory returns the ids of units and scales by category, in table order.
func ByCategory() map[string][]string {
	list := map[string][]string{}
	for _, c := range table {
		for _, row := range c.rows {
			list[c.category] = append(list[c.category], row.id)
		}
	}
	for _, s := range levelsAndGauges {
		list[s.Category] = append(list[s.Category], s.ID)
	}
	return list
}

// List returns the ids of all units and scales in words, by category in table order.
func List() string {
	var b strings.Builder
	ids := ByCategory()
	for i, c := range table {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.category + ": " + strings.Join(ids[c.category], ", "))
	}
	return b.String()
}

// Scale is a unit that is not a multiple of another: a level or a gauge. ToBase converts a value to
// the base unit of the category (W, V, m, m²). FromBase converts a positive value back. Both return
// NaN outside the gauge.
type Scale struct {
	ID, Category     string
	ToBase, FromBase func(float64) float64
}

// levelsAndGauges contains all scales. It is built once and never modified.
var levelsAndGauges = scales()

// voltageOfDBu is the voltage of 1 mW in 600 Ω: 0.7746 V.
var voltageOfDBu = math.Sqrt(0.6)

// level returns the scale of a voltage level in decibels relative to a reference [V] (IEC 60027-3).
func level(id string, reference float64) Scale {
	return Scale{
		id, "voltage", func(x float64) float64 { return reference * math.Pow(10, x/20) },
		func(v float64) float64 { return 20 * math.Log10(v/reference) },
	}
}

// scales returns the levels of power and voltage (IEC 60027-3), and the wire gauges as areas and as
// diameters.
func scales() []Scale {
	list := []Scale{
		{"dBm", "power", func(x float64) float64 {
			return math.Pow(10, x/10-3)
		}, func(w float64) float64 { return 10*math.Log10(w) + 30 }},
		{"dBW", "power", func(x float64) float64 {
			return math.Pow(10, x/10)
		}, func(w float64) float64 { return 10 * math.Log10(w) }},
		level("dBV", 1), level("dBu", voltageOfDBu), level("dBmV", 1e-3), level("dBuV", 1e-6),
	}
	list = append(list, gauge("AWG", awgDiameter, awgNumber)...)
	return append(list, gauge("SWG", swgDiameter, swgNumber)...)
}

// gauge returns the two scales of a wire gauge: area and diameter [m].
func gauge(id string, diameter, number func(float64) float64) []Scale {
	return []Scale{
		{id, "area", func(n float64) float64 {
			d := diameter(n)
			return math.Pi / 4 * d * d
		}, func(area float64) float64 { return number(math.Sqrt(4 * area / math.Pi)) }},
		{id, "length", diameter, number},
	}
}

// American wire gauge (ASTM B258): 0.127 mm · 92^((36 - n)/39), with n = 0 for 1/0, -3 for 4/0.
const awgFinest, awgRatio, awgSteps = 0.127e-3, 92.0, 39.0

func awgDiameter(n float64) float64 { return awgFinest * math.Pow(awgRatio, (36-n)/awgSteps) }

func awgNumber(d float64) float64 {
	return 36 - awgSteps*math.Log(d/awgFinest)/math.Log(awgRatio)
}

// swgThou contains the diameters of the British standard wire gauge (BS 3737:1964) from -6 (7/0) to
// 50, in units of 0.1 mil.
var swgThou = [...]float64{
	5000, 4640, 4320, 4000, 3720, 3480, 3240, 3000, 2760, 2520, 2320, 2120, 1920, 1760,
	1600, 1440, 1280, 1160, 1040, 920, 800, 720, 640, 560, 480, 400, 360, 320,
	280, 240, 220, 200, 180, 164, 148, 136, 124, 116, 108, 100, 92, 84,
	76, 68, 60, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12,
	10,
}

const (
	swgFirst = -6      // 7/0
	swgUnit  = 2.54e-6 // 0.1 mil [m]
)

// swgDiameter interpolates logarithmically between gauges.
func swgDiameter(n float64) float64 {
	low := math.Floor(n)
	i := int(low) - swgFirst
	if !(n >= swgFirst && n <= swgFirst+float64(len(swgThou)-1)) {
		return math.NaN()
	}
	if n == low {
		return swgThou[i] * swgUnit
	}
	return swgThou[i] * math.Pow(swgThou[i+1]/swgThou[i], n-low) * swgUnit
}

func swgNumber(d float64) float64 {
	thou := d / swgUnit
	// an integer gauge in another unit may deviate by the rounding of the unit
	const rounding = 1e-12
	last := len(swgThou) - 1
	if !(thou <= swgThou[0]*(1+rounding) && thou >= swgThou[last]*(1-rounding)) {
		return math.NaN()
	}
	i := 0
	for i < last-1 && thou < swgThou[i+1] {
		i++
	}
	return swgFirst + float64(i) + math.Log(thou/swgThou[i])/math.Log(swgThou[i+1]/swgThou[i])
}

// FindScale returns the scale with an id. Unless category is "", the scale must belong to it.
func FindScale(id, category string) (Scale, bool) {
	if id == "dBµV" || id == "dBμV" { // the signs U+00B5 and U+03BC
		id = "dBuV"
	}
	i := slices.IndexFunc(levelsAndGauges, func(s Scale) bool {
		return s.ID == id && (category == "" || s.Category == category)
	})
	if i < 0 {
		return Scale{}, false
	}
	return levelsAndGauges[i], true
}
