package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"slipstick/tools/schema"
)

// meaning is the field that an unknown name probably means.
type meaning struct {
	field *schema.Field
	unit  string // unit of the number according to the name; "" for none
	sure  bool   // the name has the same meaning as the field's name or label
}

// meant returns the field that an unknown name probably means. It prefers a field whose name or
// label has the same words, in any order and any unit. Next come the only field whose name begins
// with the name, and the only field of the unit that is the name. Then follow the field with the
// most words in common, the only field whose unit ends the name, and the only field of a quantity.
// A name such as pf is an abbreviation rather than a unit.
// An optional field whose name begins with the name has another meaning if it cannot have the
// value: a power of 20 is no power_save. A number out of range does not change the meaning, unless
// another such field accepts it.
func (r *reader) meant(n *schema.Node, m map[string]any, name string) (found meaning, ok bool) {
	plain := snake(name)
	var same, longer, outside, similar []meaning
	best, unfit := 0.0, false
	for _, f := range n.Fields {
		words, unit := r.splitUnit(name, plain, f)
		if f.Alias != "" && unit != f.Unit {
			continue
		}
		own, label := ownWords(f), wordsOf(f.Label)
		all := slices.Clone(own)
		for _, w := range label {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
		switch score := overlap(words, all); {
		case equalWords(words, own), equalWords(words, label),
			equalWords(wordsOf(plain), label), isSymbol(f, plain, unit):
			same = append(same, meaning{f, unit, true})
		case !isFree(m, f):
		case strings.HasPrefix(f.Name, plain+"_"):
			pure := f.Unit == "1" && isNumber(&f.Node)
			fits, inRange := r.fits(f, m[name])
			switch {
			case pure && quantityUnits[plain] != "": // power does not mean power_factor
			case f.Required || inRange:
				longer = append(longer, meaning{f, "", !pure})
			case fits:
				outside = append(outside, meaning{f, "", !pure})
			default:
				unfit = true
			}
		case score == 0 || score < best || !contains(all, words) && !contains(words, own):
		case score > best:
			best, similar = score, []meaning{{f, unit, false}}
		default:
			similar = append(similar, meaning{f, unit, false})
		}
	}
	if len(same) > 0 {
		found, ok = only(r.ofValue(same, m[name]))
		return found, ok && isFree(m, found.field)
	}
	if len(longer) == 0 {
		longer = outside
	}
	if unfit && len(longer) == 0 {
		return meaning{}, false
	}
	if r.noGuess && len(longer) != 1 { // the others are guesses
		return only(longer)
	}
	for _, list := range [][]meaning{longer, abbreviated(n, m, plain),
		r.ofUnit(n, m, name, plain, false), similar, r.ofUnit(n, m, name, plain, true)} {
		if found, ok = only(list); ok {
			return found, true
		}
	}
	return only(r.ofQuantity(n, m, plain))
}

// ofValue reduces several meanings to those of the fields that can have the value: a tax_rate of 8
// is no list of rates. The range of only one field may have it: a term of 360 is no 360 years. A
// value with a unit determines one meaning: of the fields that accept it, if they differ only in
// the unit of one quantity, it is the first.
func (r *reader) ofValue(list []meaning, v any) []meaning {
	if len(list) < 2 {
		return list
	}
	if _, isText := v.(string); !isText {
		var fit, inside []meaning
		for _, m := range list {
			fits, inRange := r.fits(m.field, v)
			if fits {
				fit = append(fit, m)
			}
			if inRange {
				inside = append(inside, m)
			}
		}
		if len(inside) == 1 {
			return inside
		}
		return fit
	}
	fitting := slices.DeleteFunc(slices.Clone(list), func(m meaning) bool {
		_, inRange := r.fits(m.field, v)
		return !inRange
	})
	written, _ := v.(string)
	if _, err := r.units.Quantity(written, "1"); err == nil { // a number without a unit
		return list
	}
	for _, m := range fitting {
		base := r.units.Base(m.field.Unit)
		if base == "" && len(fitting) > 1 || base != r.units.Base(fitting[0].field.Unit) {
			return list
		}
	}
	return fitting[:min(1, len(fitting))]
}

// fits reports whether a field accepts a value after its interpretation, apart from the range of a
// number, and whether the number is in range.
func (r *reader) fits(f *schema.Field, v any) (fits, inRange bool) {
	n := &f.Node
	raw, err := json.Marshal(v)
	if err != nil || n.Accepts(raw) {
		return err == nil, err == nil
	}
	trial := &reader{
		units: r.units, sources: r.sources, examined: r.examined, unknownNames: r.unknownNames,
	}
	clone, err := parse(raw) // because the interpretation changes objects and lists
	if err != nil {
		return false, false
	}
	v = trial.value(n, f.Name, "", clone)
	r.examined, r.unknownNames = trial.examined, trial.unknownNames
	if raw, err = json.Marshal(v); err != nil {
		return false, false
	}
	_, number := v.(json.Number)
	inRange = n.Accepts(raw)
	return inRange || number && isNumber(n), inRange
}

// isNumber reports whether a node is a number.
func isNumber(n *schema.Node) bool {
	return n.Kind == schema.Number || n.Kind == schema.Integer
}

// only returns the only meaning, or the only one with a required field.
func only(list []meaning) (meaning, bool) {
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(m meaning) bool { return !m.field.Required })
	}
	if len(list) != 1 {
		return meaning{}, false
	}
	return list[0], true
}

// abbreviated returns the free fields whose initials a name is, such as pf for power_factor.
func abbreviated(n *schema.Node, m map[string]any, plain string) (list []meaning) {
	for _, f := range n.Fields {
		isInitials := len(plain) > 1 &&
			(initials(ownName(f)) == plain || initials(f.Label) == plain)
		if isInitials && f.Alias == "" && isFree(m, f) {
			list = append(list, meaning{f, "", false})
		}
	}
	return list
}

// isSymbol reports whether a name, apart from its unit, is a symbol of a field.
func isSymbol(f *schema.Field, plain, unit string) bool {
	if slices.Contains(symbols[f.Name], plain) {
		return true
	}
	head, _, _ := cutLast(plain)
	return unit != "" && slices.Contains(symbols[f.Name], head)
}

// symbols are symbols and names of the trade by the fields that they mean.
var symbols = map[string][]string{
	"null_mean": {"mu0"},
	"n":         {"trials", "sample_size"}, "std_dev": {"sd", "stdev", "std", "standard_deviation"},
	"confidence_pct": {"confidence_level"}, "statistic": {"test_statistic"},
	"tail": {"tails", "alternative"},
	"price_per_kwh": {
		"rate", "cost_per_kwh", "electricity_rate", "electricity_price", "electricity_cost",
		"tariff",
	},
	"electricity_rate_per_kwh": {
		"rate", "cost_per_kwh", "price_per_kwh", "electricity_price", "electricity_cost", "tariff",
	},
	"system_cost": {"cost", "price"}, "system_kw": {"size", "system_size"},
	"c": {"hypotenuse"}, "radius": {"r"}, "diameter": {"d"},
	"value": {"number"}, "exponent": {"power"}, "whole": {"total"},
	"original_value": {"old", "from", "initial", "before"},
	"new_value":      {"to", "final", "after"},
	"price":          {"amount", "subtotal"}, "rate_pct": {"rate", "tax_rate", "sales_tax_rate"},
	"annual_rate_pct": {"rate", "interest_rate", "annual_interest_rate"},
	"amount":          {"salary"}, "split": {"people", "split_between", "number_of_people"},
	"total_points":  {"total", "max_points", "possible"},
	"earned_points": {"score", "earned", "points", "correct"},
	"round_to":      {"digits", "figures"},
	"areas":         {"rooms"},
	"led_count":     {"leds"}, "led_color": {"color", "colour"}, "bands": {"colors", "colours"},
	"years": {"time"}, "term_years": {"years"}, "principal": {"amount", "loan_amount"},
	"compounds_per_year":     {"compounding", "compounding_frequency"},
	"system":                 {"phase", "phases", "number_of_phases", "num_phases"},
	"start_soc_pct":          {"soc", "state_of_charge", "initial_soc"},
	"depth_of_discharge_pct": {"dod"}, "power_factor": {"pf"},
	"supply_voltage_v":  {"vin", "vcc", "vdd", "vs"},
	"supply_v":          {"vin", "vcc", "vdd", "vs"},
	"system_voltage_v":  {"battery_voltage", "bank_voltage"},
	"forward_voltage_v": {"vf"}, "current_a": {"if"},
	"charge_current_a": {"charger_current", "charging_current"},
	"cutoff_hz":        {"fc", "f_c", "cutoff_frequency", "corner_frequency"},
	"source_r_ohm":     {"z0", "source", "source_impedance", "source_z", "zs"},
	"load_r_ohm":       {"load", "load_impedance", "load_z", "zl"},
	"z0_ohm":           {"impedance", "characteristic_impedance"},
	"awg":              {"gauge", "wire_gauge", "wire_size"},
	"track_width_mm":   {"trace_width"},
	"copper_oz":        {"copper_thickness"}, "temp_rise_c": {"dt", "delta_t"},
	"vswr": {"swr"}, "rx_power_dbm": {"rssi"}, "rx_sensitivity_dbm": {"sensitivity"},
	"terrain": {"environment"}, "channel_preset": {"preset", "modem_preset"},
	"fan_flow_m3_h": {"fan_airflow", "airflow"},
	"from_base":     {"from"}, "to_base": {"to"},
	"outer_ip":      {"ip_version"},
	"floor_area_m2": {"area", "room_area", "room_size", "square"},
	"components":    {"parts"}, "nets": {"connections"},
	"points": {"steps", "num", "count", "num_points", "number_of_points"}, "to": {"stop"},
	"vary": {"sweep", "sweeps", "variations"},
}

// initials returns the first letters of the words of a name or label, without remarks.
func initials(text string) string {
	text, _, _ = strings.Cut(text, " (")
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) {
		first, _ := utf8.DecodeRuneInString(word)
		b.WriteRune(first)
	}
	return b.String()
}

// ofUnit returns the free fields with a unit that is the complete name, such as "volts" or "mhz".
// If suffix is set, the unit is only the end of the name, such as "i_ma". A name of several words
// before its unit then has one in common with the field, which is no quantity: active_time_s means
// no rated_hours. It returns only required fields and those with an example, if any. For a loan,
// "years" means its term rather than its amortization.
func (r *reader) ofUnit(
	n *schema.Node, m map[string]any, name, plain string, suffix bool,
) (list []meaning) {
	head, last, _ := cutLast(plain)
	words := wordsOf(head)
	isMore := len(words) > 1
	words = slices.DeleteFunc(words, func(w string) bool { return quantityUnits[w] != "" })
	for _, f := range n.Fields {
		if suffix && isMore && !intersects(words, ownWords(f)) &&
			!intersects(words, wordsOf(f.Label)) {
			continue
		}
		unit := r.unitNamed(name, plain, f)
		partial := r.unitNamed(name, last, f) == unit // unit at the end of the name, as in i_ma
		if unit != "" && partial == suffix && len(plain) > 1 && f.Alias == "" && isFree(m, f) {
			list = append(list, meaning{f, unit, false})
		}
	}
	usual := slices.DeleteFunc(slices.Clone(list), func(m meaning) bool {
		return !m.field.Required && m.field.Example == nil
	})
	if len(usual) > 0 {
		return usual
	}
	return list
}

// ofQuantity returns the free fields with the quantity that a name such as "v" or "voltage" means.
func (r *reader) ofQuantity(n *schema.Node, m map[string]any, plain string) (list []meaning) {
	base := quantityUnits[plain]
	for _, f := range n.Fields {
		if base != "" && r.units.Base(f.Unit) == base && f.Alias == "" && isFree(m, f) {
			list = append(list, meaning{f, "", false})
		}
	}
	return list
}

// quantityUnits maps quantities and their symbols to their base units.
var quantityUnits = map[string]string{
	"v": "V", "u": "V", "e": "V", "voltage": "V", "potential": "V",
	"i": "A", "current": "A", "amperage": "A",
	"r": "Ω", "z": "Ω", "resistance": "Ω", "impedance": "Ω",
	"p": "W", "power": "W", "wattage": "W",
	"c": "F", "capacitance": "F", "l": "H", "inductance": "H",
	"f": "Hz", "freq": "Hz", "frequency": "Hz",
	"t": "s", "time": "s", "duration": "s",
	"d": "m", "dist": "m", "distance": "m", "length": "m", "range": "m",
	"energy": "Wh", "mass": "g", "weight": "g", "bitrate": "bit/s", "bandwidth": "bit/s",
}

// splitUnit returns the words of a name without a trailing unit of the field, and that unit. The
// unit is "" if the name states none.
func (r *reader) splitUnit(name, plain string, f *schema.Field) (words []string, unit string) {
	head, last, ok := cutLast(plain)
	if !ok { // volts, which wordsOf returns as voltage, states the unit too
		return wordsOf(plain), r.unitNamed(name, plain, f)
	}
	if unit = r.unitNamed(name, last, f); unit != "" {
		return wordsOf(head), unit
	}
	if before, first, ok := cutLast(head); ok { // area_sq_ft
		if unit = first + " " + last; factors[f.Unit][unit] != 0 {
			return wordsOf(before), unit
		}
	}
	return wordsOf(plain), ""
}

// cutLast splits a name before its last word.
func cutLast(name string) (head, last string, ok bool) {
	i := strings.LastIndex(name, "_")
	if i < 1 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// unitNamed returns the unit of the field's quantity that a word means, as "ghz" and "gigahertz"
// mean GHz; "" for none. name is the complete original name, whose letter case distinguishes mW
// from MW.
func (r *reader) unitNamed(name, word string, f *schema.Field) string {
	if f.Unit == "" || f.Unit == "1" || f.Kind == schema.String {
		return ""
	}
	if schema.NameImpliesUnit("x_"+word, f.Unit) {
		return f.Unit
	}
	if f.Unit == "dBm" {
		f = &schema.Field{Name: f.Name, Node: schema.Node{Unit: "mW"}}
		if schema.NameImpliesUnit("x_"+word, f.Unit) {
			return f.Unit
		}
	}
	if f.Unit == "dBi" && word == "dbd" {
		return "dBd"
	}
	if f.Unit == ouncePerSquareFoot && (word == "um" || word == "mm" || word == "mil") {
		return word
	}
	if spaced := strings.ReplaceAll(word, "_", " "); factors[f.Unit][spaced] != 0 {
		return spaced
	}
	symbol := spelled[strings.TrimSuffix(word, "s")]
	if f.Unit == "°C" && len(word) == 1 {
		symbol = map[string]string{"f": "°F", "k": "K"}[word]
	}
	if symbol != "" {
		if _, err := r.units.Quantity("1"+symbol, f.Unit); err == nil {
			return symbol
		}
	}
	var fit []string
	for _, unit := range r.units.Units(f.Unit) {
		if schema.NameHasUnit("x_"+word, unit) {
			fit = append(fit, unit)
		}
	}
	if len(fit) == 2 { // milli and mega both match
		fit = slices.DeleteFunc(fit, func(unit string) bool {
			return !r.usual(name, f.Unit, unit)
		})
	}
	if len(fit) != 1 {
		return ""
	}
	return fit[0]
}

// usual reports whether a unit is the usual meaning of a lower-case name that could mean milli or
// mega. Usual are mW and mA, but MHz and Mbit/s. Names of other quantities are ambiguous, and so
// are names for fields in a multiple of the base unit: generator_mw for kW.
func (r *reader) usual(name, field, unit string) bool {
	if strings.ContainsFunc(name, unicode.IsLower) && strings.ContainsFunc(name, unicode.IsUpper) {
		return strings.HasSuffix(name, unit)
	}
	switch r.units.Base(unit) {
	case "Hz", "bit/s", "B", "Pa":
		return unit[0] == 'M'
	case "V", "A", "W", "F", "H", "s", "m", "g":
		return unit[0] == 'm' && !strings.HasPrefix(field, "k") && !strings.HasPrefix(field, "M")
	}
	return false
}

// statesOther reports whether a name ends with a unit of another quantity, or with a unit that
// may mean milli or mega.
func (r *reader) statesOther(name string, f *schema.Field) bool {
	_, last, ok := cutLast(snake(name))
	if !ok || r.unitNamed(name, last, f) != "" || schema.NameHasUnit(f.Name, last) {
		return false
	}
	return slices.Contains(otherUnits, last) || spelled[strings.TrimSuffix(last, "s")] != "" ||
		r.units.IsUnit(last)
}

// otherUnits are units in names that package quantity does not define.
var otherUnits = strings.Fields(
	"db dbm dbi dbd dbw dbuv pct percent c f k deg rad rpm oz awg u btu btuh cal kcal")

// ownWords returns the words of a field's name without its unit.
func ownWords(f *schema.Field) []string { return wordsOf(ownName(f)) }

// ownName returns the name of a field without its unit.
func ownName(f *schema.Field) string {
	if f.Unit == "" || f.Unit == "1" {
		return f.Name
	}
	head := f.Name
	for range strings.Count(f.Unit, "/") + 1 { // m³/h has two words, as in m3_h
		var ok bool
		if head, _, ok = cutLast(head); !ok {
			return f.Name
		}
		if schema.NameImpliesUnit("x"+f.Name[len(head):], f.Unit) {
			return head
		}
	}
	return f.Name
}

// wordsOf returns the distinct words of a name or label in normalized form. It removes plural
// endings, fillers and remarks in parentheses, and expands abbreviations.
func wordsOf(text string) []string {
	text, _, _ = strings.Cut(text, " (")
	var words []string
	split := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), split) {
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		if long, ok := abbreviations[w]; ok {
			w = long
		}
		if !slices.Contains(fillers, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// fillers are words that do not distinguish fields.
var fillers = []string{"of", "the", "in", "at", "a", "an", "value"}

// abbreviations maps words of names to the form in which wordsOf returns them.
var abbreviations = map[string]string{
	"freq": "frequency", "dist": "distance", "len": "length", "temp": "temperature",
	"tx": "transmit", "transmitter": "transmit", "transmitted": "transmit",
	"rx": "receive", "receiver": "receive", "received": "receive",
	"max": "maximum", "min": "minimum", "avg": "average", "num": "number",
	"qty": "number", "quantity": "number",
	"count": "number", "amb": "ambient", "volt": "voltage", "amp": "current", "watt": "power",
	"ant": "antenna", "bw": "bandwidth", "sf": "spreading", "cap": "capacity", "eff": "efficiency",
	"res": "resistance", "pwr": "power", "batt": "battery", "bat": "battery", "pct": "percent",
	"percentage": "percent", "desc": "description", "addr": "address",
	"disk": "drive", "tz": "timezone",
	"from": "start", "begin": "start", "to": "end", "until": "end",
}

// equalWords reports whether two lists contain the same words.
func equalWords(a, b []string) bool {
	return len(a) > 0 && len(a) == len(b) && contains(a, b)
}

// contains reports whether a list contains all words of another list that is not empty.
func contains(all, some []string) bool {
	return len(some) > 0 && !slices.ContainsFunc(some, func(w string) bool {
		return !slices.Contains(all, w)
	})
}

// intersects reports whether two lists have a common word.
func intersects(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// overlap returns the Jaccard index of two lists of words: the share of common words in all words.
// Words of one letter do not count as common.
func overlap(a, b []string) float64 {
	common, total := 0, len(a)
	for _, w := range b {
		switch {
		case !slices.Contains(a, w):
			total++
		case len(w) > 1:
			common++
		}
	}
	if total == 0 {
		return 0
	}
	return float64(common) / float64(total)
}
