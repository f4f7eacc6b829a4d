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
var notHeadings = []string{"of", "in", "as", "from", "which", "how", "what", "where", "two", "when", "to", "at", "for", "only", "one", "with", "all", "every", "the", "each", "by", "share", "top", "positive", "number", "instead", "its", "left", "already", "carried", "whose", "counter-clockwise", "upwards", "air", "true"}

// label is a field's heading: the first clause of its documentation where that is short and names
// the thing, else the field's name in words.
func label(name, doc string) string {
	clause := doc
	for _, end := range []string{",", ";", ":", " (", ". ", " to use ", " in place of ", " instead of "} {
		if head, _, ok := strings.Cut(clause, end); ok {
			clause = head
		}
	}
	clause = strings.TrimPrefix(strings.TrimSpace(clause), "Whether ")
	first, _, several := strings.Cut(clause, " ")
	if n := utf8.RuneCountInString(clause); n < 2 || n > longestLabel || slices.Contains(notHeadings, strings.ToLower(first)) || !several && strings.Count(name, "_") >= 2 {
		return humanised(name)
	}
	return capital(clause)
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
var unitWords = []string{"mhz", "khz", "hz", "ghz", "db", "dbm", "dbi", "ohm", "v", "a", "ma", "w", "kw", "m", "mm", "cm", "km", "um", "s", "ms", "pct", "c", "nf", "pf", "uf", "uh", "nh", "mh", "wh", "kwh", "mah", "ah", "bps", "mbps", "kib", "gib", "tib", "bytes", "deg", "k", "kg", "ft", "m2k", "mk", "m2", "hours", "va"}

var capitals = []string{"snr", "eirp", "rx", "tx", "sf", "bw", "cr", "crc", "gps", "ble", "mtu", "iops", "ac", "dc", "awg", "mppt", "led", "ip", "tcp", "rtt", "mss", "ups", "pcb", "drc", "raid", "zfs", "l2arc", "arc", "bdp", "q", "vswr", "lc", "rc", "esr", "esl", "psu", "pdu", "btu", "cfm", "soc", "pv", "voc", "vmp", "isc", "imp", "roi", "npv", "irr", "lcoe", "bmi", "id", "r1", "r2", "c1", "c2", "e96", "nf", "thd", "z0"}

// inFull are words that names shorten.
var inFull = map[string]string{"freq": "frequency", "dist": "distance", "temp": "temperature", "coeff": "coefficient", "max": "largest", "min": "smallest", "avg": "average", "std": "standard"}

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
