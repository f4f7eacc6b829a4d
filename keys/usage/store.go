package usage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"slipstick/keys"
)

// Store is where counts are durable. Every method may be called concurrently, and by any number of
// processes that share it. An error means that it could not be reached, or did not do it.
type Store interface {
	// Commit applies a batch whole, once: a number that its writer has used before changes nothing
	// and is ErrApplied. It fills in Granted and Used of every Take.
	Commit(ctx context.Context, b *Batch) error
	// Rotate moves what was used since the last seal under an id of its own, ready for Sealed. It does
	// nothing when there is nothing, when too many sealed batches wait already, or when somebody
	// sealed a moment ago.
	Rotate(ctx context.Context, id string) error
	// Batches gives the ids of the sealed batches.
	Batches(ctx context.Context) ([]string, error)
	// ReadBatch reads a sealed batch; none when it was dropped.
	ReadBatch(ctx context.Context, id string) ([]keys.UsageRecord, error)
	// Ack forgets a sealed batch.
	Ack(ctx context.Context, id string) error
	// AllowWithin counts an event unless there were limit of them in the time window before now. wait is
	// how long until there is room; 0 when it was counted.
	AllowWithin(ctx context.Context, counter string, limit int, window time.Duration, now time.Time) (wait time.Duration, err error)
	// Close ends it.
	Close() error
}

// maxBatches is how many sealed batches may wait for the store. Beyond it, uses gather in the
// open one, where equal ones add up: an outage of hours takes no more room than one of minutes.
const maxBatches = 16

// rotateEvery is the least time between two seals, whoever makes them.
const rotateEvery = 900 * time.Millisecond

// NewID makes an id that nobody else makes.
func NewID() string {
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails: the runtime ends the program instead
	return hex.EncodeToString(id[:])
}

// seconds rounds a life up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
