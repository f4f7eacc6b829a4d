package batch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"slipstick/tools"
	"slipstick/tools/catalog"
)

type boardIn struct {
	Width int `json:"width" default:"1" doc:"Width; above 5 the computation has no end of its own"`
}

type boardOut struct {
	Area float64 `json:"area" doc:"Area, 0 when stopped early"`
	tools.Warnings
}

// chunkOf returns the chunk tool for a queued tool that can be stopped early. begun receives the
// width of every run that begins.
func chunkOf(t *testing.T, begun chan<- int) *tools.Tool {
	t.Helper()
	tool := tools.Define(tools.Spec{
		Name: "board", Title: "board", Summary: "board", Method: "test", Sources: []string{"test"},
		Examples: []tools.Example{{In: "{}"}},
		Heavy:    &tools.Heavy{Pool: "board", Timeout: time.Minute, SupportsEarlyStop: true},
	}, func(ctx context.Context, in boardIn) (boardOut, error) {
		begun <- in.Width
		if in.Width > 5 {
			<-ctx.Done()
			return boardOut{}, ctx.Err()
		}
		select {
		case <-tools.StopSignal(ctx):
			return boardOut{}, nil
		default:
			return boardOut{Area: float64(in.Width)}, nil
		}
	})
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test",
		Tools: []*tools.Tool{tool}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ChunkTools(c)[0]
}

// runsOf computes a chunk with a stop signal and returns its rows.
func runsOf(t *testing.T, chunk *tools.Tool, stop chan struct{}, widths string, count int,
	patient bool) ([]Run, error) {
	t.Helper()
	request := `{"tool": "board", "vary": [{"field": "/width", "values": ` + widths + `}]}`
	body, err := ChunkBody("b", []byte(request), 0, count, nil, patient)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tools.WithStopSignal(t.Context(), stop), 20*time.Second)
	defer cancel()
	result, err := chunk.Run(ctx, body)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return ChunkRuns(raw)
}

// TestRowBytes verifies that RowBytes returns the bytes of all rows before any run. For a search,
// which may make fewer runs, it must be an upper bound.
func TestRowBytes(t *testing.T) {
	const fspl = `{"tool": "fspl", "input": {"freq_mhz": 915}, `
	for _, c := range []struct {
		request string
		exact   bool
	}{
		{fspl + `"vary": [{"field": "/dist_km", "from": 1e-9, "to": 1e9, "points": 999, "scale": "log"}]}`, true},
		{fspl + `"vary": [{"field": "/dist_km", "values": [1, 2.000000000000000000000000000000000001, "x", "` +
			strings.Repeat("long ", 99) + `"]}, {"field": "/freq_mhz", "from": -1, "to": 1, "points": 9}]}`, true},
		{fspl + `"mode": "zip", "vary": [{"field": "/dist_km", "values": [1, 2, "five kilometres and some metres"]},
			{"field": "/freq_mhz", "values": [915, null, 868]}], "collect": ["fspl_db"]}`, true},
		{`{"tool": "wire_gauge", "input": {"voltage_v": 12, "length_m": 5}, "collect": ["awg", "voltage_drop_pct"],
			"vary": [{"field": "/current_a", "values": [1, 5, 10, -1]}]}`, false},
		{fspl + `"mode": "sobol", "n": 50, "vary": [{"field": "/dist_km", "distribution": "uniform", "min": -1, "max": 1}]}`, true},
		{`{"tool": "fspl", "mode": "list", "inputs": [{"freq_mhz": 915, "dist_km": 1}, {}]}`, true},
		{fspl + `"mode": "solve", "vary": [{"field": "/dist_km", "from": 1, "to": 9}], "target": {"name": "fspl_db", "value": 100}}`, false},
		{fspl + `"mode": "minimize", "objective": "fspl_db", "n": 30, "vary": [{"field": "/dist_km",
			"values": [1, 2.0000000000000000000000000000000001, 3]}, {"field": "/freq_mhz", "from": 1, "to": 2}]}`, false},
	} {
		p, runs := execute(t, c.request)
		ShortenErrors(runs)
		if n := LongErrors(runs); n != 0 {
			t.Errorf("%s: %d bytes of long errors", c.request, n)
		}
		size := int64(0)
		for _, r := range runs {
			size += int64(r.Size() + detailBytes - len(r.Err))
		}
		if n := p.RowBytes(); n < size || c.exact && n != size {
			t.Errorf("%s: %d bytes, its %d rows have %d", c.request, n, len(runs), size)
		}
	}
}

// TestShortenErrors verifies that a truncated error is valid UTF-8 with an ellipsis, and that a
// short error is unchanged.
func TestShortenErrors(t *testing.T) {
	runs := []Run{{Err: "dist_km: is required"}, {Err: "12345678901234567890ü and more"},
		{Err: "dist_km: must be above 0 and more"}}
	if n := LongErrors(runs); n != 7+9 {
		t.Errorf("%d bytes above %d", n, detailBytes)
	}
	ShortenErrors(runs)
	for i, want := range []string{"dist_km: is required", "12345678901234567890…",
		"dist_km: must be abov…"} {
		if runs[i].Err != want {
			t.Errorf("%q, want %q", runs[i].Err, want)
		}
	}
}

// TestChunkStoppedEarly verifies that a run has the result of a single call although its chunk is
// stopped, and that the chunk begins no further run.
func TestChunkStoppedEarly(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	begun := make(chan int, 9)
	runs, err := runsOf(t, chunkOf(t, begun), stop, "[2, 3]", 2, false)
	if err != nil || len(runs) != 1 || runs[0].Collected[0] != 2 {
		t.Errorf("%+v %v, want the row with the area 2", runs, err)
	}
}

// TestChunkAbandonsLongRun verifies that a chunk that is stopped during a long run returns the rows
// before this run.
func TestChunkAbandonsLongRun(t *testing.T) {
	begun := make(chan int, 9)
	chunk := chunkOf(t, begun)
	for _, c := range []struct {
		widths string
		first  int
		rows   int
	}{{"[2, 9, 3]", 2, 1}, {"[9, 2]", 9, 0}} {
		stop := make(chan struct{})
		go func() {
			for width := range begun {
				if width == 9 {
					close(stop)
					return
				}
			}
		}()
		runs, err := runsOf(t, chunk, stop, c.widths, 2, false)
		if err != nil || len(runs) != c.rows || c.rows > 0 &&
			runs[0].Collected[0] != float64(c.first) {
			t.Errorf("%s: %+v %v, want %d rows", c.widths, runs, err, c.rows)
		}
	}
}

// TestPatientChunk verifies that a patient chunk does not abandon its run.
func TestPatientChunk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan int, 9)
		chunk, stop := chunkOf(t, begun), make(chan struct{})
		close(stop)
		ctx, cancel := context.WithCancel(t.Context())
		body, err := ChunkBody("b",
			[]byte(`{"tool": "board", "vary": [{"field": "/width", "values": [9]}]}`), 0,
			1, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := chunk.Run(tools.WithStopSignal(ctx, stop), body)
			ended <- err
		}()
		<-begun
		time.Sleep(2 * yieldGrace) // the fake clock of synctest passes yieldGrace
		synctest.Wait()
		select {
		case err := <-ended:
			t.Errorf("a patient chunk abandoned its run: %v", err)
		default:
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("no error of a cancelled chunk")
		}
	})
}

// TestWorkerCatalog verifies that workers know every tool and service of the catalog.
func TestWorkerCatalog(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	worker, err := WorkerCatalog(all)
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Services()) == 0 {
		t.Error("the catalog has no service")
	}
	for _, e := range append(all.Services(), all.All()...) {
		if got, err := worker.FindQueued(e.Name); err != nil || got.Version != e.Version {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
