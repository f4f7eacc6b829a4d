package cmd

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"slipstick/internal/buildinfo"
	"slipstick/mcp"
	"slipstick/tools"
)

func mcpCommand(catalog *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the tools to an agent over standard input and output",
		Description: `Speaks the Model Context Protocol, one message per line, and computes
everything in this process, without a server and without Redis. The log goes
to standard error. A desktop client starts the command itself:

  {"mcpServers": {"slipstick": {"command": "slipstick", "args": ["mcp"]}}}

Over HTTP, "slipstick serve" offers the same at /mcp.`,
		Flags: settingFlags("mcp"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			p, err := newProcess(cmd, "mcp", catalog)
			if err != nil {
				return err
			}
			only, err := mcp.Select(catalog, p.MCPTools)
			if err != nil {
				return usageError("--" + err.Error())
			}
			results, err := mcp.ParseResultOptions("", p.MCPImages)
			if err != nil {
				return usageError("--" + err.Error())
			}
			s, err := mcp.New(
				mcp.Options{
					Catalog:   catalog,
					InProcess: true,
					Log:       p.log,
					Version:   buildinfo.Version(),
				},
			)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.ServeLines(ctx, cmd.Root().Reader, p.out,
				mcp.Caller{Only: only, Results: results}); err != nil &&
				ctx.Err() == nil {
				return fmt.Errorf("the session ended: %w", err)
			}
			return nil
		},
	}
}
