package cmd

import (
	"context"
	"fmt"
	"net/url"

	"github.com/urfave/cli/v3"

	"slipstick/internal/buildinfo"
	"slipstick/mcp"
	"slipstick/tools"
)

// agentFlags say who reaches the service from where.
func agentFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "public-url", Usage: "how clients reach the service, such as https://calc.example.com; by default what they ask for", Sources: cli.EnvVars("SLIPSTICK_PUBLIC_URL"), Validator: checkPublicURL},
		&cli.StringSliceFlag{Name: "mcp-origins", Usage: "web origins whose pages may use /mcp, such as https://chat.example.com; * is all", Sources: cli.EnvVars("SLIPSTICK_MCP_ORIGINS"), Validator: checkOrigins},
	}
}

func checkPublicURL(given string) error {
	u, err := url.Parse(given)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is not an address such as https://calc.example.com", given)
	}
	return nil
}

// mcpCommand serves one desktop client that starts this program.
func mcpCommand(all *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the tools to an agent over standard input and output",
		Description: `Speaks the Model Context Protocol, a message a line, and computes everything in this process:
no server, no Redis. Standard error has the log. A desktop client starts it by itself:

  {"mcpServers": {"slipstick": {"command": "slipstick", "args": ["mcp"]}}}

Over HTTP, "slipstick serve" offers the same at /mcp.`,
		Flags: append(logFlags(), &cli.StringFlag{Name: "tools", Usage: "only these categories or tools, such as rf,mesh", Sources: cli.EnvVars("SLIPSTICK_MCP_TOOLS")}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			log, err := newLog(cmd)
			if err != nil {
				return err
			}
			only, err := mcp.Select(all, cmd.String("tools"))
			if err != nil {
				return usageError("--" + err.Error())
			}
			s, err := mcp.New(mcp.Options{Catalog: all, InProcess: true, Log: log, Version: buildinfo.Version()})
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.ServeLines(ctx, cmd.Root().Reader, cmd.Root().Writer, only); err != nil && ctx.Err() == nil {
				return fmt.Errorf("the conversation broke off: %w", err)
			}
			return nil
		},
	}
}
