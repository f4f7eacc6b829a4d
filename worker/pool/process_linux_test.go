package pool

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEnlargePipe verifies the capacity of a pipe.
func TestEnlargePipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	enlargePipe(r)
	if n, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0); err != nil || n != pipeBytes {
		t.Errorf("capacity %d, %v; want %d", n, err, pipeBytes)
	}
}
