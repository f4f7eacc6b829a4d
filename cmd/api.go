package cmd

import (
	"context"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
)

func apiCommand(catalog *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "api",
		Usage: "run the API of a deployment",
		Description: `Serves HTTP and puts queued tools into the queues of Redis, where workers
take them. Any number of API processes may share one Redis. The command ends
when Redis or Postgres cannot be reached.

Example:
  SLIPSTICK_REDIS_URL=redis://:secret@db:6379/0 \
  SLIPSTICK_DATABASE_URL=postgres://slipstick:secret@db/slipstick \
  SLIPSTICK_JWT_JWKS_URL=https://login.example.com/jwks.json \
  slipstick api --addr :8080 --log-format json`,
		Flags: settingFlags("api"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			p, err := newProcess(cmd, "api", catalog)
			if err != nil {
				return err
			}
			return p.runAPI(ctx)
		},
	}
}
