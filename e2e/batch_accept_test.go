package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/keys/postgres/pgtest"
)

// stoppingProxy forwards connections to Redis until a command for which stopsAt returns true. It
// drops that command, or with afterReply its reply, and everything that follows on the connection.
type stoppingProxy struct {
	addr       string
	stopsAt    func(command [][]byte) bool
	afterReply bool
	stopped    chan struct{} // closed at the selected command

	once sync.Once
}

// startProxy starts a proxy between an API and the Redis at an address.
func startProxy(t *testing.T, redisAddr string, p *stoppingProxy) *stoppingProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.addr, p.stopped = l.Addr().String(), make(chan struct{})
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", redisAddr)
			if err != nil {
				_ = client.Close()
				continue
			}
			go p.forward(client, server)
		}
	}()
	return p
}

// forward forwards one connection until a side closes it. After the selected command, it waits
// until the killed client closes the connection.
func (p *stoppingProxy) forward(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	selected := make(chan struct{})
	go func() {
		reply := make([]byte, 64<<10)
		for {
			n, err := server.Read(reply)
			if err != nil {
				return
			}
			select {
			case <-selected: // Redis has executed the command
				p.stop()
				return
			default:
			}
			if _, err := client.Write(reply[:n]); err != nil {
				return
			}
		}
	}()
	in := bufio.NewReader(client)
	for {
		raw, command, err := readCommand(in)
		if err != nil {
			return
		}
		stop := p.stopsAt(command)
		if stop && !p.afterReply {
			p.stop()
			_, _ = io.Copy(io.Discard, in)
			return
		}
		if stop {
			close(selected)
		}
		if _, err := server.Write(raw); err != nil {
			return
		}
		if stop {
			_, _ = io.Copy(io.Discard, in)
			return
		}
	}
}

func (p *stoppingProxy) stop() { p.once.Do(func() { close(p.stopped) }) }

// readCommand reads a command in RESP, an array of bulk strings, and returns its bytes and its
// arguments.
func readCommand(r *bufio.Reader) (raw []byte, command [][]byte, err error) {
	number := func(kind byte) (int, error) {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		raw = append(raw, line...)
		text := bytes.TrimSpace(line)
		if len(text) == 0 || text[0] != kind {
			return 0, fmt.Errorf("%q is not RESP of kind %q", line, kind)
		}
		return strconv.Atoi(string(text[1:]))
	}
	count, err := number('*')
	for ; err == nil && count > 0; count-- {
		var n int
		if n, err = number('$'); err != nil {
			break
		}
		arg := make([]byte, n+2)
		if _, err = io.ReadFull(r, arg); err == nil {
			raw, command = append(raw, arg...), append(command, arg[:n])
		}
	}
	return raw, command, err
}

// acceptance selects one of the commands with which an API accepts a batch. at is "create", "debit"
// or "accept".
type acceptance struct {
	label, at string

	mu      sync.Mutex
	id      string // id of the created batch
	debited bool
}

// is reports whether a command is the selected one. Concurrent calls are allowed, because each
// connection of the API has its own goroutine.
func (a *acceptance) is(command [][]byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	has := func(text string) bool {
		return slices.ContainsFunc(command, func(arg []byte) bool {
			return bytes.Contains(arg, []byte(text))
		})
	}
	const script, lease = "EVALSHA", "slipstick:{batches}:leases"
	if len(command) < 5 || !strings.EqualFold(string(command[0]), script) {
		return false
	}
	switch {
	case a.id == "" && has(a.label) && string(command[3]) == lease:
		a.id = string(command[4])
		return a.at == "create"
	case a.id == "":
		return false
	case has("writer:reserve:" + a.id):
		a.debited = true
		return a.at == "debit"
	}
	return a.debited && string(command[3]) == lease && string(command[4]) == a.id &&
		a.at == "accept"
}

// batchID returns the id of the batch. No client has received it.
func (a *acceptance) batchID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id
}

// TestKilledWhileAccepting kills API processes before and after each command with which they accept
// a batch. It verifies that another process deletes the batches that were not accepted and refunds
// their debited calls once. It also verifies that an accepted batch ends and its calls are counted.
func TestKilledWhileAccepting(t *testing.T) {
	t.Parallel()
	const runs, dailyCalls = 10, 200
	store, database := redisServer(t), pgtest.Start(t).Database(t)
	redisAddr := strings.TrimPrefix(store, "redis://")
	start(t, "worker", "--redis-url", store, "--log-level", "warn")
	const proxies = "--trusted-proxies"
	_, other := startAPI(t, store, database, proxies, "127.0.0.1")
	request := func(label string) string {
		return fmt.Sprintf(`{"tool": "fspl", "label": %q, "input": {"freq_mhz": 915},
			"vary": [{"field": "/dist_km", "from": 1, "to": 10, "points": %d}]}`, label, runs)
	}
	// The first batch loads the scripts, because later batches call them by their hash.
	var first batchState
	send(t, "POST", other+"/api/batches", request("first")).read(t, &first)
	eventually(t, "the end of the first batch", func() bool {
		send(t, "GET", other+"/api/batches/"+first.ID, "").read(t, &first)
		return first.Summary != nil
	})
	// left returns the remaining quota of an address after one more call.
	left := func(address string) string {
		t.Helper()
		a := send(t, "POST", other+"/api/fspl", pathLoss, "X-Forwarded-For", address)
		rest, _, _ := strings.Cut(strings.TrimPrefix(a.header.Get("RateLimit"), `"day";r=`), ";")
		return rest
	}
	type killed struct {
		*acceptance
		address       string
		debited, runs bool // when the process is killed: calls are debited, the batch is accepted
	}
	var all []killed
	for i, at := range []string{"create", "debit", "accept"} {
		for k, afterReply := range []bool{false, true} {
			c := killed{
				acceptance: &acceptance{label: fmt.Sprintf("killed-%s-%v", at, afterReply), at: at},
				address:    fmt.Sprint("203.0.113.", 1+2*i+k),
				debited:    at == "debit" && afterReply || at == "accept",
				runs:       at == "accept" && afterReply,
			}
			proxy := startProxy(t, redisAddr, &stoppingProxy{stopsAt: c.is, afterReply: afterReply})
			api, base := startAPI(t, "redis://"+proxy.addr, database, proxies, "127.0.0.1")
			answered := make(chan error, 1)
			go func() {
				req, err := http.NewRequest(http.MethodPost, base+"/api/batches",
					strings.NewReader(request(c.label)))
				if err == nil {
					req.Header.Set("Content-Type", "application/json")
					req.Header.Set("X-Forwarded-For", c.address)
					var res *http.Response
					if res, err = http.DefaultClient.Do(req); err == nil {
						_ = res.Body.Close()
					}
				}
				answered <- err
			}()
			select {
			case <-proxy.stopped:
			case <-time.After(time.Minute):
				t.Fatalf("%s: no such command within a minute", c.label)
			}
			kill(api)
			if err := <-answered; err == nil {
				t.Errorf("%s: the client has a response", c.label)
			}
			want := dailyCalls - 1
			if c.debited { // another process refunds the calls some seconds later
				want -= runs
			}
			if rest := left(c.address); rest != strconv.Itoa(want) {
				t.Errorf("%s: %s calls are left when the process is killed, want %d", c.label, rest,
					want)
			}
			all = append(all, c)
		}
	}
	rdb := redis.NewClient(&redis.Options{Addr: redisAddr})
	defer rdb.Close()
	eventually(t, "end of the pending batches", func() bool {
		n, err := rdb.ZCard(t.Context(), "slipstick:{batches}:pending").Result()
		return err == nil && n == 0
	})
	for _, c := range all {
		want, status := dailyCalls-2, 404
		if c.runs {
			want, status = want-runs, 200
		}
		if rest := left(c.address); rest != strconv.Itoa(want) {
			t.Errorf("%s: %s calls are left in the end, want %d", c.label, rest, want)
		}
		path := other + "/api/batches/" + c.batchID()
		a := send(t, "GET", path, "", "X-Forwarded-For", c.address)
		if a.status != status {
			t.Errorf("%s: %d %s", c.label, a.status, a.body)
		}
		if !c.runs {
			continue
		}
		var b batchState
		eventually(t, "the end of the accepted batch", func() bool {
			send(t, "GET", path, "", "X-Forwarded-For", c.address).read(t, &b)
			return b.Summary != nil
		})
		if b.State != "done" || b.RunsDone != runs {
			t.Errorf("%s: %+v", c.label, b)
		}
	}
	records, err := rdb.Keys(t.Context(), "slipstick:{batches}:record:*").Result()
	if err != nil || len(records) != 2 {
		t.Errorf("%v are stored, want the first and the accepted batch; %v", records, err)
	}
}
