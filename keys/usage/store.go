package usage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"slipstick/keys"
)

// Store stores counters and usage batches. It is safe for concurrent use by any number of
// processes. Any error that a method does not document means that the store is unavailable.
type Store interface {
	// Commit applies a batch atomically and at most once, and sets Granted and Used of every Debit.
	// It applies the adjustments first: calls that were admitted while the Store was unavailable
	// count before further calls. If the writer has already used the number, Commit changes nothing
	// and returns ErrApplied. A Once batch has at most one Debit and is applied only if that is
	// granted.
	Commit(ctx context.Context, b *Batch) error
	// Void reports whether the Once batch of a writer was applied. If it was not, Void makes it
	// void, and Commit returns ErrApplied for it.
	Void(ctx context.Context, writer string) (applied bool, err error)
	// Rotate moves the open records, which were added since the last rotation, into a batch with
	// the given id. It does nothing if there are no records or maxBatches batches are waiting. In a
	// store that several processes share, it also does nothing within rotateEvery of another
	// rotation.
	Rotate(ctx context.Context, id string) error
	// Batches returns the ids of the batches.
	Batches(ctx context.Context) ([]string, error)
	// ReadBatch returns the records of a batch. After Ack it returns none.
	ReadBatch(ctx context.Context, id string) ([]keys.UsageRecord, error)
	// Ack deletes a batch.
	Ack(ctx context.Context, id string) error
	// AllowWithin counts an event unless the sliding window up to now contains limit events. wait
	// is 0, or the time until an event is allowed.
	AllowWithin(
		ctx context.Context, counter string, limit int, window time.Duration, now time.Time,
	) (wait time.Duration, err error)
	// Close closes the store.
	Close() error
}

// maxBatches is the maximum number of batches that wait for the key store. At the maximum, records
// remain open, and records of the same key, tool, day and outcome are merged. An outage of hours
// thus needs no more memory than an outage of minutes.
const maxBatches = 16

// rotateEvery is the minimum interval between the rotations of a shared store by any process.
const rotateEvery = 900 * time.Millisecond

// NewID returns 96 random bits in hexadecimal.
func NewID() string {
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails: the runtime crashes the program instead
	return hex.EncodeToString(id[:])
}

// seconds returns a TTL in seconds, rounded up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
