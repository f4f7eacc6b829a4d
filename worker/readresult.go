package worker

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// A large result stays in the store, compressed, until it is read. All who read it at a time in
// this process share one copy of the compressed bytes; each has a decoder of its own. What they
// hold is bounded, in total and per reader (an address, say), because a client can take long to
// read.

// Sizes and times of reading.
const (
	defaultReadBudget   = 96 << 20
	defaultReaderBudget = 32 << 20
	streamOverhead      = 256 << 10 // bytes of a stream besides the shared copy
	fetchPiece          = 512 << 10 // of one GETRANGE: Redis copies its answers
	readPatience        = 5 * time.Second
	readRetryAfter      = 5 * time.Second
	minReadRate         = 32 << 10 // bytes per second that a stream must average ...
	slowReaderGrace     = 60 * time.Second
	readBufferSize      = 64 << 10
)

// ReadBudgets bound the bytes of large results that a process holds while they are read. Zero is
// the default.
type ReadBudgets struct {
	Total     int64 // 96 MiB
	PerReader int64 // 32 MiB
	// Patience is how long a reading waits for room before it is refused; 5 s.
	Patience time.Duration
}

func (b ReadBudgets) withDefaults() ReadBudgets {
	orDefault(&b.Total, defaultReadBudget)
	orDefault(&b.PerReader, defaultReaderBudget)
	orDefault(&b.Patience, readPatience)
	b.PerReader = min(b.PerReader, b.Total)
	return b
}

// ReadLimitError says that too many bytes of results are being read.
type ReadLimitError struct {
	OfReader   bool // by this reader, not by all
	RetryAfter time.Duration
}

func (e *ReadLimitError) Error() string {
	if e.OfReader {
		return "your address is reading as many bytes of results as one address may; " +
			"read the answers that are under way"
	}
	return "the server is sending as many bytes of results as it may"
}

// ReadAccount counts the bytes that a process holds for answers under way. It is safe for
// concurrent use.
type ReadAccount struct {
	budgets ReadBudgets

	mu      sync.Mutex
	total   int64
	readers map[string]*reader
	shared  map[string]*sharedRecord // by job
	freed   chan struct{}            // closed and replaced when something is freed
}

// reader is who reads, and what it holds.
type reader struct {
	bytes int64
	holds map[string]int // readings of each job
}

// sharedRecord is the compressed result of a job, fetched once for all who read it.
type sharedRecord struct {
	size    int64
	holders int
	fetched chan struct{} // closed when data or err is set
	data    []byte
	err     error
}

// NewReadAccount makes an account with these bounds.
func NewReadAccount(b ReadBudgets) *ReadAccount {
	return &ReadAccount{
		budgets: b.withDefaults(), readers: map[string]*reader{}, shared: map[string]*sharedRecord{},
		freed: make(chan struct{}),
	}
}

// Reserve counts bytes that an answer to reader holds, until release is called, once or more. It
// waits a while for room; then the error is a *ReadLimitError.
func (r *ReadAccount) Reserve(
	ctx context.Context, reader string, bytes int64,
) (release func(), err error) {
	key := "answer " + nonce()
	rec, _, err := r.reserve(ctx, key, reader, 0, bytes)
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { r.release(key, reader, rec, bytes) }), nil
}

// reserve counts a reading of a job: size bytes shared by all readings of the job, and own bytes
// for this one. A reader "" has no bound of its own. It waits a while for room.
func (r *ReadAccount) reserve(
	ctx context.Context, job, name string, size, own int64,
) (rec *sharedRecord, first bool, err error) {
	patience := time.NewTimer(r.budgets.Patience)
	defer patience.Stop()
	for {
		r.mu.Lock()
		rec, first, err = r.take(job, name, size, own)
		freed := r.freed
		r.mu.Unlock()
		if err == nil {
			return rec, first, nil
		}
		select {
		case <-freed:
		case <-patience.C:
			return nil, false, err
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// take needs r.mu. What alone exceeds a bound is let in when nothing else is held.
func (r *ReadAccount) take(
	job, name string, size, own int64,
) (rec *sharedRecord, first bool, err error) {
	rec = r.shared[job]
	all, mine := own, own
	if rec == nil {
		all += size
	}
	by := r.readers[name]
	if by == nil {
		by = &reader{holds: map[string]int{}}
	}
	if by.holds[job] == 0 {
		mine += size
	}
	switch {
	case name != "" && by.bytes > 0 && by.bytes+mine > r.budgets.PerReader:
		return nil, false, &ReadLimitError{OfReader: true, RetryAfter: readRetryAfter}
	case r.total > 0 && r.total+all > r.budgets.Total:
		return nil, false, &ReadLimitError{RetryAfter: readRetryAfter}
	}
	r.total += all
	by.bytes += mine
	by.holds[job]++
	r.readers[name] = by
	if first = rec == nil; first {
		rec = &sharedRecord{size: size, fetched: make(chan struct{})}
		r.shared[job] = rec
	}
	rec.holders++
	return rec, first, nil
}

// release ends a reading.
func (r *ReadAccount) release(job, name string, rec *sharedRecord, own int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	by := r.readers[name]
	r.total -= own
	by.bytes -= own
	if by.holds[job]--; by.holds[job] == 0 {
		delete(by.holds, job)
		by.bytes -= rec.size
	}
	if len(by.holds) == 0 {
		delete(r.readers, name)
	}
	r.letGo(job, rec)
}

// letGo takes a holder from a record. It needs r.mu.
func (r *ReadAccount) letGo(job string, rec *sharedRecord) {
	if rec.holders--; rec.holders == 0 {
		r.total -= rec.size
		if r.shared[job] == rec {
			delete(r.shared, job)
		}
	}
	close(r.freed)
	r.freed = make(chan struct{})
}

// hold keeps the bytes of a record counted besides its readings, until unhold.
func (r *ReadAccount) hold(rec *sharedRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.holders++
}

func (r *ReadAccount) unhold(job string, rec *sharedRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.letGo(job, rec)
}

// Held is the number of bytes held.
func (r *ReadAccount) Held() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// LargeResult is a result that stays in the store until it is read.
type LargeResult struct {
	client *Client
	id     string
	key    string // of this run's result, for sharing
	offset int    // of the gzipped result in the record
	length int64  // of the record
	size   int64
}

// large makes the job of a large record from the record's beginning.
func (c *Client) large(id string, beginning []byte, length int64) (Job, error) {
	j, offset, size, err := unpackHead(id, beginning)
	if err != nil {
		return Job{}, err
	}
	key := id + "@" + strconv.FormatInt(j.FinishedAt.UnixNano(), 36)
	j.Outcome.Large = &LargeResult{
		client: c, id: id, key: key, offset: offset, length: length, size: size,
	}
	return j, nil
}

// Size is the number of bytes of the result's JSON.
func (l *LargeResult) Size() int64 { return l.size }

// ResultReader gives the JSON of a large result. It is read by one goroutine and must be closed,
// which may be done more than once.
type ResultReader struct {
	io.Reader
	close func()
}

// Close gives back what the reading holds.
func (r *ResultReader) Close() error {
	r.close()
	return nil
}

// Open fetches the result for reader, whose readings are bounded together; "" is bounded only with
// all others. Errors: *ReadLimitError, *DroppedError, ErrJobNotFound, ErrUnavailable.
func (l *LargeResult) Open(ctx context.Context, reader string) (*ResultReader, error) {
	return l.open(ctx, reader, streamOverhead)
}

func (l *LargeResult) open(ctx context.Context, name string, own int64) (*ResultReader, error) {
	r := l.client.opt.Reads
	size := l.length - int64(l.offset)
	rec, first, err := r.reserve(ctx, l.key, name, size, own)
	if err != nil {
		var limit *ReadLimitError
		if errors.As(err, &limit) {
			l.client.metrics.refusedRead(limit.OfReader)
		}
		return nil, err
	}
	release := sync.OnceFunc(func() { r.release(l.key, name, rec, own) })
	if first {
		// Others wait for it too, so that the departure of one caller does not stop it. Its bytes
		// are counted until it ends, whoever has left.
		r.hold(rec)
		go func() {
			defer r.unhold(l.key, rec)
			l.fetch(context.WithoutCancel(ctx), rec)
		}()
	}
	select {
	case <-rec.fetched:
	case <-ctx.Done():
		release()
		return nil, ctx.Err()
	}
	if rec.err != nil {
		release()
		return nil, rec.err
	}
	z, err := gzip.NewReader(bytes.NewReader(rec.data))
	if err != nil {
		release()
		return nil, fmt.Errorf("a stored result cannot be read: %w", err)
	}
	return &ResultReader{Reader: z, close: release}, nil
}

// fetch reads the compressed result in pieces: Redis copies each answer, and counts it.
func (l *LargeResult) fetch(ctx context.Context, rec *sharedRecord) {
	defer close(rec.fetched)
	data := make([]byte, 0, rec.size)
	for int64(len(data)) < rec.size {
		from := int64(l.offset + len(data))
		to := min(from+fetchPiece, l.length) - 1
		op, done := context.WithTimeout(ctx, opTimeout)
		piece, err := l.client.rdb.GetRange(op, resultKey(l.id), from, to).Bytes()
		done()
		if err == nil && int64(len(piece)) != to-from+1 {
			rec.err = l.gone(ctx)
			return
		}
		if err != nil {
			rec.err = unavailable(err)
			return
		}
		data = append(data, piece...)
	}
	rec.data = data
	op, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	l.client.store.delivered(op, l.id)
}

// gone says why a result is no longer there.
func (l *LargeResult) gone(ctx context.Context) error {
	if _, err := l.client.Get(ctx, l.id, ""); err != nil {
		return err
	}
	return &DroppedError{Reason: DroppedForRoom} // another run of the job has taken its place
}

// Read gives the whole result in memory, and a function that must be called when it is no longer
// used; it is not nil. Small results are there already. Errors as of LargeResult.Open.
func (o *Outcome) Read(ctx context.Context, reader string) (json.RawMessage, func(), error) {
	if o.Large == nil {
		return o.Result, func() {}, nil
	}
	r, err := o.Large.open(ctx, reader, streamOverhead+o.Large.size)
	if err != nil {
		return nil, func() {}, err
	}
	raw := make(json.RawMessage, o.Large.size)
	if _, err := io.ReadFull(r, raw); err != nil {
		r.close()
		return nil, func() {}, fmt.Errorf("a stored result cannot be read: %w", err)
	}
	return raw, r.close, nil
}

// errSlowReader ends a stream whose client reads too slowly.
var errSlowReader = errors.New("the client reads the result too slowly")

// readBuffers are the buffers of WriteTo.
var readBuffers = sync.Pool{New: func() any { return new([readBufferSize]byte) }}

// WriteTo implements io.WriterTo. It gives up a client that, after a minute, has read less than
// 32 KiB per second.
func (r *ResultReader) WriteTo(w io.Writer) (written int64, err error) {
	buf := readBuffers.Get().(*[readBufferSize]byte)
	defer readBuffers.Put(buf)
	for begun := time.Now(); ; {
		n, err := io.ReadFull(r.Reader, buf[:])
		if n > 0 {
			m, err := w.Write(buf[:n])
			if written += int64(m); err != nil {
				return written, err
			}
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return written, nil
		case err != nil:
			return written, err
		}
		late := time.Since(begun) - slowReaderGrace
		if late > 0 && float64(written) < minReadRate*late.Seconds() {
			return written, errSlowReader
		}
	}
}
