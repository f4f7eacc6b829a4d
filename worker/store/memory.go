package store

import (
	"context"
	"errors"
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
	var mu sync.Mutex
	add := func(ctx context.Context, node *redis.Client) error {
		info, err := node.Info(ctx, "memory").Result()
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		m.Used += infoNumber(info, "used_memory")
		m.Max += infoNumber(info, "maxmemory")
		return nil
	}
	switch c := rdb.(type) {
	case *redis.ClusterClient:
		err = c.ForEachMaster(ctx, add)
	case *redis.Client:
		err = add(ctx, c)
	default:
		err = errors.New("this type of Redis client does not report memory")
	}
	return m, err
}

func infoNumber(info, field string) int64 {
	_, rest, _ := strings.Cut(info, "\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	n, _ := strconv.ParseInt(value, 10, 64)
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

// Maintain probes Redis and reads its memory periodically until quit is closed.
func (s *Store) Maintain(quit <-chan struct{}) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var read time.Time
	for {
		ctx, cancel := context.WithTimeout(context.Background(), OpTimeout)
		if time.Since(read) >= memoryEvery {
			read = time.Now()
			if _, err := s.Memory(ctx); err != nil {
				s.log.Debug("the memory limit of Redis is unknown", "error", err)
			}
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
