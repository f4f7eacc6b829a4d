package usage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"slipstick/keys"
)

// Store stores counters and usage batches. It is safe for concurrent use, by any number of
// processes. An error other than the named ones means that it is unavailable.
type Store interface {
	// Commit applies a batch entirely and once, and sets Granted and Used of every Debit. For a
	// number that its writer has used it changes nothing and returns ErrApplied. A batch with Once
	// has at most one Debit; unless that is granted, the batch is not applied.
	Commit(ctx context.Context, b *Batch) error
	// Void reports whether the batch with Once of a writer was applied. If it was not, it is void:
	// Commit returns ErrApplied for it.
	Void(ctx context.Context, writer string) (applied bool, err error)
	// Rotate makes a batch with an id of the open records. It does nothing without records, while
	// maxBatches wait, and within rotateEvery of another call.
	Rotate(ctx context.Context, id string) error
	// Batches returns the ids of the batches.
	Batches(ctx context.Context) ([]string, error)
	// ReadBatch returns the records of a batch; none after Ack.
	ReadBatch(ctx context.Context, id string) ([]keys.UsageRecord, error)
	// Ack deletes a batch.
	Ack(ctx context.Context, id string) error
	// AllowWithin counts an event unless the sliding window before now has limit events. wait is 0,
	// or the time until an event is allowed.
	AllowWithin(
		ctx context.Context, counter string, limit int, window time.Duration, now time.Time,
	) (wait time.Duration, err error)
	// Close closes the store.
	Close() error
}

// maxBatches bounds the batches that wait for the key store. Beyond it, records remain open, where
// equal ones are added: an outage of hours needs no more memory than one of minutes.
const maxBatches = 16

// rotateEvery is the least time between two rotations of all processes.
const rotateEvery = 900 * time.Millisecond

// NewID returns 96 random bits in hexadecimal.
func NewID() string {
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails: the runtime ends the program instead
	return hex.EncodeToString(id[:])
}

// seconds rounds a TTL up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
