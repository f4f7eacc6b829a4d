package web

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestLabel is how much of a field's documentation still serves as its label.
const longestLabel = 48

// notHeadings begin clauses that do not name a thing.
var notHeadings = []string{"of", "in", "as", "from", "which", "how", "what", "where", "two", "when", "to", "at", "for", "only", "one", "with", "all", "every", "the", "each", "by", "share", "top", "positive", "number", "instead", "its", "left", "already", "carried", "whose", "counter-clockwise", "upwards", "air", "true", "on", "lost", "whether", "still", "standing", "above"}

// label is the heading of an input: the first clause of its documentation where that is short and
// names the thing, else its name in words, as it always is for choices, whose documentation
// explains the words.
func label(name, doc, unit string, kind Kind) string {
	if clause := firstClause(doc); kind != Choice && kind != Switch && clause != "" {
		if strings.Contains(clause, " ") || strings.Count(name, "_") < 2 {
			return capital(clause)
		}
	}
	return humanised(name, unit)
}

// resultLabel is the heading of a result: its name in words, which says what the quantity is,
// unless that is a mere symbol.
func resultLabel(name, doc, unit string) string {
	words := humanised(name, unit)
	if clause := firstClause(doc); clause != "" && utf8.RuneCountInString(words) < 4 {
		return capital(clause)
	}
	return words
}

// firstClause is the first clause of a text, "" when it is long or names nothing.
func firstClause(doc string) string {
	clause := doc
	for _, end := range []string{",", ";", ":", " (", ". ", " to use ", " in place of ", " instead of "} {
		if head, _, ok := strings.Cut(clause, end); ok {
			clause = head
		}
	}
	clause = strings.TrimSpace(clause)
	words := strings.Fields(clause)
	n := utf8.RuneCountInString(clause)
	if n < 2 || n > longestLabel || slices.Contains(notHeadings, strings.ToLower(words[0])) {
		return ""
	}
	last, _ := utf8.DecodeLastRuneInString(clause)
	if !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != '%' || len(words) <= 3 && strings.ContainsAny(clause, "0123456789") {
		return ""
	}
	return clause
}

// labelAgain gives fields that would bear the same label their names instead.
func labelAgain(fields []Field) {
	count := map[string]int{}
	for _, f := range fields {
		count[f.Label]++
	}
	again := map[string]int{}
	for i, f := range fields {
		if count[f.Label] > 1 {
			fields[i].Label = humanised(f.Name, f.Unit)
			again[fields[i].Label]++
		}
	}
	for i, f := range fields {
		if again[f.Label] > 1 && f.Unit != "" && f.Unit != "1" {
			fields[i].Label += " in " + cmp.Or(unitWord[f.Unit], f.Unit)
		}
	}
}

// unitWords end a field's name and repeat a unit, though perhaps not as the field writes it.
var unitWords = []string{"mhz", "khz", "hz", "ghz", "db", "dbm", "dbi", "ohm", "v", "a", "ma", "w", "kw", "m", "mm", "cm", "km", "um", "s", "ms", "pct", "c", "nf", "pf", "uf", "uh", "nh", "mh", "wh", "kwh", "mah", "ah", "bps", "mbps", "kib", "gib", "tib", "bytes", "deg", "k", "kg", "ft", "m2k", "mk", "m2", "hours", "va", "h", "m3", "g", "pa", "kg", "j", "f", "ohms"}

// unitInName spells a unit as names do: Ω/km is ohm_per_km there, mm² is mm2.
var unitInName = strings.NewReplacer("Ω", "ohm", "µ", "u", "²", "2", "³", "3", "°C", "c", "°", "deg", "%", "pct", "(", "", ")", "", "·", "")

// otherSpellings are the words that names use for a unit.
var otherSpellings = map[string][]string{
	"d": {"days"}, "yr": {"years"}, "year": {"years"}, "h": {"hours"}, "min": {"min", "minutes"}, "W": {"watts"}, "A": {"amps"}, "B": {"bytes"},
	"Mbit/s": {"mbps"}, "bit/s": {"bps"}, "ft²": {"sq_ft"}, "m²": {"sq_m"}, "yd²": {"sq_yd"}, "in²": {"sq_in"}, "acre": {"acres"}, "K": {"c"}, "K/W": {"c_per_w"}, "oz/ft²": {"oz"},
}

// unitWord is a unit as a label names it where it stands alone.
var unitWord = map[string]string{"d": "days", "yr": "years", "year": "years", "h": "hours", "min": "minutes", "in": "inches", "acre": "acres"}

var capitals = []string{"snr", "eirp", "rx", "tx", "sf", "bw", "cr", "crc", "gps", "ble", "mtu", "iops", "ac", "dc", "awg", "mppt", "led", "ip", "tcp", "rtt", "mss", "ups", "pcb", "drc", "raid", "zfs", "l2arc", "arc", "bdp", "q", "vswr", "lc", "rc", "esr", "esl", "psu", "pdu", "btu", "cfm", "soc", "pv", "voc", "vmp", "isc", "imp", "roi", "npv", "irr", "lcoe", "bmi", "id", "r1", "r2", "r3", "r4", "c1", "c2", "v1", "v2", "e96", "nf", "thd", "z0", "ram", "slog", "cmrr", "gpa", "cagr", "ocpd", "iso", "utc", "dst", "si", "ascii", "vlan", "cc", "cv", "ok", "iana"}

// inFull are words that names shorten.
var inFull = map[string]string{
	"freq": "frequency", "dist": "distance", "temp": "temperature", "coeff": "coefficient", "max": "maximum", "min": "minimum", "avg": "average", "std": "standard", "eff": "effective",
	"fspl": "free-space path loss", "mah": "mAh", "ah": "Ah", "wh": "Wh", "kwh": "kWh", "mw": "mW", "dbw": "dBW", "dbuv": "dBµV", "dns": "DNS", "r": "R", "db": "in dB", "deg": "in degrees",
	"er": "permittivity", "ipv4": "IPv4", "ipv6": "IPv6", "pppoe": "PPPoE", "ipc2141": "by IPC-2141", "iec60890": "IEC 60890", "co2": "CO₂", "year1": "first-year", "twos": "two's", "1km": "1 km",
}

// modifiers name nothing by themselves; the quantity that their unit measures is named after them.
var modifiers = []string{"daily", "monthly", "annual", "lifetime", "total", "raw", "usable", "nominal", "required", "recommended", "running", "surge", "bank", "delivered", "net", "average", "ac", "dc", "slop", "maximum", "minimum", "standard", "circuit", "controller", "array", "business", "weekend", "weeks", "remainder"}

var measuredIn = map[string]string{
	"Wh": "energy", "kWh": "energy", "J": "energy", "W": "power", "VA": "apparent power", "A": "current", "mA": "current", "Ah": "charge", "mAh": "charge", "V": "voltage", "Ω": "resistance", "d": "days",
	"B": "capacity", "TB": "capacity", "GiB": "memory", "TiB": "capacity",
}

// humanised is a name in words, without the unit that stands beside it anyway.
func humanised(name, unit string) string {
	stem, ok := withoutUnit(name, unit)
	words := strings.Split(stem, "_")
	for n := len(words); !ok && unit != "1" && n > 1 && slices.Contains(unitWords, words[n-1]) && words[n-2] != "per"; n-- {
		words = words[:n-1]
	}
	isModifier := true
	for i, w := range words {
		digits := strings.TrimSuffix(w, "pct")
		switch isArc := w == "arc" && i+1 < len(words) && words[i+1] == "length"; {
		case digits != w && digits != "" && strings.Trim(digits, "0123456789") == "":
			words[i] = digits + " %"
		case slices.Contains(capitals, w) && !isArc:
			words[i] = strings.ToUpper(w)
		case inFull[w] != "":
			words[i] = inFull[w]
		}
		isModifier = isModifier && slices.Contains(modifiers, strings.ToLower(words[i]))
	}
	if noun := measuredIn[unit]; isModifier && noun != "" {
		words = append(words, noun)
	}
	return capital(strings.Join(words, " "))
}

// withoutUnit takes the field's own unit off the end of its name.
func withoutUnit(name, unit string) (stem string, ok bool) {
	spelled := strings.ToLower(unitInName.Replace(unit))
	endings := append([]string{strings.ReplaceAll(spelled, "/", "_per_"), strings.ReplaceAll(spelled, "/", "_")}, otherSpellings[unit]...)
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(name, "_"+e); ok && e != "" && unit != "IOPS" { // which is the noun of its name
			return stem, true
		}
	}
	return name, false
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[size:]); unicode.IsUpper(next) {
		return s // mAh, kWh
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// nameInText is a name of several words, which no prose contains by chance.
var nameInText = regexp.MustCompile(`\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b`)

// inWords puts the labels of fields in place of their names. tool.js does so in messages.
func inWords(text string, fields []Field) string {
	return nameInText.ReplaceAllStringFunc(text, func(name string) string {
		for _, f := range fields {
			if f.Name == name {
				return "“" + f.Label + "”"
			}
		}
		return name
	})
}

// beyond is what a field's documentation says that its label does not.
func beyond(label, doc string) string {
	rest, ok := strings.CutPrefix(strings.ToLower(doc), strings.ToLower(label))
	if next, _ := utf8.DecodeRuneInString(rest); !ok || unicode.IsLetter(next) {
		return doc
	}
	return strings.TrimLeft(doc[len(doc)-len(rest):], " ,;:.")
}
