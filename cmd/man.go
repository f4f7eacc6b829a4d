package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"slipstick/internal/buildinfo"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: `Prints the manual page of all commands in the format of man(7).

Examples:
  slipstick man | man -l -
  slipstick man > /usr/local/share/man/man1/slipstick.1`,
		Action: func(_ context.Context, cmd *cli.Command) error {
			_, err := io.WriteString(cmd.Root().Writer, manPage(cmd.Root()))
			return err
		},
	}
}

// manPage returns the manual page of the visible commands below root.
func manPage(root *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH SLIPSTICK 1 \"\" \"slipstick %s\"\n", roff(buildinfo.Version()))
	fmt.Fprintf(
		&b,
		".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n",
		roff(root.Name),
		roff(root.Usage),
		roff(root.UsageText),
	)
	b.WriteString(".SH DESCRIPTION\n")
	manText(&b, root.Description)
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, root.Name, root.VisibleCommands())
	b.WriteString(
		".SH FILES\n.TP\n.I ~/.local/share/slipstick\ndata directory of \"slipstick serve\"\n",
	)
	return b.String()
}

func manCommands(b *strings.Builder, parent string, commands []*cli.Command) {
	for _, c := range commands {
		if c.Name == "help" {
			continue
		}
		name := parent + " " + c.Name
		fmt.Fprintf(b, ".SS \"%s\"\n", roff(strings.TrimSpace(name+" "+c.ArgsUsage)))
		fmt.Fprintln(b, roff(strings.ToUpper(c.Usage[:1])+c.Usage[1:]+"."))
		if c.Description != "" {
			b.WriteString(".PP\n")
			manText(b, c.Description)
		}
		for _, f := range c.VisibleFlags() {
			term, text, _ := strings.Cut(f.String(), "\t")
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(term), roff(text))
		}
		manCommands(b, name, c.VisibleCommands())
	}
}

// manText writes paragraphs. Lines that begin with a space keep their line breaks.
func manText(b *strings.Builder, text string) {
	verbatim := false
	for line := range strings.SplitSeq(text, "\n") {
		if indented := strings.HasPrefix(line, " "); indented != verbatim && line != "" {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[indented])
			verbatim = indented
		}
		if line == "" {
			if !verbatim {
				b.WriteString(".PP\n")
			}
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
}

// roff escapes text for man(7): backslashes, hyphens, quotes and a leading dot.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "'", `\(aq`).Replace(s)
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}
