package cmd

import (
	"context"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
)

func serveCommand(catalog *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "run everything in this process (the default)",
		Description: `Runs the API, a worker and an embedded queue. Needs no Redis and no
Postgres. Queued jobs and their results are in the memory of this process
and end with it. API keys and their usage are in a file of the data
directory, or in the Postgres of --database-url.

Examples:
  slipstick serve
  slipstick serve --addr 127.0.0.1:9000 --data :memory:`,
		Flags: settingFlags("serve"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			p, err := newProcess(cmd, "serve", catalog)
			if err != nil {
				return err
			}
			return p.runServe(ctx)
		},
	}
}
