package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"slipstick/api"
	"slipstick/keys"
	"slipstick/keys/postgres"
	"slipstick/keys/sqlite"
	"slipstick/keys/token"
)

// keysFile is the file in the data directory in which "slipstick serve" stores keys and usage.
const keysFile = "keys.db"

// auth holds the key store and the verifiers of API keys and JWTs.
type auth struct {
	store  keys.Store
	check  api.Check
	keys   *keys.Service
	tokens *token.Verifier
	stop   context.CancelFunc // stops the purge and the JWK set updates
}

// openAuth opens the key store: the configured Postgres database, or SQLite in the data directory.
// dataDir is "" for a command without a data directory.
func (p *process) openAuth(ctx context.Context, dataDir string) (*auth, error) {
	a := &auth{}
	if err := a.openStore(ctx, p.DatabaseURL, dataDir, p.log); err != nil {
		return nil, err
	}
	ctx, a.stop = context.WithCancel(ctx)
	var err error
	if a.tokens, err = p.newVerifier(ctx); err != nil {
		a.Close()
		return nil, err
	}
	var pepper []byte
	if p.KeyPepper != "" {
		pepper = []byte(p.KeyPepper)
	}
	a.keys, err = keys.NewService(ctx, keys.ServiceOptions{Store: a.store, Pepper: pepper})
	if err != nil {
		a.Close()
		if pepper != nil {
			return nil, usageError("--key-pepper or SLIPSTICK_KEY_PEPPER: " + err.Error())
		}
		return nil, err
	}
	go a.purge(ctx, p.log)
	return a, nil
}

func (a *auth) openStore(ctx context.Context, url, dataDir string, log *slog.Logger) error {
	if url != "" {
		store, err := postgres.Open(ctx, url)
		if err != nil {
			message := "the Postgres of --database-url or SLIPSTICK_DATABASE_URL cannot be used: " +
				oneLine(err.Error())
			if errors.Is(err, postgres.ErrAddress) {
				return usageError(message)
			}
			return errors.New(message)
		}
		if version := store.NewerTables(); version > 0 {
			log.Warn("a newer release has changed the tables of Postgres; if this is a rollback, "+
				"restore the dump made before the upgrade", "version", version)
		}
		// The check is optional because without Postgres the API still serves anonymous calls and
		// cached keys.
		a.store, a.check = store, api.Check{Name: "postgres", Ready: store.Ping, Optional: true}
		return nil
	}
	if dataDir == "" {
		return usageError("this command needs a Postgres for API keys: give --database-url or " +
			"SLIPSTICK_DATABASE_URL (\"slipstick serve\" runs without one)")
	}
	path := dataDir
	if path != sqlite.Memory {
		path = filepath.Join(dataDir, keysFile)
	}
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("API keys cannot be kept in %s: %w; "+
			"--data chooses another directory, or :memory: to keep nothing", path, err)
	}
	a.store, a.check = store, api.Check{Name: "sqlite", Ready: store.Ping, Optional: true}
	return nil
}

// oneLine joins the lines of a message. The Postgres driver writes a line per address and per
// attempt with and without TLS, which often have the same error.
func oneLine(message string) string {
	head, rest, several := strings.Cut(message, "\n")
	if !several {
		return message
	}
	lines := strings.Split(rest, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return head + " " + strings.Join(slices.Compact(lines), "; ")
}

// newVerifier returns the configured JWT verifier. Without a secret, key or JWK set, the secret is
// random and no JWT is valid; newVerifier then logs a warning.
func (p *process) newVerifier(ctx context.Context) (*token.Verifier, error) {
	o := token.Options{
		PublicKey: p.JWTPublicKey, JWKSURL: p.JWTJWKSURL, Algorithms: p.JWTAlgorithms,
		Issuer: p.JWTIssuer, Audience: p.JWTAudience, Log: p.log,
	}
	switch {
	case p.JWTSecret != "":
		o.Secret = []byte(p.JWTSecret)
	case o.PublicKey == "" && o.JWKSURL == "":
		o.Secret = make([]byte, token.MinSecret)
		_, _ = rand.Read(o.Secret)
		p.log.Warn(
			"no JWT is valid, so there are no paid API keys and no list or revocation of keys: " +
				"the secret is random at this start; set SLIPSTICK_JWT_SECRET, " +
				"SLIPSTICK_JWT_PUBLIC_KEY " +
				"or SLIPSTICK_JWT_JWKS_URL",
		)
	}
	v, err := token.New(ctx, o)
	if err != nil {
		return nil, usageErrorf("%s: %v", strings.Join(p.givenJWTSettings(), ", "), err)
	}
	return v, nil
}

// givenJWTSettings returns the names of the settings that select the source of JWT keys, as far as
// they are set.
func (c *Config) givenJWTSettings() (names []string) {
	for _, s := range []struct {
		name string
		set  bool
	}{
		{"--jwt-secret or SLIPSTICK_JWT_SECRET", c.JWTSecret != ""},
		{"--jwt-public-key or SLIPSTICK_JWT_PUBLIC_KEY", c.JWTPublicKey != ""},
		{"--jwt-jwks-url or SLIPSTICK_JWT_JWKS_URL", c.JWTJWKSURL != ""},
		{"--jwt-algorithms or SLIPSTICK_JWT_ALGORITHMS", len(c.JWTAlgorithms) > 0},
	} {
		if s.set {
			names = append(names, s.name)
		}
	}
	return names
}

const (
	purgeInterval = time.Hour
	purgeTimeout  = time.Minute
)

// purge calls keys.Service.Purge once per purgeInterval until ctx ends.
func (a *auth) purge(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(purgeInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		bounded, cancel := context.WithTimeout(ctx, purgeTimeout)
		if err := a.keys.Purge(bounded); err != nil && ctx.Err() == nil {
			log.Warn("expired keys were not deleted; the next try is in an hour", "error", err)
		}
		cancel()
	}
}

// Close stops the purge and closes the store. The API must have stopped before.
func (a *auth) Close() {
	if a.stop != nil {
		a.stop()
	}
	a.store.Close()
}
