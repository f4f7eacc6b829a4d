// Command proselint finds phrases in Go comments that technical English avoids: relative clauses as
// a subject, indefinite persons, and "a" for "per" in rates.
//
//	proselint [-max 4] [-list] [folder ...]
//
// It prints the number of findings per 1,000 comment lines and exits with status 1 when a folder
// exceeds the maximum.
package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// rule is one avoided phrase with its usual replacement.
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
			`allocations?) an? (second|minute|hour|day|line|step|call|field|job|key|row|run)\b`, `"per"`},
		{`(?i)\b(no longer|is|are|was|were) good\b`, `"valid"`},
		{`(?i)\b(makes? (way|good)|gives? way|taken up|led elsewhere)\b`, `use the term of the field`},
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
	lines    int // comment lines read
	findings []finding
}

// perThousand is the number of findings per 1,000 comment lines.
func (r report) perThousand() float64 {
	if r.lines == 0 {
		return 0
	}
	return float64(len(r.findings)) * 1000 / float64(r.lines)
}

// lintSource adds the findings of one Go file to r.
func (r *report) lintSource(name string, source any, rules []rule) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:") {
				continue
			}
			at := fset.Position(comment.Pos())
			for i, line := range strings.Split(comment.Text, "\n") {
				r.lines++
				text := strings.TrimSpace(strings.TrimLeft(line, "/* \t"))
				for _, rule := range rules {
					for _, phrase := range rule.pattern.FindAllString(text, -1) {
						at := at
						at.Line += i
						r.findings = append(r.findings, finding{at, phrase, rule.advice})
					}
				}
			}
		}
	}
	return nil
}

// lintFolder reads every Go file below a folder, testdata and node_modules excluded.
func lintFolder(folder string, rules []rule) (r report, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || name == "node_modules" || name == ".git"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		return r.lintSource(path, nil, rules)
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
		fmt.Printf("%s: %.1f avoided phrases per 1,000 comment lines (%d in %d lines, at most %g)\n",
			folder, r.perThousand(), len(r.findings), r.lines, *limit)
		exceeded = exceeded || over
	}
	if exceeded {
		os.Exit(1)
	}
}
