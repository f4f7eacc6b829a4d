package cmd

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// defaultHealthURL is the address at which serve and api listen by default.
const defaultHealthURL = "http://127.0.0.1:8080"

// healthCommand returns the command for health checks of containers. The image contains no curl for
// such checks.
func healthCommand() *cli.Command {
	return &cli.Command{
		Name:      "health",
		Usage:     "check whether a running process is ready; for container health checks",
		ArgsUsage: "[URL]",
		Description: `Requests /readyz of the process at the URL, or the path of the URL where it has
one. The scheme http:// may be left out, and so may the host of this machine, as
in :8080. The default is ` + defaultHealthURL + `.`,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			address, err := healthURL(cmd.Args().First())
			if err != nil {
				return usageError(err.Error())
			}
			ctx, done := context.WithTimeout(ctx, 3*time.Second)
			defer done()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			if err != nil {
				return usageError(err.Error())
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s returns %s", address, resp.Status)
			}
			return nil
		},
	}
}

// healthURL returns the URL to request: that of the argument, with the path /readyz if it has none.
// A page at / returns 200 whether or not the process is ready. An argument without a scheme is an
// address as --addr takes it.
func healthURL(argument string) (string, error) {
	argument = cmp.Or(argument, defaultHealthURL)
	if !strings.Contains(argument, "://") {
		if strings.HasPrefix(argument, ":") {
			argument = "127.0.0.1" + argument
		}
		argument = "http://" + argument
	}
	u, err := url.Parse(argument)
	if err != nil {
		return "", err
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/readyz"
	}
	return u.String(), nil
}
