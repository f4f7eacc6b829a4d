package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"slipstick/worker/gzipped"
)

// A large result stays compressed in Redis until it is read. Concurrent readers in this process
// share one copy of the compressed bytes; each reader that needs the JSON has its own decoder. The
// bytes are limited in total and per reader (such as an address) because clients may read slowly.

// Limits for reading large results.
const (
	defaultReadBudget   = 96 << 20
	defaultReaderBudget = 32 << 20
	streamOverhead      = 256 << 10 // bytes per stream in addition to the shared copy
	fetchBytes          = 512 << 10 // bytes per GETRANGE; Redis copies its replies
	readPatience        = 5 * time.Second
	readRetryAfter      = 5 * time.Second
	minReadRate         = 32 << 10 // minimum bytes per second after slowReaderGrace
	slowReaderGrace     = 60 * time.Second
	readBufferSize      = 64 << 10
)

// ReadBudgets limits the bytes of large results that a process holds while they are read. Zero
// selects the default.
type ReadBudgets struct {
	Total     int64 // of all readers; default 96 MiB
	PerReader int64 // of one reader; default 32 MiB, at most Total
	// Patience is the maximum time that a read waits for room; default 5 s.
	Patience time.Duration
}

func (b ReadBudgets) withDefaults() ReadBudgets {
	orDefault(&b.Total, defaultReadBudget)
	orDefault(&b.PerReader, defaultReaderBudget)
	orDefault(&b.Patience, readPatience)
	b.PerReader = min(b.PerReader, b.Total)
	return b
}

// ReadLimitError is returned for a read that exceeds the ReadBudgets.
type ReadLimitError struct {
	OfReader   bool // the budget of this reader was exceeded, not the total
	RetryAfter time.Duration
}

// Error implements the error interface.
func (e *ReadLimitError) Error() string {
	if e.OfReader {
		return "your address is reading as many bytes of results as one address may; " +
			"read the responses in transfer"
	}
	return "the server is sending as many bytes of results as it may"
}

// ReadLimiter limits the bytes of responses that a process is sending. It is safe for concurrent
// use.
type ReadLimiter struct {
	budgets ReadBudgets
	buffers sync.Pool // *[readBufferSize]byte, for ResultReader.WriteTo

	mu      sync.Mutex
	total   int64
	readers map[string]*reader
	shared  map[string]*sharedRecord // by job
	freed   chan struct{}            // closed and replaced when memory is freed
}

// reader counts the bytes and reads of one reader.
type reader struct {
	bytes int64
	holds map[string]int // number of reads per job
}

// sharedRecord is the compressed result of a job. It is fetched once for all concurrent readers.
type sharedRecord struct {
	size    int64
	holders int
	fetched chan struct{} // closed when data or err is set
	data    []byte
	err     error
}

// NewReadLimiter returns a limiter with the given budgets.
func NewReadLimiter(b ReadBudgets) *ReadLimiter {
	return &ReadLimiter{
		budgets: b.withDefaults(), readers: map[string]*reader{},
		shared:  map[string]*sharedRecord{},
		freed:   make(chan struct{}),
		buffers: sync.Pool{New: func() any { return new([readBufferSize]byte) }},
	}
}

// Reserve counts bytes of a response for reader until release is called. Further calls of release
// have no effect. If there is no room within Patience, Reserve returns a *ReadLimitError.
func (r *ReadLimiter) Reserve(
	ctx context.Context, reader string, bytes int64,
) (release func(), err error) {
	key := "answer " + Nonce()
	rec, _, err := r.reserve(ctx, key, reader, 0, bytes)
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { r.release(key, reader, rec, bytes) }), nil
}

// reserve counts a read of a job. size is the number of bytes that all reads of the job share, and
// own is the number of additional bytes of this read. Reader "" has no limit of its own. reserve
// waits up to Patience for room. If first is true, the caller must fetch rec.
func (r *ReadLimiter) reserve(
	ctx context.Context, job, name string, size, own int64,
) (rec *sharedRecord, first bool, err error) {
	patience := time.NewTimer(r.budgets.Patience)
	defer patience.Stop()
	for {
		r.mu.Lock()
		rec, first, err = r.tryReserve(job, name, size, own)
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

// tryReserve attempts a reservation. A single read may exceed a limit while no other read is
// counted. The caller must hold r.mu.
func (r *ReadLimiter) tryReserve(
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

// release ends a read.
func (r *ReadLimiter) release(job, name string, rec *sharedRecord, own int64) {
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
	r.unref(job, rec)
}

// unref removes a reference to a record. The caller must hold r.mu.
func (r *ReadLimiter) unref(job string, rec *sharedRecord) {
	if rec.holders--; rec.holders == 0 {
		r.total -= rec.size
		if r.shared[job] == rec {
			delete(r.shared, job)
		}
	}
	close(r.freed)
	r.freed = make(chan struct{})
}

// hold counts the bytes of a record independently of its reads until unhold is called.
func (r *ReadLimiter) hold(rec *sharedRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.holders++
}

func (r *ReadLimiter) unhold(job string, rec *sharedRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unref(job, rec)
}

// Held returns the number of counted bytes.
func (r *ReadLimiter) Held() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// LargeResult is a result that stays in Redis until it is read.
type LargeResult struct {
	store  *Store
	id     string
	key    string // key of the result of one run
	offset int    // offset of the gzipped result in the record
	length int64  // length of the record
	gzip   gzipped.Result
}

// large returns the job of a large record from its head and length.
func (s *Store) large(id string, head []byte, length int64) (Job, error) {
	j, offset, z, err := unpackHead(id, head)
	if err != nil {
		return Job{}, err
	}
	key := id + "@" + strconv.FormatInt(j.FinishedAt.UnixNano(), 36)
	j.Outcome.Large = &LargeResult{
		store: s, id: id, key: key, offset: offset, length: length, gzip: z,
	}
	return j, nil
}

// Size returns the size of the result's JSON in bytes.
func (l *LargeResult) Size() int64 { return l.gzip.Size }

// Gzipped returns the description of the stored bytes without Data.
func (l *LargeResult) Gzipped() *gzipped.Result { return &l.gzip }

// ResultReader reads a large result or its stored bytes. It is not safe for concurrent use. The
// caller must call Close; repeated calls are allowed.
type ResultReader struct {
	io.Reader
	close   func()
	buffers *sync.Pool // of the ReadLimiter
}

// Close ends the read and releases its bytes.
func (r *ResultReader) Close() error {
	r.close()
	return nil
}

// Open fetches the result for reader and returns a ResultReader that decompresses the JSON on the
// fly. All reads of a reader share a limit; reader "" has only the total limit. Open returns
// *ReadLimitError, *DroppedError, ErrJobNotFound or ErrUnavailable.
func (l *LargeResult) Open(ctx context.Context, reader string) (*ResultReader, error) {
	return l.open(ctx, reader, streamOverhead)
}

// OpenBody is like Open, but the ResultReader returns the stored bytes in the range
// gzipped.Result.Body. The result must be Divisible.
func (l *LargeResult) OpenBody(ctx context.Context, reader string) (*ResultReader, error) {
	data, release, err := l.read(ctx, reader, readBufferSize)
	if err != nil {
		return nil, err
	}
	from, to := l.gzip.Body()
	if to > len(data) {
		release()
		return nil, errors.New("a stored result is shorter than its head says")
	}
	return l.newReader(bytes.NewReader(data[from:to]), release), nil
}

func (l *LargeResult) open(ctx context.Context, name string, own int64) (*ResultReader, error) {
	data, release, err := l.read(ctx, name, own)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		release()
		return nil, fmt.Errorf("a stored result cannot be read: %w", err)
	}
	return l.newReader(z, release), nil
}

// newReader returns a ResultReader whose Close calls release.
func (l *LargeResult) newReader(r io.Reader, release func()) *ResultReader {
	return &ResultReader{Reader: r, close: release, buffers: &l.store.opt.Reads.buffers}
}

// read returns the stored bytes, which all readers of the result share. It also counts bytes for
// this read alone, as given by own, until release is called.
func (l *LargeResult) read(
	ctx context.Context, name string, own int64,
) (data []byte, release func(), err error) {
	r := l.store.opt.Reads
	size := l.length - int64(l.offset)
	rec, first, err := r.reserve(ctx, l.key, name, size, own)
	if err != nil {
		var limit *ReadLimitError
		if errors.As(err, &limit) {
			l.store.metrics.refusedRead(limit.OfReader)
		}
		return nil, nil, err
	}
	release = sync.OnceFunc(func() { r.release(l.key, name, rec, own) })
	if first {
		// The fetch does not end with ctx because other readers may share it. Its bytes are counted
		// until it ends.
		r.hold(rec)
		go l.fetch(context.WithoutCancel(ctx), rec)
	}
	select {
	case <-rec.fetched:
	case <-ctx.Done():
		release()
		return nil, nil, ctx.Err()
	}
	if rec.err != nil {
		release()
		return nil, nil, rec.err
	}
	return rec.data, release, nil
}

// fetch reads the compressed result into rec, ends the hold of the fetch and marks the result as
// delivered. Readers do not wait for the mark. The hold ends before they continue, so the record is
// no longer shared once its last reader has closed.
func (l *LargeResult) fetch(ctx context.Context, rec *sharedRecord) {
	rec.data, rec.err = l.fetchBytes(ctx, rec.size)
	l.store.opt.Reads.unhold(l.key, rec)
	close(rec.fetched)
	if rec.err == nil {
		op, cancel := context.WithTimeout(ctx, OpTimeout)
		defer cancel()
		l.store.delivered(op, l.id)
	}
}

// fetchBytes reads the compressed result in pieces because Redis copies each reply and counts the
// copy.
func (l *LargeResult) fetchBytes(ctx context.Context, size int64) ([]byte, error) {
	var data []byte
	for int64(len(data)) < size {
		from := int64(l.offset + len(data))
		to := min(from+fetchBytes, l.length) - 1
		op, cancel := context.WithTimeout(ctx, OpTimeout)
		piece, err := l.store.rdb.GetRange(op, ResultKey(l.id), from, to).Bytes()
		cancel()
		switch {
		case err != nil:
			return nil, unavailable(err)
		case int64(len(piece)) != to-from+1:
			return nil, l.missing(ctx)
		case int64(len(piece)) == size: // most results are a single piece, which needs no copy
			return piece, nil
		}
		data = append(slices.Grow(data, int(size)-len(data)), piece...)
	}
	return data, nil
}

// missing returns the error for a result that is no longer stored.
func (l *LargeResult) missing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, OpTimeout)
	defer cancel()
	if _, err := l.store.Lookup(ctx, l.id); err != nil {
		return err
	}
	return &DroppedError{Reason: DroppedForRoom} // a later run of the job has replaced it
}

// Read returns the complete result and a release function, which is never nil and must be called
// after use. It fetches a large result and then returns the same errors as LargeResult.Open.
func (o *Outcome) Read(ctx context.Context, reader string) (json.RawMessage, func(), error) {
	if o.Large == nil {
		return o.Result, func() {}, nil
	}
	r, err := o.Large.open(ctx, reader, streamOverhead+o.Large.Size())
	if err != nil {
		return nil, func() {}, err
	}
	raw := make(json.RawMessage, o.Large.Size())
	if _, err := io.ReadFull(r, raw); err != nil {
		r.close()
		return nil, func() {}, fmt.Errorf("a stored result cannot be read: %w", err)
	}
	return raw, r.close, nil
}

// errSlowReader is returned for a client that reads a stream too slowly.
var errSlowReader = errors.New("the client reads the result too slowly")

// WriteTo implements io.WriterTo. It returns an error when the client has read less than 32 KiB for
// each second after the first minute.
func (r *ResultReader) WriteTo(w io.Writer) (written int64, err error) {
	buf := r.buffers.Get().(*[readBufferSize]byte)
	defer r.buffers.Put(buf)
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
