package cmd

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"
)

// healthCommand returns the command for health checks of containers. The image contains no curl for
// such checks.
func healthCommand() *cli.Command {
	return &cli.Command{
		Name:      "health",
		Usage:     "check whether a running process is ready; for container health checks",
		ArgsUsage: "[URL]",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			url := cmd.Args().First()
			if url == "" {
				url = "http://127.0.0.1:8080/readyz"
			}
			ctx, done := context.WithTimeout(ctx, 3*time.Second)
			defer done()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err != nil {
				return usageError(err.Error())
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", url, resp.Status)
			}
			return nil
		},
	}
}
