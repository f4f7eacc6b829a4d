package call

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// long is a wait that exceeds the duration of every test.
const long = 20 * time.Second

// TestOutcomes verifies the error, the outcome and the quota cost of each way in which a call can
// end, as documented in docs/limits.md. It also verifies that each call creates one span and one
// observation, and each call with a paid key one usage record.
func TestOutcomes(t *testing.T) {
	b := newBench(t)
	protocol := errors.New("the protocol's fault")
	panics := func(*Result) error { panic("the secret of the response") }
	fails := func(*Result) error { return protocol }
	is := func(want error) func(error) bool {
		return func(err error) bool { return errors.Is(err, want) }
	}
	invalid := func(err error) bool { return tools.AsInputError(err) != nil }
	failed := func(err error) bool {
		var ended *JobError
		return errors.As(err, &ended) && ended.Job.State == worker.Failed && ended.Error() != ""
	}
	over, waits := time.Millisecond, Options{Wait: long}
	const computed, bad, failure = keys.Computed, keys.Invalid, keys.ServerError
	for i, c := range []struct {
		name    string
		tool    *tools.Tool
		body    string
		options Options
		err     func(error) bool
		outcome keys.Outcome
	}{
		{"computed", b.sync, `{"x":4}`, Options{}, is(nil), computed},
		{"invalid input", b.sync, `{"x":-1}`, Options{}, invalid, bad},
		{"fault of the request", b.sync, `{}`, Options{Invalid: protocol}, is(protocol), bad},
		{"defect", b.sync, `{"do":"fail"}`, Options{}, is(ErrInternal), failure},
		{"panic", b.sync, `{"do":"panic"}`, Options{}, is(ErrInternal), failure},
		{"panic of the response", b.sync, `{}`, Options{Respond: panics}, is(ErrInternal), failure},
		{"no response", b.sync, `{}`, Options{Respond: fails}, is(protocol), failure},

		{"job done", b.queued, `{"x":4}`, waits, is(nil), computed},
		{"job found", b.queued, `{"x":4}`, waits, is(nil), computed},
		{"job, invalid input", b.queued, `{"x":-1}`, waits, invalid, bad},
		{"job, fault of the request", b.queued, `{}`, Options{Invalid: protocol},
			is(protocol), bad},
		{"job, defect", b.queued, `{"do":"fail"}`, waits, failed, failure},
		{"job, panic of response", b.queued, `{"x":4}`, Options{Respond: panics},
			is(ErrInternal), failure},
		{"job, no response", b.queued, `{"x":4}`, Options{Respond: fails}, is(protocol), failure},
		{"job not waited for", b.queued, `{"do":"block","name":"a"}`, Options{}, is(nil), computed},
		{"job, wait over", b.queued, `{"do":"block","name":"a"}`, Options{Wait: over},
			is(nil), computed},
	} {
		t.Run(c.name, func(t *testing.T) {
			caller := b.free()
			caller.Key, caller.Address = "", netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
			if n := b.remaining(t, caller); n != dayLimit {
				t.Fatalf("%d calls are left before", n)
			}
			for _, limited := range []bool{true, false} {
				if !limited {
					caller.Key = b.paid
				}
				spans := len(b.spans.Ended())
				seen := b.observed(t, c.tool.Name, c.outcome)
				b.used(t)
				r, err := b.Run(t.Context(), caller, c.tool, []byte(c.body), c.options)
				if !c.err(err) {
					t.Errorf("error %v", err)
				}
				if r.Outcome != c.outcome {
					t.Errorf("outcome %q, want %q", r.Outcome, c.outcome)
				}
				if n := b.observed(t, c.tool.Name, c.outcome); n != seen+1 {
					t.Errorf("%d observations, want %d", n, seen+1)
				}
				if n := len(b.spans.Ended()); n != spans+1 {
					t.Errorf("%d spans, want 1", n-spans)
				}
				left, want := dayLimit-1, map[keys.Outcome]int64{}
				if c.outcome != keys.ServerError {
					left--
				}
				if !limited {
					left, want[c.outcome] = 0, 1
				}
				if r.Allowance.Remaining != left {
					t.Errorf("the result says that %d calls are left, want %d",
						r.Allowance.Remaining, left)
				}
				if recorded := b.used(t); !maps.Equal(recorded, want) {
					t.Errorf("recorded %v, want %v", recorded, want)
				}
				if limited {
					if n := b.remaining(t, caller); n != left {
						t.Errorf("%d calls are left, want %d", n, left)
					}
				}
			}
		})
	}
	log := b.log.String()
	if strings.Count(log, "request_id=request-1 panic=") != 6 ||
		!strings.Contains(log, "the secret cause") || !strings.Contains(log, "runner.go") {
		t.Errorf("the log: %s", log)
	}
}

// TestInteractiveInputs verifies that an interactive input, here x = 3, is added to the interpreted
// input. It does not replace a value under another name, and a wrapped input remains recognizable.
func TestInteractiveInputs(t *testing.T) {
	b := newBench(t)
	for _, tool := range []*tools.Tool{b.sync, b.queued} {
		for body, want := range map[string]string{
			`{}`: `{"double":6,`, `{"X":2}`: `{"double":4,`, `{"input":"{\"x\":2}"}`: `{"double":4,`,
			`{"input":"{\"name\":\"a\"}"}`: `{"double":6,`,
		} {
			caller := b.free()
			caller.Key = b.paid
			r, err := b.Run(t.Context(), caller, tool, []byte(body),
				Options{Wait: long, Interactive: true, Interpret: true})
			if err != nil {
				t.Errorf("%s %s: %v", tool.Name, body, err)
				continue
			}
			result := r.JSON
			if r.Job != nil {
				result = r.Job.Outcome.Result
			}
			if !strings.HasPrefix(string(result), want) {
				t.Errorf("%s %s: %s, want %s", tool.Name, body, result, want)
			}
		}
	}
}

// TestResults verifies the results of calls and the order in which the functions of Options are
// called.
func TestResults(t *testing.T) {
	b := newBench(t)
	var events []string
	o := Options{
		Wait: long, Interactive: true,
		Admitted: func(r *Result) { events = append(events, fmt.Sprint("admitted ", r.Tier)) },
		Waiting: func(ctx context.Context, job string) (context.Context, func()) {
			events = append(events, fmt.Sprint("waiting ", len(job)))
			return ctx, func() { events = append(events, "stopped") }
		},
		Respond: func(*Result) error { events = append(events, "responded"); return nil },
	}
	r, err := b.Run(t.Context(), b.free(), b.sync, []byte(`{"y":1}`), o)
	const warned = `{"double":6,"warnings":["unknown field \"y\" was ignored; did you mean x?"]}`
	if err != nil || string(r.JSON) != warned || r.Job != nil {
		t.Errorf("%s %v", r.JSON, err)
	}
	if got := strings.Join(events, ", "); got != "responded, admitted free" {
		t.Error(got)
	}
	events = nil
	r, err = b.Run(t.Context(), b.free(), b.queued, []byte(`{"y":1}`), o)
	const shared = `{"double":6,"warnings":[]}`
	if err != nil || r.Job == nil || string(r.Job.Outcome.Result) != shared ||
		len(r.Warnings) != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if got := strings.Join(events, ", "); got != "admitted free, waiting 32, stopped, responded" {
		t.Error(got)
	}
	var account string
	if p, err := b.opt.Quota.Reserve(t.Context(), b.free().Caller, 0); err != nil {
		t.Fatal(err)
	} else {
		account = p.QuotaKey
	}
	for _, keep := range []bool{false, true} {
		o = Options{Wait: long, KeepWarnings: keep}
		if r, err = b.Run(t.Context(), b.free(), b.queued, []byte(`{"x":3,"y":1}`), o); err != nil {
			t.Fatal(err)
		}
		kept, err := b.queue.Warnings(t.Context(), r.Job.ID, account)
		if err != nil || (len(kept) == 1) != keep {
			t.Errorf("stored %q, %v, want some: %t", kept, err, keep)
		}
	}
	r, err = b.Run(t.Context(), b.free(), b.queued, []byte(`{"do":"block","y":1}`), Options{})
	if err != nil || r.Job.State.Finished() {
		t.Fatalf("%+v %v", r.Job, err)
	}
	if kept, err := b.queue.Warnings(t.Context(), r.Job.ID, account); err != nil || len(kept) != 1 {
		t.Errorf("of an unfinished job %q, %v", kept, err)
	}
}

// TestRejected verifies that a call over the daily limit is neither admitted nor recorded, and that
// it does not reach the queue. It also verifies that Reservation.MaxInFlight limits the number of
// unfinished jobs.
func TestRejected(t *testing.T) {
	b := newBench(t)
	for b.remaining(t, b.free()) > 1 {
	}
	b.used(t)
	admitted := func(*Result) { t.Error("the call was admitted") }
	for _, tool := range []*tools.Tool{b.sync, b.queued} {
		body := []byte(`{"name":"` + tool.Name + `"}`)
		r, err := b.Run(t.Context(), b.free(), tool, body, Options{Wait: long, Admitted: admitted})
		var limit *keys.LimitError
		if !errors.As(err, &limit) || limit.Policy != "day" || r.Job != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		if n := b.observed(t, tool.Name, keys.Computed); tool == b.queued && n != 0 {
			t.Errorf("%s: %d observations", tool.Name, n)
		}
		last := b.spans.Ended()[len(b.spans.Ended())-1]
		attributes := fmt.Sprint(last.Attributes())
		if last.Name() != "call "+tool.Name || last.Status().Code != codes.Unset ||
			strings.Contains(attributes, "outcome") {
			t.Errorf("the span %q ends with %+v, %s", last.Name(), last.Status(), attributes)
		}
	}
	if used := b.used(t); len(used) != 0 {
		t.Errorf("recorded %v", used)
	}
	exempt := b.free()
	exempt.Quota = &Exempt{Tier: keys.Anonymous, QuotaKey: "page", MaxInFlight: 1}
	block := func(name string) error {
		body := []byte(`{"do":"block","name":"` + name + `"}`)
		_, err := b.Run(t.Context(), exempt, b.queued, body, Options{})
		return err
	}
	var busy *worker.BusyError
	if err := block("first"); err != nil {
		t.Error(err)
	}
	if err := block("second"); !errors.As(err, &busy) {
		t.Errorf("over the bound of the reservation: %v", err)
	}
}

// TestUnauthenticated verifies that a call with an invalid key fails without a response and debits
// no quota.
func TestUnauthenticated(t *testing.T) {
	b := newBench(t)
	caller := b.free()
	caller.Key = "sl_" + strings.Repeat("0", 40)
	respond := func(*Result) error { t.Error("the call got a response"); return nil }
	for _, tool := range []*tools.Tool{b.sync, b.queued} {
		r, err := b.Run(t.Context(), caller, tool, []byte(`{}`),
			Options{Wait: long, Respond: respond})
		var unknown *keys.InvalidKeyError
		if !errors.As(err, &unknown) || r.Outcome != "" || r.Tier != "" {
			t.Errorf("%s: %v, %+v", tool.Name, err, r)
		}
	}
	if n := b.remaining(t, b.free()); n != dayLimit {
		t.Errorf("%d calls are left", n)
	}
}

// TestLeaving verifies that the wait ends when the caller leaves, and that the job stops if no
// other caller waits for it. It also verifies that the call counts.
func TestLeaving(t *testing.T) {
	b := newBench(t)
	left := fmt.Errorf("the client hung up: %w", context.Canceled)
	for _, inWait := range []bool{false, true} {
		name := fmt.Sprintf("left %t", inWait)
		ctx, leave := context.WithCancelCause(t.Context())
		begin := func(parent context.Context, _ string) (context.Context, func()) {
			waiting, leaveWait := context.WithCancelCause(parent)
			if !inWait {
				leaveWait = leave
			} // otherwise only the context of the wait ends
			go func() {
				<-b.blocked
				leaveWait(left)
			}()
			return waiting, func() {}
		}
		body, o := []byte(`{"do":"block","name":"`+name+`"}`), Options{Wait: long, Waiting: begin}
		r, err := b.Run(ctx, b.free(), b.queued, body, o)
		if !errors.Is(err, left) || r.Outcome != keys.Computed {
			t.Errorf("%v, %q", err, r.Outcome)
		}
		select {
		case got := <-b.stopped:
			if got != name {
				t.Errorf("%q ended", got)
			}
		case <-time.After(long):
			t.Error("the computation goes on")
		}
		leave(nil)
	}
	if used := b.used(t); used[keys.Computed] != 2 {
		t.Errorf("recorded %v", used)
	}
}

// TestCancelled verifies that a call whose job is cancelled has the outcome Invalid.
func TestCancelled(t *testing.T) {
	b := newBench(t)
	cancel := func(ctx context.Context, job string) (context.Context, func()) {
		if _, err := b.queue.Cancel(t.Context(), job, ""); err != nil {
			t.Error(err)
		}
		return ctx, func() {}
	}
	o := Options{Wait: long, Waiting: cancel}
	r, err := b.Run(t.Context(), b.free(), b.queued, []byte(`{"do":"block"}`), o)
	var ended *JobError
	if !errors.As(err, &ended) || ended.Job.State != worker.Cancelled || r.Outcome != keys.Invalid {
		t.Errorf("%v, %q", err, r.Outcome)
	}
}

// TestNoQueue verifies that a call of a queued tool is refunded if there is no queue.
func TestNoQueue(t *testing.T) {
	b := newBench(t)
	b.opt.Queue = nil
	r, err := b.Run(t.Context(), b.free(), b.queued, []byte(`{}`), Options{Wait: long})
	if !errors.Is(err, ErrNoQueue) || r.Outcome != keys.ServerError {
		t.Errorf("%v, %q", err, r.Outcome)
	}
	if n := b.remaining(t, b.free()); n != dayLimit {
		t.Errorf("%d calls are left", n)
	}
}

// panickingQueue panics when a job is submitted.
type panickingQueue struct{ worker.Queue }

func (panickingQueue) Submit(
	context.Context, *tools.Tool, []byte, worker.SubmitOptions,
) (worker.Job, error) {
	panic("the secret of the queue")
}

// TestPanicOfTheQueue verifies that a call is refunded if the queue panics.
func TestPanicOfTheQueue(t *testing.T) {
	b := newBench(t)
	b.opt.Queue = panickingQueue{}
	r, err := b.Run(t.Context(), b.free(), b.queued, []byte(`{}`), Options{Wait: long})
	if !errors.Is(err, ErrInternal) || r.Outcome != keys.ServerError {
		t.Errorf("%v, %q", err, r.Outcome)
	}
	if n := b.remaining(t, b.free()); n != dayLimit {
		t.Errorf("%d calls are left", n)
	}
}

// TestSpan verifies that the span of a call is a child of the client's span. It must have the
// status, the outcome and the request id of the call.
func TestSpan(t *testing.T) {
	b := newBench(t)
	caller := b.free()
	const parent = "b7ad6b7169203331"
	caller.Trace = propagation.MapCarrier{
		"traceparent": "00-0af7651916cd43dd8448eb211c80319c-" + parent + "-01",
	}
	for _, c := range []struct {
		body    string
		outcome keys.Outcome
		code    codes.Code
	}{
		{`{}`, keys.Computed, codes.Unset},
		{`{"x":-1}`, keys.Invalid, codes.Unset},
		{`{"do":"fail"}`, keys.ServerError, codes.Error},
	} {
		_, _ = b.Run(t.Context(), caller, b.sync, []byte(c.body), Options{})
		ended := b.spans.Ended()
		s := ended[len(ended)-1]
		attributes := fmt.Sprint(s.Attributes())
		if s.Parent().SpanID().String() != parent || s.Status().Code != c.code ||
			!strings.Contains(attributes, string(c.outcome)) ||
			!strings.Contains(attributes, "request-1") {
			t.Errorf("%s: below %s, %+v, %s", c.body, s.Parent().SpanID(), s.Status(), attributes)
		}
	}
}
