package web

import (
	"cmp"
	"slices"
	"strings"
)

// Card is a tool as the catalog lists and finds it.
type Card struct {
	Name, Title, Category, Summary string
	Heavy                          bool
	Aliases, Fields                string // what else it is found by, joined by "|"
}

type group1 struct {
	Name, Title string
	Cards       []Card
}

type catalogPage struct {
	Search, Only string
	Groups       []group1
	Hits         []Card
}

func newCard(t *Tool) Card {
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
	return Card{
		Name: t.Name, Title: t.Title, Category: t.Category, Summary: e.Summary, Heavy: t.Heavy,
		Aliases: strings.ToLower(strings.Join(e.Aliases, "|")), Fields: strings.ToLower(strings.Join(fields, "|")),
	}
}

func (s *Site) cardsOf(category string) (cards []Card) {
	for _, c := range s.cards {
		if c.Category == category {
			cards = append(cards, c)
		}
	}
	return cards
}

// Search finds tools: those whose name or title starts with what is searched for come first,
// then those that contain it, then aliases, then the summary, and last fields and units. Every
// word must be found. catalog.js ranks the same way; testdata/search.tsv is run through both.
func (s *Site) Search(text string) []Card {
	words := strings.Fields(strings.ToLower(text))
	type hit struct {
		card  Card
		score int
	}
	var hits []hit
	for _, c := range s.cards {
		total := 0
		for _, w := range words {
			score := c.score(w)
			if score == 0 {
				total = 0
				break
			}
			total += score
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

// score is how well a word fits, 0 for not at all.
func (c Card) score(word string) int {
	name, title := strings.ReplaceAll(c.Name, "_", " "), strings.ToLower(c.Title)
	switch {
	case c.Name == word || title == word:
		return 100
	case strings.HasPrefix(name, word) || strings.HasPrefix(title, word):
		return 60
	case startsWord(name, word) || startsWord(title, word):
		return 40
	case startsWord(strings.ReplaceAll(c.Aliases, "|", " "), word):
		return 30
	case strings.Contains(c.Name, word) || strings.Contains(title, word):
		return 20
	case startsWord(strings.ToLower(c.Summary), word):
		return 12
	case slices.Contains(strings.Split(c.Fields, "|"), word):
		return 8
	case strings.Contains(c.Fields, word) || strings.Contains(c.Aliases, word):
		return 4
	}
	return 0
}

func startsWord(text, word string) bool { return strings.Contains(" "+text, " "+word) }
