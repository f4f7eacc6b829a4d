package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/batch"
	"slipstick/keys"
	"slipstick/keys/postgres"
	"slipstick/keys/postgres/pgtest"
	"slipstick/worker"
)

// openDatabase opens a database for rows in a private Postgres.
func openDatabase(t *testing.T) *postgres.Store {
	t.Helper()
	db, err := postgres.Open(t.Context(), pgtest.Start(t).Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// chunk returns a chunk for a commit. Its runs have the given values.
func chunk(t *testing.T, id, token string, from int, values ...float64) *chunkRows {
	t.Helper()
	e := &chunkResult{compute: time.Millisecond}
	for _, v := range values {
		e.runs = append(e.runs, batch.Run{Collected: []float64{v}})
	}
	packed, size, err := batch.EncodeRuns(e.runs)
	if err != nil {
		t.Fatal(err)
	}
	return &chunkRows{id: id, token: token, from: from, result: e, packed: packed, size: size}
}

// TestRowStores verifies the contract of a rowStore, for rows in Redis and in Postgres.
func TestRowStores(t *testing.T) {
	db := openDatabase(t)
	for i, name := range []string{"redis", "postgres"} {
		t.Run(name, func(t *testing.T) {
			a := startAPI(t, startRedis(t), func(o *Options) { o.Database = db })
			a.stop()
			s, place := a.store, a.store.stores()[i]
			ctx := t.Context()
			lease := func() (id, token string) {
				t.Helper()
				id, token = a.create(t, slow).ID, newID()
				if got, err := s.lease(ctx, token); got != id || err != nil {
					t.Fatal(got, err)
				}
				return id, token
			}
			commit := func(c *chunkRows, want string) {
				t.Helper()
				if reply, err := place.commit(ctx, c); reply != want || err != nil {
					t.Errorf("commit of %d returns %q, %v; want %q", c.from, reply, err, want)
				}
			}
			read := func(id string, want ...float64) {
				t.Helper()
				segments, err := s.segments(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				var got []float64
				for _, g := range segments {
					runs, err := s.rows(ctx, id, g)
					if err != nil || len(runs) != g.count || g.from != len(got) {
						t.Fatalf("%+v: %d rows after %d, %v", g, len(runs), len(got), err)
					}
					for _, r := range runs {
						got = append(got, r.Collected[0])
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("rows %v, want %v", got, want)
				}
			}

			id, token := lease()
			commit(chunk(t, id, token, 0, 1, 2), "ok")
			commit(chunk(t, id, token, 2, 3), "ok")
			commit(chunk(t, id, token, 2, 3), "ok") // repeated because the response was lost
			read(id, 1, 2, 3)
			if r, err := s.get(ctx, id); err != nil || r.Done != 3 ||
				r.Compute != 2*time.Millisecond {
				t.Errorf("%+v %v", r, err)
			}
			// The coordinator stalls while another has the lease and computes other ranges.
			commit(chunk(t, id, "stalled", 3, 9, 9, 9), "lost")
			read(id, 1, 2, 3)
			if _, _, err := s.renew(ctx, id, token, 0); err != nil {
				t.Fatal(err)
			}
			if got, err := s.lease(ctx, "next"); got != id || err != nil {
				t.Fatal(got, err)
			}
			commit(chunk(t, id, "next", 3, 4), "ok")
			commit(chunk(t, id, token, 3, 8, 8), "lost") // replaces nothing
			read(id, 1, 2, 3, 4)

			// A batch that has ended and expired leaves neither rows nor bytes.
			const last = "3-next"
			if err := s.end(ctx, id, "next", Done, "", 4); err != nil {
				t.Fatal(err)
			}
			if err := s.finalize(ctx, id, "next", []byte("null")); err != nil {
				t.Fatal(err)
			}
			short := *s.opt
			short.TTL = time.Nanosecond
			brief := &store{rdb: s.rdb, opt: &short}
			eventually(t, "the deletion", func() bool {
				if _, err := brief.lease(ctx, newID()); err != nil {
					t.Fatal(err)
				}
				n, err := s.rdb.Exists(ctx, recordKey(id), rowsKey(id), countsKey(id)).Result()
				return err == nil && n == 0
			})
			if err := s.deleteRows(ctx, false); err != nil {
				t.Fatal(err)
			}
			if rows, err := db.Rows(ctx, id, last); rows != nil || err != nil {
				t.Errorf("%d bytes in Postgres of a deleted batch, %v", len(rows), err)
			}
			for _, counted := range []string{"", databasePlace} {
				if n, err := s.bytes(ctx, counted); n != 0 || err != nil {
					t.Errorf("%d bytes are counted in %q after the deletion, %v", n, counted, err)
				}
			}
			if _, err := place.read(ctx, id, segment{from: 3, chunk: last}); !errors.Is(err,
				ErrNotFound) {
				t.Errorf("rows of a deleted batch: %v", err)
			}
			// The limits apply to a batch, a caller and the total.
			for reply, edit := range map[string]func(*Options){
				"large": func(o *Options) { o.BatchBytes, o.DatabaseBytes = 10, 80 },
				"share": func(o *Options) { o.CallerShare = 1e-7; o.BatchBytes = 1 << 30 },
				"full":  func(o *Options) { o.CallerShare = 1 },
			} {
				others := func(bytes int) {
					t.Helper()
					for _, counted := range []string{"", databasePlace} {
						if err := s.rdb.Set(ctx, bytesKey+counted, bytes, 0).Err(); err != nil {
							t.Fatal(err)
						}
					}
				}
				others(0)
				id, token := lease()
				if reply == "full" {
					others(1 << 40)
				}
				// The limits also apply to rows without a reservation.
				if err := s.rdb.HDel(ctx, recordKey(id), "reserved").Err(); err != nil {
					t.Fatal(err)
				}
				tight := *s.opt
				edit(&tight)
				bounded := (&store{rdb: s.rdb, opt: &tight}).stores()[i]
				want := reply
				if i == 1 && reply == "share" {
					want = "large" // a batch has at most the bytes of its caller
				}
				if got, err := bounded.commit(ctx, chunk(t, id, token, 0, 1, 2, 3)); got != want ||
					err != nil {
					t.Errorf("%s: %q %v", reply, got, err)
				}
				read(id)
			}
		})
	}
}

// TestExpiredRows verifies that rows in Postgres without a record are deleted after their expiry.
func TestExpiredRows(t *testing.T) {
	db := openDatabase(t)
	a := startAPI(t, startRedis(t), func(o *Options) { o.Database = db })
	a.stop()
	ctx, now := t.Context(), time.Now()
	for id, until := range map[string]time.Time{"old": now.Add(-time.Second),
		"new": now.Add(time.Hour)} {
		if err := db.SaveRows(ctx, id, "0", []byte{1}, until); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.store.deleteRows(ctx, true); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{"old": 0, "new": 1} {
		if rows, err := db.Rows(ctx, id, "0"); len(rows) != want || err != nil {
			t.Errorf("%s: %d bytes, want %d; %v", id, len(rows), want, err)
		}
	}
}

// TestLargeBatch verifies that rows which exceed the space in Redis are stored in Postgres, even if
// Postgres is temporarily unavailable. They must equal the rows of Plan.Execute.
func TestLargeBatch(t *testing.T) {
	db := openDatabase(t)
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url, func(o *Options) {
			o.Database, o.BatchBytes = &failingDatabase{RowDatabase: db, fails: 2}, 100<<10
		})
		for _, body := range []string{syncSweep, best} {
			a.check(t, body, a.wait(t, a.create(t, body).ID))
		}
		if n, err := a.store.bytes(t.Context(), databasePlace); err != nil || n < 500<<10 {
			t.Errorf("%d bytes in Postgres, %v", n, err)
		}
		if n, err := a.store.bytes(t.Context(), ""); err != nil || n > 200<<10 {
			t.Errorf("%d bytes in Redis, %v", n, err)
		}
	})
}

// failingDatabase fails the first calls of SaveRows; fails is the number of calls that still fail.
type failingDatabase struct {
	RowDatabase
	fails int
}

func (f *failingDatabase) SaveRows(ctx context.Context, batch, chunk string, rows []byte,
	until time.Time) error {
	if f.fails--; f.fails >= 0 {
		return errors.New("no connection")
	}
	return f.RowDatabase.SaveRows(ctx, batch, chunk, rows, until)
}

// TestLostDatabase verifies that reading rows that Postgres has lost returns ErrNotFound, and that
// the summary omits them.
func TestLostDatabase(t *testing.T) {
	url, db := startRedis(t), openDatabase(t)
	startWorker(t, url)
	a := startAPI(t, url, func(o *Options) { o.Database, o.BatchBytes = db, 1 })
	b := a.wait(t, a.create(t, best).ID)
	if err := db.DeleteRows(t.Context(), []string{b.ID}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Rows(t.Context(), b.ID, "", 0, 10, false); !errors.Is(err, ErrNotFound) {
		t.Errorf("lost rows: %v", err)
	}
	w := &work{Service: a.Service, record: &record{ID: b.ID}}
	if runs, err := w.prefix(t.Context()); len(runs) != 0 || err != nil {
		t.Errorf("%d rows for the summary, %v", len(runs), err)
	}
}

// TestCallerShare verifies that concurrent batches of one caller are accepted only while all their
// rows fit the caller's share, and that none of them fails. It also verifies that they leave space
// for another caller and that unused bytes are returned.
func TestCallerShare(t *testing.T) {
	// A row has 64 bytes, plus 8 for its result, 24 + 25 for its value and 24 for an error.
	const rowBytes, reserved = 145, 1000 * 145
	db := openDatabase(t)
	for name, edit := range map[string]func(*Options){
		"redis": func(o *Options) { o.TotalBytes, o.CallerShare = 16*reserved, 0.14 },
		"postgres": func(o *Options) {
			o.Database, o.BatchBytes, o.DatabaseBytes, o.CallerShare = db, 1, 17*reserved, 0.13
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachRedis(t, func(t *testing.T, url string) {
				a := startAPI(t, url, func(o *Options) { edit(o); o.Quota = tiers{} })
				p, err := a.Plan([]byte(slow))
				if err != nil {
					t.Fatal(err)
				}
				create := func(tier keys.Tier) (string, error) {
					b, _, err := a.Create(t.Context(), keys.Caller{Key: string(tier)}, p,
						[]byte(slow))
					if err != nil {
						return "", err
					}
					return b.ID, nil
				}
				var made sync.Map // ids of the created batches, "" for a rejected one
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() {
						id, err := create(keys.Developer)
						if made.Store(id, nil); err == nil {
							return
						}
						var busy *worker.BusyError
						if !errors.As(err, &busy) || !strings.Contains(busy.Reason,
							"your unfinished batches and this one need more than the ") {
							t.Errorf("%v", err)
						}
					})
				}
				all.Wait()
				made.Delete("")
				var ids []string
				made.Range(func(id, _ any) bool { ids = append(ids, id.(string)); return true })
				if len(ids) != 2 {
					t.Fatalf("%d batches are accepted, want 2", len(ids))
				}
				other, err := create(keys.Agent)
				if err != nil {
					t.Fatal(err)
				}
				startWorker(t, url)
				for _, id := range append(ids, other) {
					owner := string(keys.Developer)
					if id == other {
						owner = string(keys.Agent)
					}
					var b *Batch
					eventually(t, "end", func() bool {
						b, err = a.Get(t.Context(), id, owner)
						return err == nil && b.Summary != nil
					})
					if b.State != Done || b.RunsDone != 1000 {
						t.Errorf("%+v", b)
					}
				}
				// Rows without an error return the 24 bytes that are reserved for one.
				detail := len("n: must not end in 99")
				want := 2*(1000*(rowBytes-24)+10*detail) + 2*recordBytes + 2*len(slow)
				if name == "postgres" {
					want -= 2*recordBytes + 2*len(slow)
				}
				place := a.store.stores()[len(a.store.stores())-1].name()
				held, err := a.store.rdb.HGet(t.Context(), heldKey+place,
					string(keys.Developer)).Int()
				if most := want + 2*8<<10; err != nil || held < want || held > most {
					t.Errorf("%d bytes are held, want %d to %d with the summaries, %v", held, want,
						most, err)
				}
				if _, err := create(keys.Developer); err != nil {
					t.Errorf("ended batches make no room: %v", err)
				}
			})
		})
	}
}

// TestSpilledRows verifies that rows use their reservation in Redis if the database is full, even
// after earlier rows have been spilled to the database.
func TestSpilledRows(t *testing.T) {
	a := startAPI(t, startRedis(t), func(o *Options) {
		o.Database, o.DatabaseBytes = noRows{}, 1
	})
	a.stop()
	s, ctx, token := a.store, t.Context(), newID()
	id := a.create(t, slow).ID
	if got, err := s.lease(ctx, token); got != id || err != nil {
		t.Fatal(got, err)
	}
	e := &chunkResult{spilled: true, runs: []batch.Run{{Collected: []float64{1}}}}
	if err := s.commit(ctx, id, token, 0, e); err != nil {
		t.Fatal(err)
	}
	if r, err := s.get(ctx, id); err != nil || r.Done != 1 || e.spilled {
		t.Errorf("%d rows, spilled: %t; %v", r.Done, e.spilled, err)
	}
}

// TestUnavailableDatabase verifies that errors of the database name it instead of the queue, wrap
// their cause and count as temporary.
func TestUnavailableDatabase(t *testing.T) {
	cause := errors.New("connection refused")
	a := startAPI(t, startRedis(t), func(o *Options) { o.Database = lostDatabase{cause} })
	a.stop()
	place, err := a.store.storeOf(segment{chunk: "0-1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = place.read(t.Context(), newID(), segment{chunk: "0-1"})
	for _, want := range []error{ErrNoDatabase, worker.ErrUnavailable, cause} {
		if !errors.Is(err, want) {
			t.Errorf("%v does not wrap %q", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), worker.ErrUnavailable.Error()) {
		t.Errorf("the queue is blamed: %v", err)
	}
}

// lostDatabase is a database that returns an error.
type lostDatabase struct{ err error }

func (d lostDatabase) SaveRows(context.Context, string, string, []byte, time.Time) error {
	return d.err
}

func (d lostDatabase) Rows(context.Context, string, string) ([]byte, error) { return nil, d.err }

func (d lostDatabase) DeleteRows(context.Context, []string, time.Time) error { return d.err }

// noRows is a database that loses all rows.
type noRows struct{ RowDatabase }

func (noRows) SaveRows(context.Context, string, string, []byte, time.Time) error { return nil }

// TestErrorsWithoutRoom verifies that a batch whose errors exceed its reservation is completed, and
// that error details without room are shortened.
func TestErrorsWithoutRoom(t *testing.T) {
	const body = `{"tool": "refuse", "vary": [{"field": "/n", "from": 0, "to": 999, "points": 1000}]}`
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url, func(o *Options) {
			o.TotalBytes, o.CallerShare = 200<<10, 1
		})
		b := a.wait(t, a.create(t, body).ID)
		page, err := a.Rows(t.Context(), b.ID, "", 0, 1000, false)
		if err != nil || b.State != Done || b.RunsFailed != 1000 || len(page.Rows.Runs) != 1000 {
			t.Fatalf("%+v %v", b, err)
		}
		const start = "n: must not be"
		shortened := 0
		for i, r := range page.Rows.Runs {
			switch {
			case !strings.HasPrefix(r.Err, start):
				t.Fatalf("row %d: %q", i, r.Err)
			case strings.HasSuffix(r.Err, "…") && len(r.Err) <= 24:
				shortened++
			case len(r.Err) < 300:
				t.Fatalf("row %d: %q", i, r.Err)
			}
		}
		if shortened == 0 || shortened == 1000 {
			t.Errorf("%d of 1000 errors are shortened", shortened)
		}
		if n, err := a.store.bytes(t.Context(), ""); err != nil || n > 210<<10 {
			t.Errorf("%d bytes are held, %v", n, err)
		}
	})
}
