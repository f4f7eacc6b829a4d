package tools

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Scores of a word, depending on where it is found.
const (
	scoreName    = 10 // complete word of the name or title
	scoreAlias   = 7
	scoreSummary = 4
	scoreField   = 3
	scorePart    = 2 // beginning of a word in the name, title or an alias
	scoreMethod  = 1
	scoreTitle   = 1 // bonus if the query has all words of the title

	minShare       = 0.5 // minimum share of the query words that a tool has
	bestOfFew      = 3   // number of results if no tool has that share of a long query
	enoughWords    = 3   // minimum number of them in a long query
	maxSearchWords = 32  // maximum number of query words
)

// Search returns up to limit tools for a query, best first. The rank depends on the number of query
// words found and where they are found (name, title, aliases, summary, fields, method). Words that
// occur in few tools have more weight, and a complete title has a bonus. A tool has at least half
// or three of the words in its name, title, aliases, summary or fields. A beginning counts half,
// and so does the method for a query of one word. If no tool has them, Search returns the best
// three with a word of a query of more than three words. Words of the method with fewer than three
// letters do not count. The list may be empty.
func (c *Catalog) Search(query string, limit int) []*Entry {
	words := searchWords(query, maxSearchWords)
	scores := make([][]int, len(c.entries)) // by tool and word
	tools := make([]int, len(words))        // number of tools that contain the word
	for i, e := range c.entries {
		scores[i] = e.wordScores(words)
		for w, score := range scores[i] {
			if score > 0 {
				tools[w]++
			}
		}
	}
	type hit struct {
		entry *Entry
		score float64
	}
	var hits, few []hit
	for i, e := range c.entries {
		total, found := e.titleScore(words), 0.0
		for w, score := range scores[i] {
			if score > 0 {
				total += float64(score) * wordWeight(tools[w], len(c.entries))
			}
			switch {
			case score > scorePart:
				found++
			case score == scorePart, score == scoreMethod && len(words) == 1:
				found += 0.5
			}
		}
		switch {
		case found == 0:
		case found >= min(minShare*float64(len(words)), enoughWords):
			hits = append(hits, hit{e, total})
		default:
			few = append(few, hit{e, total})
		}
	}
	if len(hits) == 0 && len(words) > enoughWords {
		hits, limit = few, min(limit, bestOfFew)
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]*Entry, 0, limit)
	for _, h := range hits[:min(len(hits), limit)] {
		found = append(found, h.entry)
	}
	return found
}

// wordWeight returns the weight of a word that occurs in a number of tools. It is about 1 for a
// word of a single tool and decreases with the number of tools.
func wordWeight(some, all int) float64 { return 1 - 0.9*float64(some-1)/float64(all) }

// titleScore returns the bonus of a query with all words of the tool's title; 0 for other queries.
// It ranks a tool above others that have the same words in longer titles and in aliases.
func (e *Entry) titleScore(words []string) float64 {
	for _, w := range searchWords(e.Title, math.MaxInt) {
		if !slices.Contains(words, w) {
			return 0
		}
	}
	return scoreTitle
}

// wordScores returns the score of each word for the tool; 0 if it is not found.
func (e *Entry) wordScores(words []string) []int {
	names := searchWords(e.Name+" "+e.Title, math.MaxInt)
	aliases := searchWords(strings.Join(e.Aliases, " "), math.MaxInt)
	summary := searchWords(e.Summary+" "+e.Category, math.MaxInt)
	method := searchWords(e.Method, math.MaxInt)
	var fields []string
	for _, f := range slices.Concat(e.Input.Fields, e.Output.Fields) {
		fields = append(fields, searchWords(f.Name, math.MaxInt)...)
	}
	scores := make([]int, len(words))
	for i, w := range words {
		begins := func(other string) bool { return len(w) > 2 && strings.HasPrefix(other, w) }
		switch {
		case slices.Contains(names, w):
			scores[i] = scoreName
		case slices.Contains(aliases, w):
			scores[i] = scoreAlias
		case slices.Contains(summary, w):
			scores[i] = scoreSummary
		case slices.Contains(fields, w):
			scores[i] = scoreField
		case slices.ContainsFunc(names, begins), slices.ContainsFunc(aliases, begins):
			scores[i] = scorePart
		case len(w) > 2 && slices.Contains(method, w): // shorter ones are symbols of formulas
			scores[i] = scoreMethod
		}
	}
	return scores
}

// searchWords splits a text into distinct lower-case words. It removes plural endings and stop
// words. It stops after limit words because the time is quadratic and the sender of a query
// determines its length.
func searchWords(text string, limit int) []string {
	var words []string
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), split) {
		if len(words) >= limit {
			break
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		if !slices.Contains(stopWords, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// stopWords are common words of questions, in the form that searchWords produces.
var stopWords = strings.Fields(`a an and any are at be by calculate calculator can compute could
	determine do doe find for from get give given ha have help how i if in is it many me much must
	my need of on or please should show tell that the there this to tool use want we what when
	where which will with would you your`)
