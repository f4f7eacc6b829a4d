package worker

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Timing of looking after Redis' memory.
const (
	probeEvery  = 2 * time.Second
	memoryEvery = 10 * time.Second
	probeLife   = time.Minute
)

// probeKey is written to see whether Redis takes writes.
const probeKey = "slipstick:probe"

// memory is Redis' own account of its memory [bytes]; most is 0 where it has no bound.
type memory struct{ used, most int64 }

// readMemory asks INFO, which managed services allow where they forbid CONFIG. Of a cluster it is
// the sum over the masters.
func readMemory(ctx context.Context, rdb redis.UniversalClient) (m memory, err error) {
	var mu sync.Mutex
	add := func(ctx context.Context, node *redis.Client) error {
		info, err := node.Info(ctx, "memory").Result()
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		m.used += infoNumber(info, "used_memory")
		m.most += infoNumber(info, "maxmemory")
		return nil
	}
	switch c := rdb.(type) {
	case *redis.ClusterClient:
		err = c.ForEachMaster(ctx, add)
	case *redis.Client:
		err = add(ctx, c)
	default:
		err = errors.New("this Redis client cannot ask for memory")
	}
	return m, err
}

func infoNumber(info, field string) int64 {
	_, rest, _ := strings.Cut(info, "\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	n, _ := strconv.ParseInt(value, 10, 64)
	return n
}

// learnMemory reads the bound of Redis' memory. Without an answer the last one holds.
func (s *resultStore) learnMemory(ctx context.Context) (memory, error) {
	m, err := readMemory(ctx, s.rdb)
	if err == nil {
		s.maxMemory.Store(m.most)
	}
	return m, err
}

// probe tests a write, and makes room when Redis refuses it for want of memory.
func (s *resultStore) probe(ctx context.Context) error {
	write := func() error { return s.rdb.Set(ctx, probeKey, time.Now().UnixMilli(), probeLife).Err() }
	began := time.Now()
	err := write()
	s.metrics.probed(err)
	if isFull(err) {
		s.relieve(ctx, began)
		err = write()
	}
	return err
}

// look after Redis until quit is closed.
func (s *resultStore) tend(quit <-chan struct{}) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var learned time.Time
	for {
		ctx, done := context.WithTimeout(context.Background(), opTimeout)
		if time.Since(learned) >= memoryEvery {
			learned = time.Now()
			if _, err := s.learnMemory(ctx); err != nil {
				s.log.Debug("the bound of Redis' memory is not known", "error", err)
			}
		}
		if err := s.probe(ctx); err != nil {
			s.log.Debug("Redis does not take a test write", "error", err)
		}
		done()
		select {
		case <-quit:
			return
		case <-tick.C:
		}
	}
}
