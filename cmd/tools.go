package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
)

func toolsCommand(catalog *tools.Catalog) *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name:      "tools",
		Usage:     "list the tools",
		ArgsUsage: "[CATEGORY ... | WORD ...]",
		Description: `Lists the tools of the categories, or of all of them: ` + categoryNames(
			catalog,
		) + `.
Other words search the tools, best first.

Examples:
  slipstick tools
  slipstick tools rf mesh
  slipstick tools battery life
  slipstick tools --json pcb`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Destination: &asJSON, Usage: "print the list as JSON"},
		},
		ShellComplete: func(_ context.Context, cmd *cli.Command) {
			for _, c := range catalog.Categories {
				fmt.Fprintf(cmd.Root().Writer, "%s:%s\n", c.Name, c.Title)
			}
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			entries, err := findTools(catalog, cmd.Args().Slice())
			if err != nil {
				return usageError(err.Error())
			}
			return listTools(cmd.Root().Writer, entries, asJSON)
		},
	}
}

func categoryNames(catalog *tools.Catalog) string {
	names := ""
	for i, c := range catalog.Categories {
		if i > 0 {
			names += ", "
		}
		names += c.Name
	}
	return names
}

// maxFound is the maximum number of tools that a search lists.
const maxFound = 12

// findTools returns the tools in the given categories, or all tools if no word is given. If a word
// is no category, it returns the tools that a search for the words finds, best first.
func findTools(catalog *tools.Catalog, words []string) (entries []*tools.Entry, err error) {
	if len(words) == 0 {
		return catalog.All(), nil
	}
	for _, word := range words {
		if !slices.ContainsFunc(catalog.Categories, func(c tools.Category) bool {
			return c.Name == word
		}) {
			query := strings.Join(words, " ")
			if entries = catalog.Search(query, maxFound); len(entries) == 0 {
				return nil, fmt.Errorf("no tool is found for %q; the categories are %s", query,
					categoryNames(catalog))
			}
			return entries, nil
		}
	}
	for _, e := range catalog.All() {
		if slices.Contains(words, e.Category) {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// listTools prints the tools with category and summary.
func listTools(out io.Writer, entries []*tools.Entry, asJSON bool) error {
	if asJSON {
		list := []tools.Listing{}
		for _, e := range entries {
			list = append(list, e.Listing())
		}
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Name, e.Category, e.Summary)
	}
	return w.Flush()
}
