package web

import (
	"cmp"
	"slices"
	"strings"

	"slipstick/tools"
)

// Card is a tool in the catalog.
type Card struct {
	Name, Title, Category, Summary string
	Page                           string // URL path
	Heavy                          bool
	Aliases, Fields                string // further search terms, joined by "|"
}

type group1 struct {
	Name, Title string
	Cards       []Card
}

type catalogPage struct {
	Search, Only string
	Groups       []group1
	Hits         []Card
	// Circuit and Board are the names of the examples on the home page. BoardPicture is the URL of
	// the board's picture.
	Circuit, Board, BoardPicture string
	Front                        front
}

// Examples on the home page.
const (
	frontCircuit = "sallen_key_low_pass"
	frontBoard   = "usb_serial_atmega328"
)

func newCard(t *Tool, examples []string) Card {
	e := t.entry
	found := map[string]bool{}
	var fields []string
	for _, list := range [][]Field{t.Input, t.Output} {
		for _, f := range list {
			for _, word := range []string{f.Name, f.Unit} {
				if len(word) > 1 && !found[word] {
					found[word] = true
					fields = append(fields, word)
				}
			}
		}
	}
	page := pageOf(t.Name)
	if t.Name == BoardTool {
		page = "/board"
	}
	aliases := slices.Concat(e.Aliases, slices.Compact([]string{t.Category, t.Section()}),
		synonyms(t.Name))
	fields = append(fields, examples...)
	return Card{
		Name: t.Name, Title: t.Title, Category: t.Section(), Summary: t.Summary(), Page: page,
		Heavy:   t.Heavy,
		Aliases: strings.ToLower(strings.Join(aliases, "|")),
		Fields:  strings.ToLower(strings.Join(fields, "|")),
	}
}

// Section returns the category under which the catalog page lists the tool. It is the category of
// the API, except for the circuit simulator, which the API lists under rf.
func (t *Tool) Section() string {
	switch t.Name {
	case SpiceTool, "spice_template":
		return "pcb"
	}
	return t.Category
}

// sectionsOf returns the categories of the catalog with the tools that the catalog page lists under
// each.
func sectionsOf(c *tools.Catalog) []tools.Category {
	sections := slices.Clone(c.Categories)
	for i := range sections {
		sections[i].Tools = nil
	}
	for own, category := range c.Categories {
		for _, t := range category.Tools {
			section := (&Tool{Name: t.Name, Category: category.Name}).Section()
			i := slices.IndexFunc(sections, func(s tools.Category) bool {
				return s.Name == section
			})
			if i < 0 { // without that section, the tool keeps its own category
				i = own
			}
			sections[i].Tools = append(sections[i].Tools, t)
		}
	}
	return sections
}

// synonyms returns additional search words for a tool: other spellings, related terms, and programs
// for the same purpose.
func synonyms(tool string) []string {
	switch tool {
	case "op_amp_gain":
		return []string{"opamp", "op amp"}
	case "timer_555":
		return []string{"ne555", "oscillator", "pwm"}
	case "rc_filter":
		return []string{"filter", "bode", "low-pass", "high-pass"}
	case "lc_resonance":
		return []string{"tank", "tuned circuit", "filter", "inductor", "coil", "ferrite"}
	case "spice_simulate":
		return []string{"ltspice", "pspice", "kicad", "falstad", "mosfet", "diode", "bjt", "filter",
			"transistor", "thermistor", "ntc", "transformer", "sallen-key", "kirchhoff",
			"second-order low-pass filter", "wheatstone bridge", "bias point", "ldo"}
	case "spice_template":
		return []string{"low-pass filter", "schematic"}
	case "pcb_layout":
		return []string{"kicad", "eagle", "altium", "freerouting", "pcb", "3d"}
	case "trace_width":
		return []string{"saturn", "pcb track"}
	case "pcb_via_current":
		return []string{"ipc-2221"}
	case "microstrip":
		return []string{"50 ohm", "controlled impedance", "transmission line", "coax",
			"skin depth", "skin effect"}
	case "impedance_match":
		return []string{"smith chart", "balun", "matching network", "antenna tuner", "inductor"}
	case "vswr":
		return []string{"swr", "s11", "antenna", "coax", "return loss"}
	case "dipole":
		return []string{"antenna", "ham"}
	case "dbm_convert":
		return []string{"decibel", "decibels"}
	case "ohms_law":
		return []string{"kirchhoff", "resistor", "series resistors", "parallel resistors"}
	case "link_budget", "lora_range_estimate", "meshnet_range":
		return []string{"range"}
	case "solar_sizing", "string_sizing":
		return []string{"pv", "photovoltaic", "panel"}
	case "solar_roi":
		return []string{"pv", "photovoltaic", "payback"}
	case "wire_gauge", "wire_ampacity", "voltage_drop":
		return []string{"cable", "nec", "copper"}
	case "ups_runtime", "battery_life", "battery_autonomy", "battery_charge_time":
		return []string{"lifepo4", "lead acid", "18650", "li-ion", "battery pack"}
	case "watts_to_amps":
		return []string{"power factor"}
	case "raid_iops", "zfs_capacity":
		return []string{"nas", "disk", "raidz"}
	case "subnet_calculator":
		return []string{"ip", "cidr", "netmask"}
	}
	return nil
}

func (s *Site) cardsOf(category string) (cards []Card) {
	for _, c := range s.cards {
		if c.Category == category {
			cards = append(cards, c)
		}
	}
	return cards
}

// Search returns the tools that contain every word of the query, sorted by their total score. Words
// end at spaces and hyphens. An alias of these words alone scores highest. Then follow a word at
// the beginning of the name or title, matches in aliases, inside name or title, in the summary, and
// in fields and units. If no tool contains every word, a word may differ by one letter from a word
// of name, title or aliases. The module catalog.js implements the same ranking. The tests of both
// use testdata/search.tsv.
func (s *Site) Search(text string) []Card {
	words := strings.Fields(spaced(strings.ToLower(text)))
	if hits := s.ranked(words, Card.score); len(hits) > 0 {
		return hits
	}
	return s.ranked(words, Card.nearScore)
}

// ranked returns the tools for which every word has a score, sorted by the sum.
func (s *Site) ranked(words []string, scoreOf func(Card, string) int) []Card {
	type hit struct {
		card  Card
		score int
	}
	var hits []hit
	for _, c := range s.cards {
		total := 0
		for _, w := range words {
			score := scoreOf(c, w)
			if score == 0 {
				total = 0
				break
			}
			total += score
		}
		if total > 0 && len(words) > 1 && c.hasAlias(strings.Join(words, " ")) {
			total += 100
		}
		if total > 0 {
			hits = append(hits, hit{c, total})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	cards := make([]Card, len(hits))
	for i, h := range hits {
		cards[i] = h.card
	}
	return cards
}

// hasAlias reports whether the words are an alias of the tool.
func (c Card) hasAlias(words string) bool {
	return slices.Contains(strings.Split(spaced(c.Aliases), "|"), words)
}

// score returns the score of a tool for a word, 0 if the tool does not contain it.
func (c Card) score(word string) int {
	name, title := strings.ReplaceAll(c.Name, "_", " "), strings.ToLower(c.Title)
	isLong := len(word) >= shortestPart
	switch {
	case c.Name == word || title == word:
		return 100
	case strings.HasPrefix(name, word) || strings.HasPrefix(title, word):
		return 60
	case startsWord(name, word) || startsWord(title, word):
		return 40
	case startsWord(strings.ReplaceAll(c.Aliases, "|", " "), word):
		return 30
	case isLong && (strings.Contains(c.Name, word) || strings.Contains(title, word)):
		return 20
	case startsWord(strings.ToLower(c.Summary), word):
		return 12
	case slices.Contains(strings.Split(c.Fields, "|"), word):
		return 8
	case isLong && (strings.Contains(c.Fields, word) || strings.Contains(c.Aliases, word)):
		return 4
	}
	return 0
}

// shortestPart is the length from which a word may match inside other words: "led" is part of
// "enabled".
const shortestPart = 4

// nearScore is score, or 2 if a word of name, title or aliases differs by one letter.
func (c Card) nearScore(word string) int {
	if score := c.score(word); score > 0 || len(word) < 3 {
		return score
	}
	all := strings.ReplaceAll(c.Name, "_", " ") + " " + strings.ToLower(c.Title) + " " +
		strings.ReplaceAll(c.Aliases, "|", " ")
	for _, w := range strings.Fields(spaced(all)) {
		if len(w) >= shortestPart && isNear(w, word) {
			return 2
		}
	}
	return 0
}

// isNear reports whether two words are equal but for one letter that is added, missing or another.
func isNear(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch len(a) - len(b) {
	case 0:
		return i < len(b) && a[i+1:] == b[i+1:]
	case 1:
		return a[i+1:] == b[i:]
	}
	return false
}

func startsWord(text, word string) bool { return strings.Contains(" "+spaced(text), " "+word) }

// spaced returns a text with spaces for hyphens.
func spaced(text string) string { return strings.ReplaceAll(text, "-", " ") }
