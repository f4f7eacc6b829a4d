package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/keys"
	"slipstick/keys/token"
)

// maxTokenLife is the maximum lifetime of a development token.
const maxTokenLife = 365 * 24 * time.Hour

// tokenCommand returns the command that creates JWTs for development.
func tokenCommand() *cli.Command {
	var (
		claims keys.Claims
		tier   string
		ttl    time.Duration
	)
	return &cli.Command{
		Name:  "token",
		Usage: "create a JWT for development",
		Description: `Prints a JWT signed with the configured secret, for a service with the same
secret. In production an identity provider creates JWTs.

Example:
  export SLIPSTICK_JWT_SECRET=$(openssl rand -hex 32)
  slipstick serve &
  curl -s -X POST http://localhost:8080/api/keys \
    -H "Authorization: Bearer $(slipstick token --sub ann --tier developer)"`,
		Flags: append(
			settingFlags("token"),
			&cli.StringFlag{
				Name:        "sub",
				Destination: &claims.Subject,
				Usage:       "subject: owner of the keys",
				Required:    true,
			},
			&cli.StringFlag{
				Name:        "tier",
				Destination: &tier,
				Value:       string(keys.Developer),
				Usage:       "developer, network or agent",
			},
			&cli.BoolFlag{
				Name:        "admin",
				Destination: &claims.Admin,
				Usage:       "allow the management of all keys",
			},
			&cli.DurationFlag{Name: "ttl", Destination: &ttl, Value: time.Hour, Usage: "lifetime"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			c, err := readConfig(cmd, "token")
			if err != nil {
				return err
			}
			claims.Tier = keys.Tier(tier)
			made, err := mintToken(ctx, c, claims, ttl)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.Root().Writer, made)
			return err
		},
	}
}

// mintToken returns a JWT that the service with these settings accepts.
func mintToken(ctx context.Context, c *Config, claims keys.Claims,
	ttl time.Duration) (string, error) {
	switch {
	case c.JWTSecret == "":
		return "", usageError("set SLIPSTICK_JWT_SECRET to the secret of the service, " +
			"at least 32 bytes")
	case ttl <= 0 || ttl > maxTokenLife:
		return "", usageErrorf("--ttl must be more than 0 and at most %s", maxTokenLife)
	}
	o := token.Options{
		Secret: []byte(c.JWTSecret), Issuer: c.JWTIssuer, Audience: c.JWTAudience,
	}
	v, err := token.New(ctx, o)
	if err != nil {
		return "", usageError("SLIPSTICK_JWT_SECRET: " + err.Error())
	}
	made, err := token.Mint(o.Secret, claims, o.Issuer, o.Audience, time.Now(), ttl)
	if err != nil {
		return "", err
	}
	if _, err := v.Verify(ctx, made); err != nil { // an invalid tier or subject
		return "", usageError("the service would reject this token: " + err.Error())
	}
	return made, nil
}
