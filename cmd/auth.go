package cmd

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/api"
	"slipstick/keys"
	"slipstick/keys/postgres"
	"slipstick/keys/sqlite"
	"slipstick/keys/token"
)

// keyFlags say where keys are kept and whose JWTs may manage them.
func keyFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "database-url", Usage: "Postgres that keeps API keys and usage: postgres://user:password@host:port/db; a password may stand in PGPASSWORD instead, without escapes", Sources: cli.EnvVars("SLIPSTICK_DATABASE_URL")},
		&cli.StringFlag{Name: "key-pepper", Usage: "secret that API keys are hashed with, at least 32 bytes, better given by environment; by default one that the store keeps", Sources: cli.EnvVars("SLIPSTICK_KEY_PEPPER")},
		&cli.StringFlag{Name: "jwt-public-key", Usage: "PEM text or file that RS256, ES256 or EdDSA signatures of JWTs are checked with", Sources: cli.EnvVars("SLIPSTICK_JWT_PUBLIC_KEY")},
		&cli.StringFlag{Name: "jwt-jwks-url", Usage: "address of the JWK set that signatures of JWTs are checked with", Sources: cli.EnvVars("SLIPSTICK_JWT_JWKS_URL")},
		&cli.StringSliceFlag{Name: "jwt-algorithms", Usage: "algorithms accepted with a JWK set, of RS256, ES256 and EdDSA; all by default", Sources: cli.EnvVars("SLIPSTICK_JWT_ALGORITHMS")},
	}, jwtFlags()...)
}

// jwtFlags are what checking and minting JWTs have in common.
func jwtFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "jwt-secret", Usage: "secret of HS256 JWTs, at least 32 bytes, better given by environment", Sources: cli.EnvVars("SLIPSTICK_JWT_SECRET")},
		&cli.StringFlag{Name: "jwt-issuer", Usage: "issuer (iss) that JWTs must name", Sources: cli.EnvVars("SLIPSTICK_JWT_ISSUER")},
		&cli.StringFlag{Name: "jwt-audience", Usage: "audience (aud) that JWTs must name", Sources: cli.EnvVars("SLIPSTICK_JWT_AUDIENCE")},
	}
}

// keysFile is where the embedded service keeps keys and usage, in its data directory.
const keysFile = "keys.db"

// access decides who may do what: the keys, the JWTs of those who manage them, and the gate in
// front of the tools.
type access struct {
	store    keys.Store
	check    api.Check
	registry *keys.Service
	tokens   *token.Verifier
	stop     context.CancelFunc // of the tidying, and of fetching JWK sets
}

// openAccess opens the configured store: Postgres, or SQLite in the data directory, which is ""
// for a program that has none.
func openAccess(ctx context.Context, cmd *cli.Command, dataDir string, log *slog.Logger) (*access, error) {
	a := &access{}
	if err := a.openStore(ctx, cmd, dataDir); err != nil {
		return nil, err
	}
	ctx, a.stop = context.WithCancel(ctx)
	var err error
	if a.tokens, err = newVerifier(ctx, cmd, log); err != nil {
		a.Close()
		return nil, err
	}
	var pepper []byte
	if given := cmd.String("key-pepper"); given != "" {
		pepper = []byte(given)
	}
	if a.registry, err = keys.NewService(ctx, keys.ServiceOptions{Store: a.store, Pepper: pepper}); err != nil {
		a.Close()
		if pepper != nil {
			return nil, usageError("--key-pepper or SLIPSTICK_KEY_PEPPER: " + err.Error())
		}
		return nil, err
	}
	go a.tidy(ctx, log)
	return a, nil
}

func (a *access) openStore(ctx context.Context, cmd *cli.Command, dataDir string) error {
	if url := cmd.String("database-url"); url != "" {
		store, err := postgres.Open(ctx, url)
		if err != nil {
			return fmt.Errorf("the Postgres of --database-url or SLIPSTICK_DATABASE_URL cannot be used: %w", err)
		}
		// A service without Postgres still serves: anonymous calls, and keys it has seen.
		a.store, a.check = store, api.Check{Name: "postgres", Ready: store.Ping, Optional: true}
		return nil
	}
	if dataDir == "" {
		return usageError("this command needs a Postgres for API keys: give --database-url or SLIPSTICK_DATABASE_URL (\"slipstick serve\" runs without one)")
	}
	path := dataDir
	if path != sqlite.Memory {
		path = filepath.Join(dataDir, keysFile)
	}
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("API keys cannot be kept in %s: %w; --data chooses another directory, or :memory: to keep nothing", path, err)
	}
	a.store, a.check = store, api.Check{Name: "sqlite", Ready: store.Ping, Optional: true}
	return nil
}

// newVerifier makes the configured one, or one with a random secret: then no JWT is good, which
// is said.
func newVerifier(ctx context.Context, cmd *cli.Command, log *slog.Logger) (*token.Verifier, error) {
	o := token.Options{
		PublicKey: cmd.String("jwt-public-key"), JWKSURL: cmd.String("jwt-jwks-url"), Algorithms: entries(cmd.StringSlice("jwt-algorithms")),
		Issuer: cmd.String("jwt-issuer"), Audience: cmd.String("jwt-audience"), Log: log,
	}
	switch secret := cmd.String("jwt-secret"); {
	case secret != "":
		o.Secret = []byte(secret)
	case o.PublicKey == "" && o.JWKSURL == "":
		o.Secret = make([]byte, token.MinSecret)
		_, _ = rand.Read(o.Secret)
		log.Warn("no JWT is accepted, so nobody can list or revoke API keys or get paid ones: the secret is random at this start; set SLIPSTICK_JWT_SECRET, SLIPSTICK_JWT_PUBLIC_KEY or SLIPSTICK_JWT_JWKS_URL")
	}
	v, err := token.New(ctx, o)
	if err != nil {
		return nil, usageError("SLIPSTICK_JWT_SECRET, SLIPSTICK_JWT_PUBLIC_KEY, SLIPSTICK_JWT_JWKS_URL, SLIPSTICK_JWT_ALGORITHMS: " + err.Error())
	}
	return v, nil
}

// join adds the access to an API's options.
func (a *access) join(o api.Options) api.Options {
	o.Keys, o.Tokens = a.registry, a.tokens
	o.Ready = append(o.Ready, a.check)
	return o
}

const (
	tidyEvery = time.Hour
	tidyTime  = time.Minute
)

// tidy forgets what nobody asks for any more, now and then.
func (a *access) tidy(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		bounded, cancel := context.WithTimeout(ctx, tidyTime)
		if err := a.registry.Purge(bounded); err != nil && ctx.Err() == nil {
			log.Warn("will try again in an hour", "error", err)
		}
		cancel()
	}
}

// Close ends it, after the API.
func (a *access) Close() {
	if a.stop != nil {
		a.stop()
	}
	a.store.Close()
}
