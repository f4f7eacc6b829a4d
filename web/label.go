package web

import (
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
func label(name, doc string, kind Kind) string {
	if clause := firstClause(doc); kind != Choice && kind != Switch && clause != "" {
		if strings.Contains(clause, " ") || strings.Count(name, "_") < 2 {
			return capital(clause)
		}
	}
	return humanised(name)
}

// resultLabel is the heading of a result: its name in words, which says what the quantity is,
// unless that is a mere symbol.
func resultLabel(name, doc string) string {
	words := humanised(name)
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
			fields[i].Label = humanised(f.Name)
			again[fields[i].Label]++
		}
	}
	for i, f := range fields {
		if again[f.Label] > 1 && f.Unit != "" && f.Unit != "1" {
			fields[i].Label += " in " + f.Unit
		}
	}
}

// unitWords end a field's name and repeat its unit.
var unitWords = []string{"mhz", "khz", "hz", "ghz", "db", "dbm", "dbi", "ohm", "v", "a", "ma", "w", "kw", "m", "mm", "cm", "km", "um", "s", "ms", "pct", "c", "nf", "pf", "uf", "uh", "nh", "mh", "wh", "kwh", "mah", "ah", "bps", "mbps", "kib", "gib", "tib", "bytes", "deg", "k", "kg", "ft", "m2k", "mk", "m2", "hours", "va", "h", "m3", "g", "pa", "kg", "j", "f", "ohms"}

var capitals = []string{"snr", "eirp", "rx", "tx", "sf", "bw", "cr", "crc", "gps", "ble", "mtu", "iops", "ac", "dc", "awg", "mppt", "led", "ip", "tcp", "rtt", "mss", "ups", "pcb", "drc", "raid", "zfs", "l2arc", "arc", "bdp", "q", "vswr", "lc", "rc", "esr", "esl", "psu", "pdu", "btu", "cfm", "soc", "pv", "voc", "vmp", "isc", "imp", "roi", "npv", "irr", "lcoe", "bmi", "id", "r1", "r2", "c1", "c2", "e96", "nf", "thd", "z0"}

// inFull are words that names shorten.
var inFull = map[string]string{
	"freq": "frequency", "dist": "distance", "temp": "temperature", "coeff": "coefficient", "max": "maximum", "min": "minimum", "avg": "average", "std": "standard",
	"fspl": "free-space path loss", "mah": "mAh", "ah": "Ah", "wh": "Wh", "kwh": "kWh", "mw": "mW", "dbw": "dBW", "dns": "DNS", "r": "R", "1pct": "to 1 %", "10pct": "to 10 %", "db": "in dB", "deg": "in degrees",
}

func humanised(name string) string {
	words := strings.Split(name, "_")
	for n := len(words); n > 1 && slices.Contains(unitWords, words[n-1]); n-- {
		words = words[:n-1]
	}
	for i, w := range words {
		if slices.Contains(capitals, w) {
			words[i] = strings.ToUpper(w)
		} else if full := inFull[w]; full != "" {
			words[i] = full
		}
	}
	return capital(strings.Join(words, " "))
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[size:]); unicode.IsUpper(next) {
		return s // mAh, kWh
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// beyond is what a field's documentation says that its label does not.
func beyond(label, doc string) string {
	rest, ok := strings.CutPrefix(strings.ToLower(doc), strings.ToLower(label))
	if next, _ := utf8.DecodeRuneInString(rest); !ok || unicode.IsLetter(next) {
		return doc
	}
	return strings.TrimLeft(doc[len(doc)-len(rest):], " ,;:.")
}
