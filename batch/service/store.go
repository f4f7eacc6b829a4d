package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/batch"
	"slipstick/keys"
	"slipstick/worker"
)

// record is a batch as Redis has it.
type record struct {
	ID      string
	Owner   string
	Request []byte
	Tool    string
	Version string
	Mode    string
	Label   string
	State   State
	Total   int
	Done    int
	Failed  int
	// Uncharged are the failed runs that crashed or exceeded a time limit.
	Uncharged int
	Compute   time.Duration // of all runs
	Created   time.Time
	Started   time.Time // zero before
	Ended     time.Time // zero before
	Error     string    // why the batch failed
	Debit     keys.Debit
	Group     string
	Summary   json.RawMessage // nil until the batch is finalized
}

// segment is a range of runs whose rows are stored.
type segment struct{ from, count int }

// recordBytes is about the memory of a record in Redis besides its request.
const recordBytes = 2 << 10

// store keeps batches in Redis. Its errors are worker.ErrUnavailable, ErrNotFound and
// *worker.BusyError.
type store struct {
	rdb redis.UniversalClient
	opt *Options
}

// memoryShare bounds the bytes of all batches by a share of Redis' memory limit.
const memoryShare = 0.2

// totalBytes is the limit of the bytes of all batches.
func (s *store) totalBytes() int64 {
	if most := s.opt.Queue.MaxMemory(); most > 0 {
		return min(s.opt.TotalBytes, int64(memoryShare*float64(most)))
	}
	return s.opt.TotalBytes
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", worker.ErrUnavailable, err)
}

// create stores a batch, unless its owner has as many unfinished ones as the owner may.
func (s *store) create(ctx context.Context, r *record, most int) error {
	debit, err := json.Marshal(r.Debit)
	if err != nil {
		return err
	}
	answer, err := createScript.Run(ctx, s.rdb, []string{leasesKey},
		r.ID, r.Owner, recordBytes+len(r.Request), s.totalBytes(), most, s.opt.TTL.Milliseconds(),
		"request", r.Request, "tool", r.Tool, "version", r.Version, "mode", r.Mode, "label", r.Label,
		"state", string(Queued), "total", r.Total, "debit", debit, "group", r.Group).Text()
	switch {
	case err != nil:
		return unavailable(err)
	case answer == "many":
		return &worker.BusyError{RetryAfter: busyRetry, Reason: fmt.Sprintf(
			"you have %d unfinished batches, which is as many as you may have", most)}
	case answer == "full":
		return &worker.BusyError{RetryAfter: fullRetry, Reason: "the memory for batches is used up by batches " +
			"of other callers, whose results are kept until they expire"}
	}
	return nil
}

// lease takes a batch without a coordinator. It returns "" for none.
func (s *store) lease(ctx context.Context, token string) (string, error) {
	id, err := leaseScript.Run(ctx, s.rdb, []string{leasesKey},
		token, leaseTime.Milliseconds(), s.opt.TTL.Milliseconds()).Text()
	return id, unavailable(err)
}

// renew renews a lease. It returns the state of the batch, "" when the lease is lost, and the number
// of batches that are not finalized.
func (s *store) renew(ctx context.Context, id, token string, d time.Duration) (State, int, error) {
	reply, err := renewScript.Run(ctx, s.rdb, []string{leasesKey}, id, token, d.Milliseconds()).StringSlice()
	if err != nil || len(reply) < 2 {
		return "", 0, unavailable(err)
	}
	n, err := strconv.Atoi(reply[1])
	return State(reply[0]), n, err
}

// failedRuns counts the runs that failed.
func failedRuns(runs []batch.Run) (n int) {
	for _, r := range runs {
		if r.Err != "" {
			n++
		}
	}
	return n
}

// commit stores rows and counts them, once per first index.
func (s *store) commit(ctx context.Context, id, token string, from int, e ended) error {
	packed, size, err := batch.EncodeRuns(e.runs)
	if err != nil {
		return err
	}
	failed := failedRuns(e.runs)
	answer, err := commitScript.Run(ctx, s.rdb, []string{rowsKey(id), countsKey(id)},
		id, token, from, len(e.runs), failed, e.uncharged, e.compute.Microseconds(), size,
		s.opt.BatchBytes, s.totalBytes(), s.opt.TTL.Milliseconds(), packed).Text()
	switch {
	case err != nil:
		return unavailable(err)
	case answer == "lost":
		return errLost
	case answer == "large":
		return fatal(fmt.Sprintf("the rows need more than the %d MiB that one batch may store; "+
			"collect fewer results or make fewer runs", s.opt.BatchBytes>>20))
	case answer == "full":
		return fatal("the memory for batches is used up by batches of other callers; the calls of the " +
			"missing runs are refunded")
	}
	return nil
}

// errRows is the error for a batch that lacks rows which were committed: Redis has restarted, and
// its append-only file lacks the last second.
var errRows = errors.New("the batch lacks rows")

// anyRows lets a batch end with any number of rows.
const anyRows = -1

// end ends a batch that has a number of rows. Without a token it is cancelled on request. It returns
// errLost when the batch has ended or another coordinator has it, and errRows.
func (s *store) end(ctx context.Context, id, token string, state State, reason string, rows int) error {
	must := ""
	if rows != anyRows {
		must = strconv.Itoa(rows)
	}
	n, err := endScript.Run(ctx, s.rdb, []string{recordKey(id)}, string(state), reason, token, must).Int()
	switch {
	case err != nil:
		return unavailable(err)
	case n == 0:
		return errLost
	case n == 2:
		return errRows
	}
	return nil
}

// finalize stores the summary of an ended batch and ends its lease.
func (s *store) finalize(ctx context.Context, id, token string, summary []byte) error {
	finalized, err := finalizeScript.Run(ctx, s.rdb, []string{recordKey(id), leasesKey, finishedKey},
		id, token, summary, len(summary)).Int()
	if err == nil && finalized == 0 {
		return errLost
	}
	return unavailable(err)
}

// get returns a batch; ErrNotFound when it is unknown or expired.
func (s *store) get(ctx context.Context, id string) (*record, error) {
	f, err := s.rdb.HGetAll(ctx, recordKey(id)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	return s.read(id, f)
}

// progressFields are the fields of a record that change while it is computed.
func progressFields() []string {
	return []string{"owner", "state", "total", "done", "failed", "created", "started", "ended", "debit"}
}

// progress returns a batch without its request and its summary; ErrNotFound as get.
func (s *store) progress(ctx context.Context, id string) (*record, error) {
	names := progressFields()
	values, err := s.rdb.HMGet(ctx, recordKey(id), names...).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	f := map[string]string{}
	for i, v := range values {
		f[names[i]], _ = v.(string)
	}
	return s.read(id, f)
}

// read reads the fields of a record.
func (s *store) read(id string, f map[string]string) (*record, error) {
	if f["created"] == "" {
		return nil, ErrNotFound
	}
	n := func(name string) int { v, _ := strconv.Atoi(f[name]); return v }
	at := func(name string) (t time.Time) {
		if ms := n(name); ms > 0 {
			t = time.UnixMilli(int64(ms))
		}
		return t
	}
	r := &record{
		ID: id, Owner: f["owner"], Request: []byte(f["request"]), Tool: f["tool"],
		Version: f["version"], Mode: f["mode"], Label: f["label"], State: State(f["state"]),
		Total: n("total"), Done: n("done"), Failed: n("failed"), Uncharged: n("uncharged"),
		Compute: time.Duration(n("micros")) * time.Microsecond,
		Created: at("created"), Started: at("started"), Ended: at("ended"), Error: f["error"],
		Group: f["group"],
	}
	if f["summary"] != "" {
		r.Summary = json.RawMessage(f["summary"])
	}
	if err := json.Unmarshal([]byte(f["debit"]), &r.Debit); err != nil {
		return nil, err
	}
	// A batch that is not finalized has calls to refund, and a record that only finalize gives up.
	if r.Summary != nil && s.opt.Now().After(r.Ended.Add(s.opt.TTL)) {
		return nil, ErrNotFound
	}
	return r, nil
}

// list returns the ids of an owner's batches, newest first.
func (s *store) list(ctx context.Context, owner string) ([]string, error) {
	ids, err := s.rdb.ZRevRange(ctx, ownerKey(owner), 0, maxListed-1).Result()
	return ids, unavailable(err)
}

// unfinished returns the ids of the batches that are not finalized.
func (s *store) unfinished(ctx context.Context) ([]string, error) {
	ids, err := s.rdb.ZRange(ctx, leasesKey, 0, -1).Result()
	return ids, unavailable(err)
}

// bytes returns the bytes of all records and rows.
func (s *store) bytes(ctx context.Context) (int64, error) {
	n, err := s.rdb.Get(ctx, bytesKey).Int64()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	return n, unavailable(err)
}

// segments returns the stored ranges in order.
func (s *store) segments(ctx context.Context, id string) ([]segment, error) {
	counts, err := s.rdb.HGetAll(ctx, countsKey(id)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	out := make([]segment, 0, len(counts))
	for from, count := range counts {
		f, err1 := strconv.Atoi(from)
		n, err2 := strconv.Atoi(count)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		out = append(out, segment{f, n})
	}
	slices.SortFunc(out, func(a, b segment) int { return cmp.Compare(a.from, b.from) })
	return out, nil
}

// rows returns the rows of a stored range.
func (s *store) rows(ctx context.Context, id string, from int) ([]batch.Run, error) {
	packed, err := s.rdb.HGet(ctx, rowsKey(id), strconv.Itoa(from)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, unavailable(err)
	}
	return batch.DecodeRuns(packed)
}
