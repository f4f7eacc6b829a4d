package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/keys"
	"slipstick/keys/token"
)

// maxTokenLife bounds a token made for development.
const maxTokenLife = 365 * 24 * time.Hour

// tokenCommand makes JWTs for development.
func tokenCommand() *cli.Command {
	return &cli.Command{
		Name:  "token",
		Usage: "make a JWT for development",
		Description: `Prints a JWT signed with the configured secret, for a service that was started with the same
one. In production an identity provider makes them.

Example:
  export SLIPSTICK_JWT_SECRET=$(openssl rand -hex 32)
  slipstick serve &
  curl -s -X POST -H "Authorization: Bearer $(slipstick token --sub ann --tier developer)" http://localhost:8080/api/keys`,
		Flags: append(jwtFlags(),
			&cli.StringFlag{Name: "sub", Usage: "subject: who owns the keys", Required: true},
			&cli.StringFlag{Name: "tier", Value: string(keys.Developer), Usage: "developer, network or agent"},
			&cli.BoolFlag{Name: "admin", Usage: "may manage everybody's keys"},
			&cli.DurationFlag{Name: "ttl", Value: time.Hour, Usage: "how long it is good"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			who := keys.Claims{Subject: cmd.String("sub"), Tier: keys.Tier(cmd.String("tier")), Admin: cmd.Bool("admin")}
			ttl := cmd.Duration("ttl")
			secret := cmd.String("jwt-secret")
			switch {
			case secret == "":
				return usageError("set SLIPSTICK_JWT_SECRET to the secret that the service was started with, at least 32 bytes")
			case ttl <= 0 || ttl > maxTokenLife:
				return usageError(fmt.Sprintf("--ttl must be more than 0 and at most %s", maxTokenLife))
			}
			o := token.Options{Secret: []byte(secret), Issuer: cmd.String("jwt-issuer"), Audience: cmd.String("jwt-audience")}
			v, err := token.New(ctx, o)
			if err != nil {
				return usageError("SLIPSTICK_JWT_SECRET: " + err.Error())
			}
			made, err := token.Mint(o.Secret, who, o.Issuer, o.Audience, time.Now(), ttl)
			if err != nil {
				return err
			}
			if _, err := v.Verify(ctx, made); err != nil { // an impossible tier or subject
				return usageError("such a token would be refused: " + err.Error())
			}
			_, err = fmt.Fprintln(cmd.Root().Writer, made)
			return err
		},
	}
}
