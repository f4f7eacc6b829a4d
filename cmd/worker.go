package cmd

import (
	"context"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
)

func workerCommand(catalog *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "worker",
		Usage: "run a worker of a deployment",
		Description: `Takes jobs from the queues of Redis and computes them in child processes.
Start as many workers as the load needs. On SIGTERM running jobs finish or
go back to their queue.

Example:
  SLIPSTICK_REDIS_URL=redis://:secret@db:6379/0 slipstick worker --concurrency 4`,
		Flags: settingFlags("worker"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			p, err := newProcess(cmd, "worker", catalog)
			if err != nil {
				return err
			}
			return p.runWorker(ctx)
		},
	}
}
