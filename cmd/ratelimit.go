package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/urfave/cli/v3"

	"slipstick/api"
	"slipstick/keys"
	"slipstick/keys/meter"
	"slipstick/keys/quota"
	"slipstick/keys/ratelimit"
	"slipstick/keys/usage"
)

// limitFlags say how much one address may do.
func limitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "anonymous-calls", Value: keys.Anonymous.DailyLimit(), Usage: "calls a day of one address without a key; 0: no limit", Sources: cli.EnvVars("SLIPSTICK_ANONYMOUS_CALLS"), Validator: atLeast(0)},
		&cli.FloatFlag{Name: "burst-rate", Value: 200, Usage: "requests a second of one address, apart from this machine's and paid ones; 0: no limit", Sources: cli.EnvVars("SLIPSTICK_BURST_RATE"), Validator: atLeast(0.0)},
		&cli.IntFlag{Name: "burst-size", Value: 1000, Usage: "requests that one address may send at once above the rate", Sources: cli.EnvVars("SLIPSTICK_BURST_SIZE"), Validator: atLeast(1)},
		&cli.IntFlag{Name: "jobs-per-caller", Value: 50, Usage: "heavy jobs one caller may have unfinished", Sources: cli.EnvVars("SLIPSTICK_JOBS_PER_CALLER"), Validator: atLeast(1)},
		&cli.StringSliceFlag{Name: "trusted-proxies", Usage: "addresses or networks (CIDR) of proxies whose X-Forwarded-For names the client; none by default", Sources: cli.EnvVars("SLIPSTICK_TRUSTED_PROXIES")},
	}
}

// countsFile is where the embedded service counts calls, in its data directory.
const countsFile = "counts.db"

// counting counts the calls of a service, and moves what keys used to their store.
type counting struct {
	book   usage.Store
	ledger *usage.Counter
	gate   *quota.Limiter

	stop  context.CancelFunc
	moved sync.WaitGroup
}

// openCounting counts in a file of the data directory, or, without one, in Redis.
func openCounting(ctx context.Context, cmd *cli.Command, a *access, dataDir string, rdb redis.UniversalClient, metrics prometheus.Registerer, log *slog.Logger) (*counting, error) {
	n := &counting{}
	if dataDir == "" {
		n.book = usage.NewRedis(rdb)
	} else {
		path := dataDir
		if path != usage.Memory {
			path = filepath.Join(dataDir, countsFile)
		}
		book, err := usage.OpenSQLite(ctx, path)
		if err != nil {
			return nil, err
		}
		n.book = book
	}
	mover := meter.New(meter.Options{Book: n.book, Store: a.store, Log: log})
	if err := metrics.Register(mover); err != nil {
		return nil, errors.Join(err, n.book.Close())
	}
	n.ledger = usage.New(usage.Options{Book: n.book, Log: log})
	n.gate = quota.New(quota.Options{Keys: a.registry, Ledger: n.ledger, Limits: map[keys.Tier]int{
		keys.Anonymous: cmd.Int("anonymous-calls"), keys.Free: keys.Free.DailyLimit(),
	}})
	moving, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	n.moved.Go(func() { mover.Run(moving) })
	return n, nil
}

// Close counts what is not counted yet and moves it. No calls may come any more.
func (n *counting) Close() {
	n.ledger.Close()
	n.stop()
	n.moved.Wait()
	_ = n.book.Close()
}

// join adds the limits to an API's options.
func (n *counting) join(ctx context.Context, cmd *cli.Command, a *access, o api.Options) (api.Options, error) {
	var err error
	if o.Proxies, err = proxies(entries(cmd.StringSlice("trusted-proxies"))); err != nil {
		return o, err
	}
	proposal := make([]byte, 32)
	_, _ = rand.Read(proposal)
	if o.PageSecret, err = a.store.Secret(ctx, "page", proposal); err != nil {
		return o, fmt.Errorf("the secret of the page could not be read: %w", err)
	}
	o.Gate, o.Issuing = n.gate, &quota.IssuanceLimiter{Book: n.book, Now: time.Now}
	o.Bursts.Any = ratelimit.Rate{PerSecond: cmd.Float("burst-rate"), Size: cmd.Int("burst-size")}
	if o.Bursts.Any.PerSecond <= 0 {
		o.Bursts.Any.PerSecond = -1
	}
	return o, nil
}

// proxies reads networks; an address alone is a network of one.
func proxies(list []string) (p api.Proxies, err error) {
	for _, s := range list {
		s = strings.TrimSpace(s)
		n, err := netip.ParsePrefix(s)
		if a, e := netip.ParseAddr(s); e == nil {
			n, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, usageError(fmt.Sprintf("--trusted-proxies or SLIPSTICK_TRUSTED_PROXIES: %q is not a network such as 10.0.0.0/8 or fd00::/8", s))
		}
		p = append(p, n.Masked())
	}
	return p, nil
}
