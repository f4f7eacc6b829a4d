package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Intervals of test writes and memory checks, and the TTL of the test key.
const (
	probeEvery  = 2 * time.Second
	memoryEvery = 10 * time.Second
	probeTTL    = time.Minute
)

// probeKey is the key of the test write.
const probeKey = "slipstick:probe"

// Memory is the memory of Redis in bytes. Max is 0 if there is no limit.
type Memory struct{ Used, Max int64 }

// readMemory reads the memory from INFO, which managed services allow even if they forbid CONFIG.
// For a cluster it returns the sum over the masters.
func readMemory(ctx context.Context, rdb redis.UniversalClient) (m Memory, err error) {
	err = forEachMaster(ctx, rdb, "memory", func(info string) {
		m.Used += infoNumber(info, "used_memory")
		m.Max += infoNumber(info, "maxmemory")
	})
	return m, err
}

// lossySettings returns the settings with which Redis may drop data, such as "appendonly no", or ""
// if there are none. After an error they may be incomplete.
func lossySettings(ctx context.Context, rdb redis.UniversalClient) (string, error) {
	var lossy []string
	memory := forEachMaster(ctx, rdb, "memory", func(info string) {
		if p := infoText(info, "maxmemory_policy"); p != "" && p != "noeviction" {
			lossy = append(lossy, "maxmemory-policy "+p)
		}
	})
	persistence := forEachMaster(ctx, rdb, "persistence", func(info string) {
		if infoText(info, "aof_enabled") == "0" {
			lossy = append(lossy, "appendonly no")
		}
	})
	slices.Sort(lossy)
	return strings.Join(slices.Compact(lossy), ", "), errors.Join(memory, persistence)
}

// forEachMaster calls f with a section of INFO of each master, one call at a time.
func forEachMaster(ctx context.Context, rdb redis.UniversalClient, section string,
	f func(info string)) error {
	var mu sync.Mutex
	read := func(ctx context.Context, node *redis.Client) error {
		info, err := node.Info(ctx, section).Result()
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		f(info)
		return nil
	}
	switch c := rdb.(type) {
	case *redis.ClusterClient:
		return c.ForEachMaster(ctx, read)
	case *redis.Client:
		return read(ctx, c)
	}
	return errors.New("this type of Redis client does not report INFO")
}

func infoText(info, field string) string {
	_, rest, _ := strings.Cut(info, "\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

func infoNumber(info, field string) int64 {
	n, _ := strconv.ParseInt(infoText(info, field), 10, 64)
	return n
}

// Memory reads the memory use and limit of Redis. The limit bounds the budgets. After an error the
// last known limit remains in force.
func (s *Store) Memory(ctx context.Context) (Memory, error) {
	m, err := readMemory(ctx, s.rdb)
	if err == nil {
		s.maxMemory.Store(m.Max)
	}
	return m, err
}

// MaxMemory returns the last known memory limit of Redis in bytes. It returns 0 if there is no
// limit or the limit is not yet known.
func (s *Store) MaxMemory() int64 { return s.maxMemory.Load() }

// Probe performs a test write. If Redis rejects it for lack of memory, Probe evicts results and
// tries once more.
func (s *Store) Probe(ctx context.Context) error {
	write := func() error {
		return s.rdb.Set(ctx, probeKey, time.Now().UnixMilli(), probeTTL).Err()
	}
	began := time.Now()
	err := write()
	s.metrics.probed(err)
	if isFull(err) {
		s.Relieve(ctx, began)
		err = write()
	}
	return unavailable(err)
}

// Maintain probes Redis and reads its memory periodically until quit is closed. At start, after a
// reconnect and after a change it logs settings with which Redis may drop data.
func (s *Store) Maintain(quit <-chan struct{}) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var read time.Time
	var logged string
	for {
		ctx, cancel := context.WithTimeout(context.Background(), OpTimeout)
		if time.Since(read) >= memoryEvery {
			read = time.Now()
			if _, err := s.Memory(ctx); err != nil {
				s.log.Debug("the memory limit of Redis is unknown", "error", err)
			}
			lossy, err := lossySettings(ctx, s.rdb)
			if err != nil {
				s.log.Debug("the settings of Redis are unknown", "error", err)
			}
			if lossy != "" && lossy != logged {
				s.log.Warn("Redis may drop jobs, counts and usage", "settings", lossy,
					"needed", "maxmemory-policy noeviction, appendonly yes")
			}
			logged = lossy // "" while Redis is unreachable, so that a reconnect is logged
		}
		if err := s.Probe(ctx); err != nil {
			s.log.Debug("Redis refused a test write", "error", err)
		}
		cancel()
		select {
		case <-quit:
			return
		case <-tick.C:
		}
	}
}
