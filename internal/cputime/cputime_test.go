package cputime

import (
	"testing"
	"time"
)

// TestProcess verifies that a busy loop uses processor time and that sleep does not.
func TestProcess(t *testing.T) {
	before, end := Process(), time.Now().Add(10*time.Second)
	for Process()-before < 20*time.Millisecond {
		if time.Now().After(end) {
			t.Fatal("a busy loop of 10 s used less than 20 ms")
		}
	}
	before = Process()
	time.Sleep(200 * time.Millisecond)
	if d := Process() - before; d > 100*time.Millisecond {
		t.Errorf("a sleep of 200 ms used %v", d)
	}
}
