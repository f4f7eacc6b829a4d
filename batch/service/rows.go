package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/worker"
)

// RowDatabase stores encoded rows of batches outside Redis. It is safe for concurrent use. An error
// of a method means that the database is unavailable.
type RowDatabase interface {
	// SaveRows stores the rows of a chunk until the given time. It replaces earlier rows of the
	// chunk.
	SaveRows(ctx context.Context, batch, chunk string, rows []byte, until time.Time) error
	// Rows returns the rows of a chunk, or nil if there are none.
	Rows(ctx context.Context, batch, chunk string) ([]byte, error)
	// DeleteRows deletes the rows of the given batches, and all rows that expired before now.
	DeleteRows(ctx context.Context, batches []string, now time.Time) error
}

// ErrNoDatabase is wrapped in the errors that are returned while the database of batch rows is
// unavailable. These errors also wrap worker.ErrUnavailable and the cause.
var ErrNoDatabase = errors.New("the database of batch rows cannot be reached or refuses writes")

// databaseError is an error of a RowDatabase. Its text names the database instead of the queue.
type databaseError struct{ cause error }

func (e *databaseError) Error() string { return ErrNoDatabase.Error() + ": " + e.cause.Error() }

func (e *databaseError) Unwrap() []error {
	return []error{ErrNoDatabase, worker.ErrUnavailable, e.cause}
}

func noDatabase(err error) error {
	if err == nil {
		return nil
	}
	return &databaseError{err}
}

// rowStore stores rows of chunks in Redis or the database. The counts in Redis are authoritative:
// rows that are not counted there do not exist.
type rowStore interface {
	// name returns the name of the store in scripts.
	name() string
	// commit stores the rows of a chunk and counts them, once per first index. It returns the reply
	// of commitScript.
	commit(ctx context.Context, c *chunkRows) (reply string, err error)
	// read returns the encoded rows of a committed range. It returns ErrNotFound if they are lost.
	read(ctx context.Context, id string, g segment) ([]byte, error)
	// budget returns the limits of the rows in this store.
	budget() budget
}

// budget limits decoded rows in bytes.
type budget struct{ batch, caller, total int64 }

// chunkRows contains the rows of a chunk that are to be stored.
type chunkRows struct {
	id, token    string
	from         int
	result       *chunkResult
	packed       []byte
	size         int // bytes of the decoded rows
	unreserved   int // part of size that is not reserved
	keepFinished bool
}

// segment is a range of runs whose rows are stored. chunk is the name of the rows in the database;
// if it is "", they are in Redis.
type segment struct {
	from, count int
	chunk       string
}

// parseSegment parses an entry of the counts: "50" for rows in Redis, "50 name" for rows in the
// database.
func parseSegment(from, text string) (g segment, err error) {
	count, chunk, _ := strings.Cut(text, " ")
	g.chunk = chunk
	var err1, err2 error
	g.from, err1 = strconv.Atoi(from)
	g.count, err2 = strconv.Atoi(count)
	return g, errors.Join(err1, err2)
}

// redisRows stores rows in Redis. One script stores and counts them.
type redisRows struct{ *store }

func (redisRows) name() string { return "" }

func (r redisRows) commit(ctx context.Context, c *chunkRows) (string, error) {
	return r.commitRows(ctx, c, r, c.packed)
}

func (r redisRows) read(ctx context.Context, id string, g segment) ([]byte, error) {
	packed, err := r.rdb.HGet(ctx, rowsKey(id), strconv.Itoa(g.from)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, ErrNotFound
	}
	return packed, unavailable(err)
}

func (r redisRows) budget() budget {
	total := r.totalBytes()
	return budget{r.opt.BatchBytes, r.callerBytes(total), total}
}

// databaseRows stores rows in a database. It saves them before they are counted, under a name that
// no other coordinator uses. A coordinator that has lost its lease therefore replaces no rows.
type databaseRows struct {
	*store
	db RowDatabase
}

func (databaseRows) name() string { return databasePlace }

// databasePlace is the suffix of keys and fields that count bytes in the database.
const databasePlace = ":database"

func (d databaseRows) commit(ctx context.Context, c *chunkRows) (string, error) {
	chunk := fmt.Sprintf("%d-%s", c.from, c.token)
	// A batch ends within one TTL and is kept for another. The third TTL covers a batch that no
	// process finalizes in time.
	until := d.opt.Now().Add(3 * d.opt.TTL)
	if err := d.db.SaveRows(ctx, c.id, chunk, c.packed, until); err != nil {
		return "", noDatabase(err)
	}
	return d.commitRows(ctx, c, d, chunk)
}

func (d databaseRows) read(ctx context.Context, id string, g segment) ([]byte, error) {
	packed, err := d.db.Rows(ctx, id, g.chunk)
	if err == nil && packed == nil {
		return nil, ErrNotFound
	}
	return packed, noDatabase(err)
}

// databaseBatchShare is the maximum share of the database budget for one batch. It is limited
// because a process holds all decoded rows in memory for the summary.
const databaseBatchShare = 1.0 / 16

func (d databaseRows) budget() budget {
	total := d.opt.DatabaseBytes
	caller := d.callerBytes(total)
	return budget{min(caller, int64(databaseBatchShare*float64(total))), caller, total}
}

// callerBytes returns one caller's share of a budget.
func (s *store) callerBytes(total int64) int64 {
	return int64(s.opt.CallerShare * float64(total))
}

// commitRows runs commitScript. data contains the rows, or their name in the database.
func (s *store) commitRows(ctx context.Context, c *chunkRows, place rowStore,
	data any) (string, error) {
	e, b, keep := c.result, place.budget(), 0
	if c.keepFinished {
		keep = 1
	}
	reply, err := commitScript.Run(ctx, s.rdb, []string{rowsKey(c.id), countsKey(c.id)},
		c.id, c.token, c.from, len(e.runs), failedRuns(e.runs), e.uncharged,
		e.compute.Microseconds(), c.size,
		b.batch, b.total, b.caller, s.opt.TTL.Milliseconds(), keep, place.name(), data,
		c.unreserved).Text()
	return reply, unavailable(err)
}

// batchBytes returns the maximum number of bytes for the rows of one batch.
func (s *store) batchBytes() (most int64) {
	for _, place := range s.stores() {
		b := place.budget()
		most = max(most, min(b.batch, b.caller, b.total))
	}
	return most
}

// stores returns the row stores, the preferred store first.
func (s *store) stores() []rowStore {
	all := []rowStore{redisRows{s}}
	if s.opt.Database != nil {
		all = append(all, databaseRows{s, s.opt.Database})
	}
	return all
}

// storeOf returns the store of a stored range.
func (s *store) storeOf(g segment) (rowStore, error) {
	switch {
	case g.chunk == "":
		return redisRows{s}, nil
	case s.opt.Database == nil:
		return nil, noDatabase(errors.New("the rows are in a database, and this process has none"))
	}
	return databaseRows{s, s.opt.Database}, nil
}

// deletedAtOnce is the maximum number of deleted batches that one call of deleteRows handles.
const deletedAtOnce = 100

// deleteRows deletes the rows of deleted batches and expired rows from the database. If there are
// no deleted batches, it does nothing unless expired is set.
func (s *store) deleteRows(ctx context.Context, expired bool) error {
	if s.opt.Database == nil {
		return nil
	}
	ids, err := s.rdb.SRandMemberN(ctx, deletedKey, deletedAtOnce).Result()
	if err != nil {
		return unavailable(err)
	}
	if len(ids) == 0 && !expired {
		return nil
	}
	if err := s.opt.Database.DeleteRows(ctx, ids, s.opt.Now()); err != nil || len(ids) == 0 {
		return noDatabase(err)
	}
	return unavailable(s.rdb.SRem(ctx, deletedKey, ids).Err())
}
