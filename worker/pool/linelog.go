package pool

import (
	"bufio"
	"io"
	"log/slog"
	"sync"
)

// lineLog logs lines from the standard error of a child, at most stderrLines per job.
type lineLog struct {
	log *slog.Logger

	mu    sync.Mutex
	lines int
}

// restart resets the line count for a new job.
func (l *lineLog) restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = 0
}

// copy logs lines until r ends.
func (l *lineLog) copy(r io.Reader) {
	b := bufio.NewReaderSize(r, 8<<10)
	for {
		line, more, err := b.ReadLine()
		if err != nil {
			return
		}
		if len(line) > 0 && l.allow() {
			l.log.Warn("child says", "line", string(line), "cut", more)
		}
	}
}

func (l *lineLog) allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines++
	if l.lines == stderrLines {
		l.log.Warn("child says more than is logged")
	}
	return l.lines < stderrLines
}
