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

// record is a batch as stored in Redis.
type record struct {
	ID      string
	Owner   string
	Request []byte
	Tool    string
	Version string
	Mode    string
	Label   string
	// Warnings are those of batch.Plan.
	Warnings []string
	State    State
	Total    int
	Done     int
	Failed   int
	// Uncharged is the number of failed runs that crashed or exceeded a time limit.
	Uncharged int
	Compute   time.Duration // total computing time of all runs
	Created   time.Time
	Started   time.Time // zero until the batch is running
	Ended     time.Time // zero until the batch has ended
	Error     string    // reason for the failure of the batch
	Debit     keys.Debit
	Group     string
	Summary   json.RawMessage // nil until the batch is finalized
	Bytes     int64           // bytes of the record and its decoded rows, regardless of the store
	// RowBytes is the number of bytes to reserve for the rows of a new batch.
	RowBytes int64
	// InDatabase reports whether the bytes of the rows are reserved in the database.
	InDatabase bool
}

// recordBytes is the approximate memory of a record in Redis without its request.
const recordBytes = 2 << 10

// store stores batches in Redis and large rows in a database. Its methods return
// worker.ErrUnavailable, ErrNotFound or a *worker.BusyError. Errors of the database also wrap
// ErrNoDatabase.
type store struct {
	rdb redis.UniversalClient
	opt *Options
}

// memoryShare is the maximum share of the Redis memory limit for all batches.
const memoryShare = 0.2

// totalBytes returns the maximum number of bytes for all batches.
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

// placeArgs returns the script arguments for the row stores: their number, then the name and limits
// of each.
func (s *store) placeArgs() []any {
	all := s.stores()
	args := []any{len(all)}
	for _, place := range all {
		b := place.budget()
		args = append(args, place.name(), b.batch, b.caller, b.total)
	}
	return args
}

// create stores a batch and reserves the bytes of its rows. It returns a *worker.BusyError if the
// number of its owner's unfinished batches has reached the limit most. A batch in state pending
// remains so until accept.
func (s *store) create(ctx context.Context, r *record, most int) error {
	debit, err := json.Marshal(r.Debit)
	if err != nil {
		return err
	}
	warnings, err := json.Marshal(r.Warnings)
	if err != nil {
		return err
	}
	size := recordBytes + len(r.Request) + len(warnings)
	args := append([]any{r.ID, r.Owner, size, r.RowBytes, most, s.opt.TTL.Milliseconds(),
		string(r.State)}, s.placeArgs()...)
	args = append(args, "request", r.Request, "tool", r.Tool, "version", r.Version, "mode", r.Mode,
		"label", r.Label, "total", r.Total, "debit", debit, "group", r.Group,
		"warnings", warnings)
	reply, err := createScript.Run(ctx, s.rdb, []string{leasesKey}, args...).StringSlice()
	if err == nil && reply[0] == "many" {
		return &worker.BusyError{RetryAfter: busyRetry, OfCaller: true, Reason: fmt.Sprintf(
			"you have %d unfinished batches, which is as many as you may have", most)}
	}
	return s.accepted(reply, err)
}

// accept accepts a pending batch. It returns errLost if the batch is not pending.
func (s *store) accept(ctx context.Context, id string) error {
	args := append([]any{id, s.opt.TTL.Milliseconds()}, s.placeArgs()...)
	reply, err := acceptScript.Run(ctx, s.rdb, []string{leasesKey}, args...).StringSlice()
	if err == nil && reply[0] == "lost" {
		return errLost
	}
	return s.accepted(reply, err)
}

// accepted converts the reply of a script that makes room for a new batch to an error. The reply
// contains the store whose limit is reached.
func (s *store) accepted(reply []string, err error) error {
	if err != nil {
		return unavailable(err)
	}
	var b budget
	for _, place := range s.stores() {
		if place.name() == reply[1] {
			b = place.budget()
		}
	}
	switch reply[0] {
	case "large": // a limit was lowered after the request was checked
		return &worker.BusyError{RetryAfter: fullRetry, Reason: fmt.Sprintf(
			"the rows need more than the %s that one batch may store; collect fewer results or make fewer runs",
			mebibytes(min(b.batch, b.caller)))}
	case "share":
		return &worker.BusyError{RetryAfter: busyRetry, OfCaller: true, Reason: fmt.Sprintf(
			"your unfinished batches and this one need more than the %s that one caller may have; wait until one has ended, or cancel one",
			mebibytes(b.caller))}
	case "full":
		return &worker.BusyError{RetryAfter: fullRetry,
			Reason: "the memory for batches is used up by batches " +
				"of other callers, whose results are kept until they expire"}
	}
	return nil
}

// rejectedAtOnce is the maximum number of batches that one pass rejects.
const rejectedAtOnce = 100

// reject rejects the batches that have been pending for at least age, and returns their ids.
func (s *store) reject(ctx context.Context, age time.Duration) ([]string, error) {
	ids, err := rejectScript.Run(ctx, s.rdb, []string{pendingKey}, age.Milliseconds(),
		rejectedAtOnce).StringSlice()
	return ids, unavailable(err)
}

// delete deletes a batch that was not accepted.
func (s *store) delete(ctx context.Context, id string) error {
	return unavailable(deleteScript.Run(ctx, s.rdb, []string{recordKey(id)}, id).Err())
}

// mebibytes formats a number of bytes in MiB.
func mebibytes(n int64) string {
	return strconv.FormatFloat(float64(n)/(1<<20), 'g', 3, 64) + " MiB"
}

// lease leases a batch without a coordinator and returns its id, or "" if there is none.
func (s *store) lease(ctx context.Context, token string) (string, error) {
	id, err := leaseScript.Run(ctx, s.rdb, []string{leasesKey},
		token, leaseTime.Milliseconds(), s.opt.TTL.Milliseconds()).Text()
	return id, unavailable(err)
}

// renew renews a lease. It returns the state of the batch and the number of batches that are not
// finalized. The state is "" if the lease is lost.
func (s *store) renew(ctx context.Context, id, token string, d time.Duration) (State, int, error) {
	reply, err := renewScript.Run(ctx, s.rdb, []string{leasesKey}, id, token,
		d.Milliseconds()).StringSlice()
	if err != nil || len(reply) < 2 {
		return "", 0, unavailable(err)
	}
	n, err := strconv.Atoi(reply[1])
	return State(reply[0]), n, err
}

// failedRuns returns the number of failed runs.
func failedRuns(runs []batch.Run) (n int) {
	for _, r := range runs {
		if r.Err != "" {
			n++
		}
	}
	return n
}

// commit stores rows and counts them, once per first index. It uses Redis within its budget, then
// the database if there is one. It sets e.spilled if Redis has no room for the rows of this batch.
// If error details do not fit, it shortens them. If the database is full, it tries Redis again for
// rows after spilled rows because their reservation is in Redis.
func (s *store) commit(ctx context.Context, id, token string, from int, e *chunkResult) error {
	spilled := e.spilled
	err := s.commitIn(ctx, id, token, from, e)
	var full fatal
	if errors.As(err, &full) && (spilled || batch.LongErrors(e.runs) > 0) {
		batch.ShortenErrors(e.runs)
		e.spilled = false
		err = s.commitIn(ctx, id, token, from, e)
	}
	return err
}

// commitIn is the variant of commit that leaves the error details unchanged.
func (s *store) commitIn(ctx context.Context, id, token string, from int, e *chunkResult) error {
	packed, size, err := batch.EncodeRuns(e.runs)
	if err != nil {
		return err
	}
	c := &chunkRows{id: id, token: token, from: from, result: e, packed: packed, size: size,
		unreserved: batch.LongErrors(e.runs)}
	places := s.stores()
	if last := len(places) - 1; e.spilled {
		places = places[last:]
	}
	for i, place := range places {
		c.keepFinished = i+1 < len(places)
		reply, err := place.commit(ctx, c)
		switch {
		case err != nil:
			return err
		case reply == "ok":
			return nil
		case reply == "lost":
			return errLost
		case !c.keepFinished:
			return refusedRows(reply, place.budget())
		}
		e.spilled = true
	}
	return nil
}

// refusedRows returns the reason why rows are not stored.
func refusedRows(reply string, b budget) error {
	switch reply {
	case "large":
		return fatal(fmt.Sprintf("the rows need more than the %s that one batch may store; "+
			"collect fewer results or make fewer runs", mebibytes(b.batch)))
	case "share":
		return fatal(
			fmt.Sprintf("your batches hold the %s that one caller may store; send the batch again "+
				"when the others have ended, or collect fewer results; the calls of the missing runs are refunded",
				mebibytes(b.caller)))
	case "full":
		return fatal(
			"the memory for batches is used up by batches of other callers; the calls of the " +
				"missing runs are refunded")
	}
	return fmt.Errorf("unknown reply of the script that commits rows: %q", reply)
}

// errRows is returned for a batch whose number of rows differs from the number of its runs. Rows
// are missing if Redis restarts and its append-only file lacks the last second.
var errRows = errors.New("the batch lacks rows")

// anyRows lets a batch end with any number of rows.
const anyRows = -1

// end ends a batch if it has the given number of rows. Without a token it cancels the batch on
// request. It returns errLost if the batch has ended or another coordinator has it, and errRows if
// the number of rows differs.
func (s *store) end(ctx context.Context, id, token string, state State, reason string,
	rows int) error {
	must := ""
	if rows != anyRows {
		must = strconv.Itoa(rows)
	}
	n, err := endScript.Run(ctx, s.rdb, []string{recordKey(id)}, string(state), reason,
		token, must).Int()
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
	finalized, err := finalizeScript.Run(ctx, s.rdb, []string{recordKey(id), leasesKey,
		finishedKey},
		id, token, summary, len(summary)).Int()
	if err == nil && finalized == 0 {
		return errLost
	}
	return unavailable(err)
}

// get returns a batch. It returns ErrNotFound if the batch is unknown, not accepted or expired.
func (s *store) get(ctx context.Context, id string) (*record, error) {
	r, err := s.stored(ctx, id)
	if err == nil && (r.State == pending || r.State == rejected) {
		return nil, ErrNotFound
	}
	return r, err
}

// stored is the variant of get for batches in any state.
func (s *store) stored(ctx context.Context, id string) (*record, error) {
	f, err := s.rdb.HGetAll(ctx, recordKey(id)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	return s.read(id, f)
}

// progressFields returns the fields of a record that change during the computation.
func progressFields() []string {
	return []string{"owner", "state", "total", "done", "failed", "created", "started",
		"ended", "debit"}
}

// progress returns a batch without its request and summary. It returns ErrNotFound in the same
// cases as get.
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

// read decodes the fields of a record.
func (s *store) read(id string, f map[string]string) (*record, error) {
	if f["created"] == "" {
		return nil, ErrNotFound
	}
	n := func(name string) int { v, _ := strconv.Atoi(f[name]); return v } // absent: 0
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
		Group: f["group"], Bytes: int64(n("bytes")) + int64(n("bytes"+databasePlace)),
		InDatabase: n("reserved"+databasePlace) > 0,
	}
	if f["summary"] != "" {
		r.Summary = json.RawMessage(f["summary"])
	}
	if text := f["warnings"]; text != "" { // absent in batches of earlier versions
		if err := json.Unmarshal([]byte(text), &r.Warnings); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal([]byte(f["debit"]), &r.Debit); err != nil {
		return nil, err
	}
	// A batch that is not finalized has calls to refund, so only finalize may delete its record.
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

// bytes returns the bytes of all records and rows in a store: "" or databasePlace.
func (s *store) bytes(ctx context.Context, place string) (int64, error) {
	n, err := s.rdb.Get(ctx, bytesKey+place).Int64()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	return n, unavailable(err)
}

// segments returns the stored ranges in ascending order.
func (s *store) segments(ctx context.Context, id string) ([]segment, error) {
	counts, err := s.rdb.HGetAll(ctx, countsKey(id)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	out := make([]segment, 0, len(counts))
	for from, text := range counts {
		g, err := parseSegment(from, text)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b segment) int { return cmp.Compare(a.from, b.from) })
	return out, nil
}

// rows returns the rows of a stored range.
func (s *store) rows(ctx context.Context, id string, g segment) ([]batch.Run, error) {
	place, err := s.storeOf(g)
	if err != nil {
		return nil, err
	}
	packed, err := place.read(ctx, id, g)
	if err != nil {
		return nil, err
	}
	return batch.DecodeRuns(packed)
}
