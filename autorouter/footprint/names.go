package footprint

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"slipstick/autorouter/board"
	"slipstick/internal/text"
)

// UnknownError reports a footprint name that the library does not contain.
type UnknownError struct {
	Name   string
	Reason string   // reason why a similar name does not apply, or ""
	Near   []string // similar names, most similar first
}

// Error returns the unknown name, the reason and similar names.
func (e *UnknownError) Error() string {
	message := fmt.Sprintf("footprint %q is not in the library", text.Word(e.Name))
	if e.Reason != "" {
		message += ": " + e.Reason
	}
	message += "; the field footprints takes the text of its .kicad_mod file, " +
		"custom_footprints a list of pads"
	if len(e.Near) > 0 {
		message += "; did you mean " + strings.Join(e.Near, ", ") + "?"
	}
	return message
}

// index returns the entries of the library by normalized name. Canonical names take precedence over
// aliases.
var index = sync.OnceValue(func() map[string]entry {
	all, list := map[string]entry{}, entries()
	for _, e := range list {
		all[key(e.name)] = e
	}
	for _, e := range list {
		for _, a := range e.also {
			if _, taken := all[key(a)]; !taken {
				all[key(a)] = e
			}
		}
	}
	return all
})

// key returns the normalized form of a name: upper case without hyphens and underscores.
func key(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}, strings.ToUpper(name))
}

// Names returns the canonical names of the library, in library order.
func Names() []string {
	var out []string
	for _, e := range entries() {
		out = append(out, e.name)
	}
	return out
}

// rewrites maps upper-case names of KiCad's libraries to names in this library. Only the first
// matching rule applies.
var rewrites = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^LED_D([35])\.0MM$`), "LED_${1}MM"},
	{regexp.MustCompile(`^D_DO-(35_SOD27|41_SOD81)_P([\d.]+)MM_HORIZONTAL$`), "D_DO-${1}_P${2}MM"},
	{regexp.MustCompile(`^CP_EIA-3216-18_KEMET-A((?:_PAD.*)?)$`), "CP_TANT_A${1}"},
	{regexp.MustCompile(`^CP_EIA-3528-21_KEMET-B((?:_PAD.*)?)$`), "CP_TANT_B${1}"},
	{regexp.MustCompile(`^CRYSTAL_SMD_3225-4PIN_3\.2X2\.5MM$`), "CRYSTAL_3225"},
	{regexp.MustCompile(`^TO-92_INLINE_WIDE$`), "TO-92-WIDE"},
	{regexp.MustCompile(`^SOT-223-3_TABPIN2$`), "SOT-223"},
	{regexp.MustCompile(`^DIP-(24|28)_W15\.24MM(_.*)?$`), "DIP-${1}W${2}"},
	{regexp.MustCompile(`^FUSE_(\d{4})(_.*)?$`), "F_${1}${2}"},
	{regexp.MustCompile(`^BARRELJACK_HORIZONTAL$`), "BARREL_JACK"},
	{regexp.MustCompile(`^QFN-(\d+)-1EP(.*)$`), "QFN-$1$2"},
}

// departures lists how footprints differ from the KiCad footprint of the same name, by upper-case
// name. The notes apply only to names with a library nickname.
var departures = map[string]string{
	"SOT-223":    "the tab is pad 2 and not pad 4",
	"TO-92":      "the three holes are in line, 1.27 mm apart",
	"TO-92_WIDE": "the three holes are in line, 2.54 mm apart",
}

// suffix matches a descriptive part of a KiCad name between underscores. HORIZONTAL is excluded
// because a horizontal part needs another courtyard.
var suffix = regexp.MustCompile(`^(\d+METRIC|[\d.]+X[\d.]+MM|P[\d.]+MM|W[\d.]+MM|EP[\d.]+X[\d.]+MM|PAD[\d.]+X[\d.]+MM|SOD\d+|VERTICAL|INLINE|HANDSOLDER|HANDSOLDERING|THERMALVIAS|LONGPADS|SOCKET)$`)

// Find returns the land pattern with the given name, which is a name in Names, an alias or a KiCad
// name. The error is an *UnknownError. Every call returns a new footprint, which the caller may
// modify.
func Find(name string) (*board.Footprint, error) {
	f, unknown := lookup(name)
	if unknown != nil {
		if unknown.Reason == "" {
			unknown.Near = similar(bareName(name), 3)
		}
		return nil, unknown
	}
	return f, nil
}

// bareName returns a name in upper case, without a library nickname before a colon or slash.
func bareName(name string) string {
	s := strings.ToUpper(strings.TrimSpace(name))
	return s[strings.LastIndexAny(s, ":/")+1:]
}

// lookup is like Find but does not search for similar names.
func lookup(name string) (*board.Footprint, *UnknownError) {
	unknown := &UnknownError{Name: name}
	if len(name) > 200 {
		return nil, unknown
	}
	s := strings.ToUpper(strings.TrimSpace(name))
	i := strings.LastIndexByte(s, ':')
	s = s[i+1:]
	note := ""
	if i >= 0 {
		note = departures[strings.TrimSuffix(s, "_HANDSOLDER")]
	}
	s = renamed(s)
	if f := fromFigures(s); f != nil {
		return f, nil
	}
	if f, reason := findSized(s); f != nil || reason != "" {
		if unknown.Reason = reason; f == nil {
			return nil, unknown
		}
		return f, nil
	}
	for _, r := range rewrites {
		if r.from.MatchString(s) {
			s = r.from.ReplaceAllString(s, r.to)
			break
		}
	}
	written := s
	var dropped []string
	for {
		if e, ok := index()[key(s)]; ok {
			f := e.make()
			if unknown.Reason = contradiction(e, f, dropped); unknown.Reason != "" {
				return nil, unknown
			}
			f.Note = note
			if unknown.Reason = adapt(e, f, dropped); unknown.Reason != "" {
				return nil, unknown
			}
			return f, nil
		}
		i := strings.LastIndexByte(s, '_')
		if i < 0 || !suffix.MatchString(s[i+1:]) {
			if f := plain(written); f != nil {
				return f, nil
			}
			return nil, unknown
		}
		dropped, s = append(dropped, s[i+1:]), s[:i]
	}
}

// plain returns the pattern from figures.txt for a name with a suffix that only requests other
// lands or thermal vias, or nil.
func plain(s string) *board.Footprint {
	base, note := withoutSuffix(s)
	f := fromFigures(base)
	if f != nil {
		f.Note = note
	}
	return f
}

// tolerance is the largest accepted difference between a body size in a name and the pattern [mm].
// Names contain rounded sizes.
const tolerance = 0.3

// contradiction describes how the pattern f contradicts the suffixes of a name, or returns "". For
// example, SOIC-8_5.3x5.3mm does not match the SOIC-8 with a body of 3.9 x 4.9 mm.
func contradiction(e entry, f *board.Footprint, suffixes []string) string {
	for _, s := range suffixes {
		s = strings.TrimSuffix(s, "MM")
		if pitch, err := strconv.ParseFloat(strings.TrimPrefix(s, "P"), 64); s[0] == 'P' &&
			err == nil {
			if e.pitch > 0 && math.Abs(pitch-e.pitch) > 0.02 {
				return fmt.Sprintf("%s has a pitch of %g mm, not %g", e.name, e.pitch, pitch)
			}
			continue
		}
		if row, err := strconv.ParseFloat(strings.TrimPrefix(s, "W"), 64); s[0] == 'W' &&
			err == nil {
			if have := 2 * math.Abs(board.ToMM(f.Pads[0].At.X)); math.Abs(row-have) > 0.02 {
				return fmt.Sprintf("the rows of %s are %g mm apart, not %g", e.name, have, row)
			}
			continue
		}
		w, h, two := strings.Cut(s, "X")
		width, errW := strconv.ParseFloat(w, 64)
		height, errH := strconv.ParseFloat(h, 64)
		if !two || errW != nil || errH != nil {
			continue
		}
		bodyW, body := board.ToMM(f.Body.Width()), board.ToMM(f.Body.Height())
		if math.Abs(width-bodyW) > tolerance || math.Abs(height-body) > tolerance {
			return fmt.Sprintf("%s has a body of %g x %g mm, not %g x %g", e.name, bodyW, body,
				width, height)
		}
	}
	return ""
}

// letters holds the number of occurrences of each letter and digit in a normalized name.
type letters [64]int8

func lettersOf(key string) (l letters) {
	for i := range len(key) {
		l[key[i]&63]++
	}
	return l
}

// apart returns a lower bound of the edit distance between two normalized names with these letter
// counts.
func (l *letters) apart(o *letters) int {
	more, less := 0, 0
	for i := range l {
		if d := int(l[i]) - int(o[i]); d > 0 {
			more += d
		} else {
			less -= d
		}
	}
	return max(more, less)
}

// candidate is a library name for the comparison with a misspelt name.
type candidate struct {
	name, key string
	letters   letters
}

// candidates returns the names of the library in library order, followed by the names in
// figures.txt in alphabetical order.
var candidates = sync.OnceValue(func() []candidate {
	names := Names()
	own := len(names)
	for _, g := range figures() {
		names = append(names, g.name)
	}
	sort.Strings(names[own:])
	out := make([]candidate, len(names))
	for i, n := range names {
		out[i] = candidate{n, key(n), lettersOf(key(n))}
	}
	return out
})

// packageName matches package and number of pads at the start of a name, as in QFN-33-1EP_5X5MM
var packageName = regexp.MustCompile(`^([A-Z]+)-?([0-9]+)`)

// similar returns at most limit names that are similar to an upper-case name. Those of the same
// package with the closest numbers of pads precede those similar to the whole name. Sizes make up
// most of KiCad's names. So those similar to its package and number of pads follow, and then those
// with the same first parts between underscores, at least two.
func similar(name string, limit int) []string {
	const shortest, longest = 4, 128 // of a common start, and of a name
	if len(name) > longest {
		return nil
	}
	whole := nearest(name, len(candidates()))
	out := samePackage(name, append(whole, nearest(packageName.FindString(name),
		len(candidates()))...))
	out = out[:min(len(out), limit)]
	add := func(names []string) {
		for _, n := range names {
			if len(out) < limit && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	add(whole)
	add(nearest(packageName.FindString(name), limit))
	parts := strings.Split(name, "_")
	for n := len(parts) - 1; n >= 2 && len(out) < limit; n-- {
		start := key(strings.Join(parts[:n], "_"))
		for _, c := range candidates() {
			if len(start) >= shortest && strings.HasPrefix(c.key, start) {
				add([]string{c.name})
			}
		}
	}
	return out
}

// samePackage returns those of the names that have the package of an upper-case name, such as QFN,
// without duplicates. Those with the closest numbers of pads are first.
func samePackage(name string, names []string) []string {
	const most = 1 << 20
	padsOf := func(name string) (kind string, pads int) {
		m := packageName.FindStringSubmatch(strings.ToUpper(name))
		if m == nil {
			return "", most
		}
		pads, err := strconv.Atoi(m[2])
		if err != nil {
			pads = most
		}
		return m[1], pads
	}
	kind, pads := padsOf(name)
	var out []string
	for _, n := range names {
		if k, _ := padsOf(n); k == kind && k != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	apart := func(name string) int {
		_, n := padsOf(name)
		return max(n-pads, pads-n)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(apart(a), apart(b)) })
	return out
}

// nearest returns at most limit names that are similar to a misspelt name, most similar first.
func nearest(word string, limit int) []string {
	type scored struct {
		name     string
		distance int
	}
	word = key(word)
	if word == "" || len(word) > 64 {
		return nil
	}
	letters := lettersOf(word)
	var near []scored
	reach := max(2, len(word)/3)
	if len(word) > 12 { // half of the characters of a long name identify it
		reach = len(word) / 2
	}
	for _, c := range candidates() {
		// Three letters of a long name do not identify a part: SMA_Amphenol... is no diode.
		prefix := len(word) >= 3 && strings.HasPrefix(c.key, word) ||
			len(c.key) >= min(5, len(word)/3) && strings.HasPrefix(word, c.key)
		if !prefix && letters.apart(&c.letters) > reach {
			continue
		}
		d := text.Distance(word, c.key)
		if prefix {
			d = min(d, 2)
		}
		if d <= reach {
			near = append(near, scored{c.name, d})
		}
	}
	sort.SliceStable(near, func(i, j int) bool { return near[i].distance < near[j].distance })
	var out []string
	for i := 0; i < len(near) && i < limit; i++ {
		out = append(out, near[i].name)
	}
	return out
}
