package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// RowDatabase keeps encoded rows of batches outside of Redis. It is safe for concurrent use. Its
// errors mean that it is unavailable.
type RowDatabase interface {
	// SaveRows stores the rows of a chunk until a time. It replaces those of the same chunk.
	SaveRows(ctx context.Context, batch, chunk string, rows []byte, until time.Time) error
	// Rows returns the rows of a chunk; nil when there are none.
	Rows(ctx context.Context, batch, chunk string) ([]byte, error)
	// DeleteRows deletes the rows of batches, and all rows whose time is before now.
	DeleteRows(ctx context.Context, batches []string, now time.Time) error
}

// rowStore keeps rows of chunks in one place. The counts in Redis decide: rows that are not counted
// there do not exist.
type rowStore interface {
	// name is the place in the scripts.
	name() string
	// commit stores the rows of a chunk and counts them, once per first index. It returns the
	// answer of commitScript.
	commit(ctx context.Context, c *chunkRows) (answer string, err error)
	// read returns the encoded rows of a committed range. Errors: ErrNotFound when they are lost.
	read(ctx context.Context, id string, g segment) ([]byte, error)
	// budget bounds the rows of this place.
	budget() budget
}

// budget bounds decoded rows in bytes.
type budget struct{ batch, caller, total int64 }

// chunkRows are the rows of a chunk on their way into a store.
type chunkRows struct {
	id, token    string
	from         int
	ended        *ended
	packed       []byte
	size         int // decoded
	unreserved   int // bytes of size for which the batch has no reservation
	keepFinished bool
}

// segment is a range of runs whose rows are stored. chunk names its rows in the database; "": they
// are in Redis.
type segment struct {
	from, count int
	chunk       string
}

// parseSegment reads an entry of the counts: "50" for rows in Redis, "50 name" for others.
func parseSegment(from, text string) (g segment, err error) {
	count, chunk, _ := strings.Cut(text, " ")
	g.chunk = chunk
	var err1, err2 error
	g.from, err1 = strconv.Atoi(from)
	g.count, err2 = strconv.Atoi(count)
	return g, errors.Join(err1, err2)
}

// redisRows keeps rows in Redis: one script stores and counts them.
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

// databaseRows keeps rows in a database. They are saved before they are counted, under a name that
// no other coordinator uses, so that a coordinator without its lease replaces none.
type databaseRows struct {
	*store
	db RowDatabase
}

func (databaseRows) name() string { return databasePlace }

// databasePlace ends the names of the keys and fields that count bytes in the database.
const databasePlace = ":database"

func (d databaseRows) commit(ctx context.Context, c *chunkRows) (string, error) {
	chunk := fmt.Sprintf("%d-%s", c.from, c.token)
	// A batch ends within a TTL, and is kept for another TTL. The third is for the case that no
	// process finalizes the batch in time.
	until := d.opt.Now().Add(3 * d.opt.TTL)
	if err := d.db.SaveRows(ctx, c.id, chunk, c.packed, until); err != nil {
		return "", unavailable(err)
	}
	return d.commitRows(ctx, c, d, chunk)
}

func (d databaseRows) read(ctx context.Context, id string, g segment) ([]byte, error) {
	packed, err := d.db.Rows(ctx, id, g.chunk)
	if err == nil && packed == nil {
		return nil, ErrNotFound
	}
	return packed, unavailable(err)
}

// databaseBatchShare is the part of the database's budget that one batch may have: the decoded rows
// are in the memory of a process for the summary.
const databaseBatchShare = 1.0 / 16

func (d databaseRows) budget() budget {
	total := d.opt.DatabaseBytes
	caller := d.callerBytes(total)
	return budget{min(caller, int64(databaseBatchShare*float64(total))), caller, total}
}

// callerBytes is the part of a budget that one caller may have.
func (s *store) callerBytes(total int64) int64 {
	return int64(s.opt.CallerShare * float64(total))
}

// commitRows runs commitScript. data are the rows, or their name in the database.
func (s *store) commitRows(ctx context.Context, c *chunkRows, place rowStore,
	data any) (string, error) {
	e, b, keep := c.ended, place.budget(), 0
	if c.keepFinished {
		keep = 1
	}
	answer, err := commitScript.Run(ctx, s.rdb, []string{rowsKey(c.id), countsKey(c.id)},
		c.id, c.token, c.from, len(e.runs), failedRuns(e.runs), e.uncharged,
		e.compute.Microseconds(), c.size,
		b.batch, b.total, b.caller, s.opt.TTL.Milliseconds(), keep, place.name(), data,
		c.unreserved).Text()
	return answer, unavailable(err)
}

// batchBytes is the largest number of bytes that the rows of one batch may have.
func (s *store) batchBytes() (most int64) {
	for _, place := range s.stores() {
		b := place.budget()
		most = max(most, min(b.batch, b.caller, b.total))
	}
	return most
}

// stores returns the places for rows, the preferred one first.
func (s *store) stores() []rowStore {
	all := []rowStore{redisRows{s}}
	if s.opt.Database != nil {
		all = append(all, databaseRows{s, s.opt.Database})
	}
	return all
}

// storeOf returns the place of a stored range.
func (s *store) storeOf(g segment) (rowStore, error) {
	switch {
	case g.chunk == "":
		return redisRows{s}, nil
	case s.opt.Database == nil:
		return nil, unavailable(errors.New("the rows are in a database, and this process has none"))
	}
	return databaseRows{s, s.opt.Database}, nil
}

// deletedAtOnce bounds the batches whose rows one statement deletes.
const deletedAtOnce = 100

// deleteRows deletes the rows of deleted batches from the database, and expired rows if expired is
// set.
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
		return unavailable(err)
	}
	return unavailable(s.rdb.SRem(ctx, deletedKey, ids).Err())
}
