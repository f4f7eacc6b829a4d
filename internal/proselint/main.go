// Command proselint finds phrases that technical English avoids in the comments of Go, JavaScript
// and CSS. They are relative clauses as a subject, indefinite persons, and "a" for "per" in rates.
// It finds lines over 100 columns too, except lines that a string literal makes long. In JavaScript
// and CSS it checks the length of comments only, because Prettier breaks the code.
//
//	proselint [-max 4] [-list] [folder ...]
//
// It prints the number of findings per 1,000 comment lines, and the long lines. It exits with
// status 1 when a folder exceeds the maximum or has a long line.
package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// rule is an avoided phrase and the usual replacement.
type rule struct {
	pattern *regexp.Regexp
	advice  string
}

// rules returns the avoided phrases.
func rules() []rule {
	list := []struct{ pattern, advice string }{
		{`(?i)\b(whoever|whomever|nobody|somebody|anybody|everybody|manieth|anew)\b`,
			`name the subject: "the caller", "no client", "again"`},
		{`(?i)\b(tell|say|know|show)(s|n)? (what|how|where|which|who|why)\b`,
			`use "returns", "reports" or a noun`},
		{`\b[Ww]hat (is|are|was|were|it|they|the|a|an|has|have|had|does|do|can|could|[a-z]+s|[a-z]+ed)\b`,
			`replace the clause with a noun`},
		{`^(What|Who|Whose|One that|Those who)\b`, `begin with the identifier or a noun`},
		{`(?i)\b(one|those) (that|who)\b`, `repeat the noun`},
		{`(?i)\b(calls?|requests?|bytes|times|lines|points|jobs|runs|messages|steps|keys|` +
			`allocations?) an? (second|minute|hour|day|line|step|call|field|job|key|row|run)\b`,
			`"per"`},
		{`(?i)\b(no longer|is|are|was|were) good\b`, `"valid"`},
		{`(?i)\b(makes? (way|good)|gives? way|taken up|led elsewhere)\b`,
			`use the term of the field`},
		{`(?i)\bstands? (there|here|for itself)\b`, `"is"`},
	}
	compiled := make([]rule, len(list))
	for i, r := range list {
		compiled[i] = rule{regexp.MustCompile(r.pattern), r.advice}
	}
	return compiled
}

// finding is an avoided phrase at a position.
type finding struct {
	position token.Position
	phrase   string
	advice   string
}

// report is the result for one folder.
type report struct {
	lines     int // number of comment lines
	findings  []finding
	longLines []token.Position
}

// perThousand returns the number of findings per 1,000 comment lines.
func (r report) perThousand() float64 {
	if r.lines == 0 {
		return 0
	}
	return float64(len(r.findings)) * 1000 / float64(r.lines)
}

// lintSource adds the findings of one Go file to r.
func (r *report) lintSource(name string, source any, rules []rule) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:") {
				continue
			}
			at := fset.Position(comment.Pos())
			for _, line := range strings.Split(comment.Text, "\n") {
				r.lintComment(at, line, rules)
				at.Line++
			}
		}
	}
	return nil
}

// lintComment adds the findings of one line of a comment to r.
func (r *report) lintComment(at token.Position, line string, rules []rule) {
	r.lines++
	text := strings.TrimSpace(strings.TrimLeft(line, "/* \t"))
	for _, rule := range rules {
		for _, phrase := range rule.pattern.FindAllString(text, -1) {
			r.findings = append(r.findings, finding{at, phrase, rule.advice})
		}
	}
}

const (
	maxColumns = 100 // maximum columns per line
	tabColumns = 4   // columns per tab
	closing    = 6   // maximum columns of brackets and commas after a string
)

// columns returns the width of a text in columns.
func columns(text string) int {
	return utf8.RuneCountInString(text) + (tabColumns-1)*strings.Count(text, "\t")
}

// lintLength adds the long lines of one Go file to r. A line may be longer if a string literal
// reaches its last column, because breaking the text would hide it from a search.
func (r *report) lintLength(name string, source []byte) {
	if strings.Contains(string(source[:min(len(source), 300)]), "// Code generated") {
		return
	}
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(source))
	lines := strings.Split(string(source), "\n")
	var tokens scanner.Scanner
	tokens.Init(file, source, nil, 0)
	text := make(map[int]bool, len(lines)) // lines whose last columns belong to a string
	for {
		pos, kind, literal := tokens.Scan()
		if kind == token.EOF {
			break
		}
		if kind != token.STRING {
			continue
		}
		from, to := file.Position(pos), file.Position(pos+token.Pos(len(literal)))
		for n := from.Line; n <= to.Line; n++ {
			begins := n > from.Line || columns(lines[n-1][:from.Column-1]) <= maxColumns
			ends := n < to.Line || columns(lines[n-1][:to.Column-1]) >= maxColumns-closing
			text[n] = text[n] || begins && ends
		}
	}
	for i, line := range lines {
		if columns(line) > maxColumns && !text[i+1] {
			r.longLines = append(r.longLines, token.Position{Filename: name, Line: i + 1})
		}
	}
}

// skipped are folders of test data and of files that a program generates or that others wrote.
var skipped = []string{"testdata", "node_modules", ".git", "merged", "vendor"}

// lintFolder checks every Go, JavaScript and CSS file below a folder.
func lintFolder(folder string, rules []rule) (r report, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		kind := filepath.Ext(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || kind != ".go" && kind != ".js" && kind != ".css":
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if kind != ".go" {
			r.lintPage(path, string(source), rules)
			return nil
		}
		r.lintLength(path, source)
		return r.lintSource(path, source, rules)
	})
	return r, err
}

func main() {
	limit := flag.Float64("max", 4, "highest number of findings per 1,000 comment lines")
	list := flag.Bool("list", false, "print every finding")
	flag.Parse()
	folders := flag.Args()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	exceeded := false
	for _, folder := range folders {
		r, err := lintFolder(folder, rules())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		over := r.perThousand() > *limit
		if *list || over {
			for _, f := range r.findings {
				fmt.Printf("%s: %q: %s\n", f.position, f.phrase, f.advice)
			}
		}
		fmt.Printf(
			"%s: %.1f avoided phrases per 1,000 comment lines (%d in %d lines, at most %g)\n",
			folder, r.perThousand(), len(r.findings), r.lines, *limit)
		for _, at := range r.longLines {
			fmt.Printf("%s: longer than %d columns\n", at, maxColumns)
		}
		exceeded = exceeded || over || len(r.longLines) > 0
	}
	if exceeded {
		os.Exit(1)
	}
}
