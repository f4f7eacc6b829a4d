package ledger

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"slipstick/keys"
)

// Book is where counts are durable. Every method may be called concurrently, and by any number of
// processes that share it. An error means that it could not be reached, or did not do it.
type Book interface {
	// Commit applies a batch whole, once: a number that its writer has used before changes nothing
	// and is ErrApplied. It fills in Granted and Used of every Take.
	Commit(ctx context.Context, b *Batch) error
	// Seal moves what was used since the last seal under an id of its own, ready for Sealed. It does
	// nothing when there is nothing, when too many sealed batches wait already, or when somebody
	// sealed a moment ago.
	Seal(ctx context.Context, id string) error
	// Sealed gives the ids of the sealed batches.
	Sealed(ctx context.Context) ([]string, error)
	// Uses reads a sealed batch; none when it was dropped.
	Uses(ctx context.Context, id string) ([]keys.UsageRecord, error)
	// Drop forgets a sealed batch.
	Drop(ctx context.Context, id string) error
	// Within counts an event unless there were limit of them in the time window before now. wait is
	// how long until there is room; 0 when it was counted.
	Within(ctx context.Context, counter string, limit int, window time.Duration, now time.Time) (wait time.Duration, err error)
	// Close ends it.
	Close() error
}

// maxSealed is how many sealed batches may wait for the store. Beyond it, uses gather in the
// open one, where equal ones add up: an outage of hours takes no more room than one of minutes.
const maxSealed = 16

// sealEvery is the least time between two seals, whoever makes them.
const sealEvery = 900 * time.Millisecond

// NewID makes an id that nobody else makes.
func NewID() string {
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails: the runtime ends the program instead
	return hex.EncodeToString(id[:])
}

// seconds rounds a life up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
