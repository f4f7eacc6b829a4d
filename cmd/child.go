package cmd

import (
	"context"

	"github.com/urfave/cli/v3"

	"slipstick/batch"
	"slipstick/tools"
	"slipstick/worker"
)

func childCommand(catalog *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:   "child",
		Usage:  "compute jobs read from standard input; started by a worker",
		Hidden: true,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			all, err := batch.WorkerCatalog(catalog)
			if err != nil {
				return err
			}
			return worker.RunChild(ctx, all, cmd.Root().Reader, cmd.Root().Writer)
		},
	}
}
