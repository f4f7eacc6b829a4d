package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
)

func toolsCommand(catalog *tools.Catalog) *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name:      "tools",
		Usage:     "list the tools",
		ArgsUsage: "[CATEGORY ...]",
		Description: `Lists the tools of the categories, or of all of them: ` + categoryNames(
			catalog,
		) + `.

Examples:
  slipstick tools
  slipstick tools rf mesh
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
			entries, err := inCategories(catalog, cmd.Args().Slice())
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

// inCategories returns the tools in the given categories, or all tools if none is given.
func inCategories(catalog *tools.Catalog, categories []string) (entries []*tools.Entry, err error) {
	if len(categories) == 0 {
		return catalog.All(), nil
	}
	wanted := map[string]bool{}
	for _, name := range categories {
		wanted[name] = true
	}
	for _, e := range catalog.All() {
		if wanted[e.Category] {
			entries = append(entries, e)
		}
	}
	for _, c := range catalog.Categories {
		delete(wanted, c.Name)
	}
	for _, name := range categories {
		if wanted[name] {
			return nil, fmt.Errorf(
				"%q is no category; the categories are %s",
				name,
				categoryNames(catalog),
			)
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
