package cmd

import (
	"io"
	"net"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// protectedRedis starts a listener that replies to each connection as Redis in protected mode does
// to remote clients. It sends the error before the first command, and closes the connection.
func protectedRedis(t *testing.T) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(
				c,
				"-DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user. "+
					"In this mode connections are only accepted from the loopback interface. If you want to connect from external computers to Redis you may adopt one of the following solutions: "+
					"1) Just disable protected mode sending the command 'CONFIG SET protected-mode no' from the loopback interface.\r\n",
			)
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// TestDeniedByRedis verifies that the error of a Redis that rejects connections is reported.
func TestDeniedByRedis(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	addr := protectedRedis(t)
	for _, url := range []string{"redis://" + addr, "redis-cluster://" + addr + "," + addr,
		"redis-sentinel://" + addr + "?master=m"} {
		for _, command := range []string{"api", "worker"} {
			err := newCommand(
				all,
				strings.NewReader(""),
				io.Discard,
				io.Discard,
			).Run(t.Context(), []string{"slipstick", command, "--redis-url", url})
			if err == nil ||
				!strings.Contains(err.Error(), `"DENIED Redis is running in protected mode`) ||
				!strings.Contains(err.Error(), "SLIPSTICK_REDIS_URL") {
				t.Errorf("%s, %s: %v", command, url, err)
			}
			if err != nil && strings.Contains(err.Error(), "solutions") {
				t.Errorf("%s, %s: the whole page: %v", command, url, err)
			}
		}
	}
}
