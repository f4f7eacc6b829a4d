package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/tools"
)

// newLocal returns local batches of the tools "steps" and "deaf". A run of "deaf" ignores its
// context: it sends to begun, and ends when release is closed.
func newLocal(t *testing.T) (l *localBatches, begun, release chan struct{}) {
	t.Helper()
	begun, release = make(chan struct{}, 1), make(chan struct{})
	deaf := tools.Define(tools.Spec{
		Name: "deaf", Title: "Deaf", Summary: "Waits", Method: "Waits", Sources: []string{"test"},
		Examples: []tools.Example{{Title: "any", In: `{"steps":1}`}},
		Heavy:    &tools.Heavy{Pool: "spice", Timeout: time.Minute},
	}, func(context.Context, stepsIn) (stepsOut, error) {
		begun <- struct{}{}
		<-release
		return stepsOut{}, nil
	})
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test",
		Tools: []*tools.Tool{steps(make(chan string, 100)), deaf}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l = newLocalBatches(c, slog.New(slog.DiscardHandler), time.Now)
	return l, begun, release
}

// start creates a batch.
func (l *localBatches) start(t *testing.T, body string) *service.Batch {
	t.Helper()
	p, err := l.Plan([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Create(t.Context(), p, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// end waits for the end of a batch.
func (l *localBatches) end(t *testing.T, id string) *service.Batch {
	t.Helper()
	var b *service.Batch
	eventually(t, "the batch ends", func() bool {
		var err error
		if b, err = l.Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return b.State.Finished()
	})
	return b
}

// TestLocalBatchRoom verifies that the bytes of a batch include its request and its summary. It
// also verifies that new batches beyond maxLocalBatches evict the oldest ones.
func TestLocalBatchRoom(t *testing.T) {
	l, _, _ := newLocal(t)
	defer l.close()
	name := strings.Repeat("a", 4000)
	body := fmt.Sprintf(`{"tool":"steps","input":{"steps":0,"name":%q},"vary":[{"field":"/steps","values":[0]}],"collect":["steps"]}`, name)
	first := l.start(t, body)
	ended := l.end(t, first.ID)
	if got, want := l.batches[0].bytes, len(body)+len(ended.Summary); got < want {
		t.Errorf("%d bytes, want at least %d", got, want)
	}
	l.mu.Lock()
	for len(l.batches) < maxLocalBatches {
		l.batches = append(l.batches, &localBatch{state: service.Batch{State: service.Done}})
	}
	l.mu.Unlock()
	second := l.start(t, body)
	l.end(t, second.ID)
	if _, err := l.Get(t.Context(), first.ID); err == nil || len(l.batches) != maxLocalBatches {
		t.Errorf("%d batches, the oldest among them: %v", len(l.batches), err == nil)
	}
}

// TestLocalBatchCancel verifies that Cancel returns although a run ignores its context.
func TestLocalBatchCancel(t *testing.T) {
	l, begun, release := newLocal(t)
	b := l.start(t, `{"tool":"deaf","vary":[{"field":"/steps","values":[1]}],"collect":["steps"]}`)
	<-begun
	if c, err := l.Cancel(context.Background(), b.ID); err != nil || c.State != service.Running {
		t.Errorf("%+v %v", c, err)
	}
	close(release)
	if b = l.end(t, b.ID); b.State != service.Cancelled {
		t.Errorf("%+v", b)
	}
	l.close()
}

// TestLocalBatchPanic verifies that a panic of the search fails the batch.
func TestLocalBatchPanic(t *testing.T) {
	l, _, _ := newLocal(t)
	defer l.close()
	p, err := l.Plan([]byte(`{"tool":"steps","mode":"solve","vary":[{"field":"/steps","from":0,"to":9}],
		"collect":["steps"],"target":{"name":"steps","value":5}}`))
	if err != nil {
		t.Fatal(err)
	}
	p.Request.Target = nil
	b, err := l.Create(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b = l.end(t, b.ID); b.State != service.Failed || b.Error != call.ErrInternal.Error() {
		t.Errorf("%+v", b)
	}
}
