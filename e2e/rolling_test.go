package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"slipstick/keys/postgres/pgtest"
)

// TestRollingReplacement replaces two APIs under load, one after the other, as an operator does.
// Half of the clients keep their connections, half open one per call, and none reads /readyz. It
// verifies that every call that reaches a listening socket is answered and counted once. Only after
// a refused connection does a client use the other instance.
//
// As root, the test also runs the servers as an ordinary user. Some kernels do not permit ordinary
// users to reject new connections before they close a listener (api/listener/reject_linux.go).
func TestRollingReplacement(t *testing.T) {
	t.Parallel()
	t.Run("as this user", func(t *testing.T) { rollingReplacement(t, start, false) })
	t.Run("as an ordinary user", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("this user is an ordinary one")
		}
		rollingReplacement(t, startAsNobody, true)
	})
}

// rollingReplacement replaces two APIs under load. With mayReset, it permits the kernel to accept
// new connections while the listener closes, and to reset them before their request is read. A
// proxy sends such a request to the other instance.
func rollingReplacement(
	t *testing.T, start func(t testing.TB, args ...string) *process, mayReset bool,
) {
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	start(t, "worker", "--redis-url", redis, "--log-level", "error")
	addrs := [2]string{freeAddr(t), freeAddr(t)}
	var apis [2]*process
	startAPI := func(i int) {
		apis[i] = start(t, "api", "--redis-url", redis, "--database-url", database, "--addr",
			addrs[i], "--jwt-secret", jwtSecret, "--drain-delay", "500ms", "--log-level", "info")
		waitReady(t, "http://"+addrs[i])
	}
	for i := range apis {
		startAPI(i)
	}
	const clients = 32
	key := newKey(t, "http://"+addrs[0], paidToken(t, "rolling")).Key
	var (
		answered, elsewhere atomic.Int64
		replaced            = make(chan struct{})
		all                 sync.WaitGroup
	)
	for n := range clients {
		transport := &http.Transport{MaxIdleConnsPerHost: 1, DisableKeepAlives: n%2 == 1}
		client := &http.Client{Transport: transport, Timeout: time.Minute}
		random := rand.New(rand.NewPCG(2, uint64(n)))
		call := func(addr, tool string, body []byte) error {
			req, err := http.NewRequest(http.MethodPost, "http://"+addr+"/api/"+tool,
				bytes.NewReader(body))
			if err != nil {
				return err
			}
			req.GetBody = nil // the transport must not repeat requests
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Api-Key", key)
			resp, err := client.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			response, err := io.ReadAll(resp.Body)
			if err == nil && resp.StatusCode != http.StatusOK {
				err = fmt.Errorf("%d %.200s", resp.StatusCode, response)
			}
			return err
		}
		all.Go(func() {
			defer transport.CloseIdleConnections()
			for i := n; ; i++ {
				select {
				case <-replaced:
					return
				default:
				}
				tool, body := "fspl", []byte(`{"freq_mhz": 915, "dist_km": 5}`)
				if i%10 == 0 {
					tool, body = "spice_simulate", fmt.Appendf(nil, `{"netlist":"rolling %d %d\nV1 in 0 10\nR1 in out 1k\nR2 out 0 1k\n.op\n.end"}`, n, i)
				}
				err := call(addrs[i%2], tool, body)
				if errors.Is(err, syscall.ECONNREFUSED) || mayReset &&
					errors.Is(err, syscall.ECONNRESET) {
					elsewhere.Add(1)
					err = call(addrs[1-i%2], tool, body)
				}
				if err != nil {
					t.Errorf("client %d, %s: %v", n, tool, err)
				} else {
					answered.Add(1)
				}
				time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond)
			}
		})
	}
	unfiltered := 0
	for range 2 {
		for i := range apis {
			end(t, apis[i])
			if strings.Contains(apis[i].out.String(), "new connections cannot be ignored") {
				unfiltered++
			}
			startAPI(i)
		}
	}
	close(replaced)
	all.Wait()
	t.Logf("%d calls answered, %d of them by the other instance because one refused; in %d of 4 stops the kernel could not be told to ignore new connections",
		answered.Load(), elsewhere.Load(), unfiltered)
	var usage struct {
		Calls int64 `json:"calls"`
	}
	eventually(t, "every answered call is counted", func() bool {
		a := send(t, http.MethodGet, "http://"+addrs[0]+"/api/keys/"+key[:12]+"/usage", "",
			asBearer(paidToken(t, "rolling"))...)
		if a.status != http.StatusOK {
			return false
		}
		a.read(t, &usage)
		return usage.Calls >= answered.Load()
	})
	if !t.Failed() && usage.Calls != answered.Load() {
		t.Errorf("%d calls were counted, %d answered", usage.Calls, answered.Load())
	}
}
