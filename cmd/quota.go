package cmd

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"slipstick/keys"
	"slipstick/keys/quota"
	"slipstick/keys/usage"
)

// countsFile is the file in the data directory in which "slipstick serve" stores counts.
const countsFile = "counts.db"

// counts counts the calls of a service and exports the usage of keys to the key store.
type counts struct {
	store   usage.Store
	counter *usage.Counter
	limiter *quota.Limiter

	stop     context.CancelFunc
	exported sync.WaitGroup
}

// openCounts opens the usage counters: in a file of the data directory, in memory if dataDir is
// usage.Memory, or in Redis if dataDir is "".
func (p *process) openCounts(
	ctx context.Context,
	a *auth,
	dataDir string,
	rdb redis.UniversalClient,
	metrics prometheus.Registerer,
) (*counts, error) {
	n := &counts{}
	if dataDir == "" {
		n.store = usage.NewRedis(rdb)
	} else {
		path := dataDir
		if path != usage.Memory {
			path = filepath.Join(dataDir, countsFile)
		}
		store, err := usage.OpenSQLite(ctx, path)
		if err != nil {
			return nil, err
		}
		// The queue of this process is in memory: batches of an earlier process no longer exist.
		if err := store.RefundOpenDebits(ctx); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		n.store = store
	}
	exporter := usage.NewExporter(usage.ExporterOptions{Counters: n.store, Keys: a.store,
		Log: p.log})
	if err := metrics.Register(exporter); err != nil {
		return nil, errors.Join(err, n.store.Close())
	}
	n.counter = usage.New(usage.Options{Store: n.store, Log: p.log})
	n.limiter = quota.New(
		quota.Options{Keys: a.keys, Counter: n.counter, Limits: map[keys.Tier]int{
			keys.Anonymous: p.AnonymousCalls, keys.Free: keys.Free.DailyLimit(),
		}},
	)
	exporting, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	n.exported.Go(func() { exporter.Run(exporting) })
	return n, nil
}

// Close writes the pending counts, exports the usage and closes the store. The API must have
// stopped before.
func (n *counts) Close() {
	n.counter.Close()
	n.stop()
	n.exported.Wait()
	_ = n.store.Close()
}
