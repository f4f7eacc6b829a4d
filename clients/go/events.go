package slipstick

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
)

// Event is a server-sent event.
type Event struct {
	ID   string // last ID of the stream so far
	Name string
	Data []byte
}

// maxEvent is the maximum length in bytes of a line of an event.
const maxEvent = 64 << 20

// errEnded indicates that a stream ended before its last event.
var errEnded = errors.New("slipstick: the stream of events ended early")

// events reads a stream of events up to the event "end". It resumes an interrupted stream after its
// last event, at most Client.attempts times without a new event. An error ends the iteration.
func (c *Client) events(ctx context.Context, path string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var last string
		for failed := 0; ; failed++ {
			headers := []string{"Accept", "text/event-stream"}
			if last != "" {
				headers = append(headers, "Last-Event-ID", last)
			}
			res, err := c.send(ctx, "GET", path, nil, headers...)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for event := range readEvents(res.Body, last) {
				failed, last = 0, event.ID
				if !yield(event, nil) || event.Name == "end" {
					_ = res.Body.Close()
					return
				}
			}
			_ = res.Body.Close()
			if ctx.Err() != nil || failed+1 >= c.attempts {
				yield(Event{}, errors.Join(errEnded, ctx.Err()))
				return
			}
		}
	}
}

// readEvents reads the events of a stream until it ends. last is the ID of the event before the
// stream.
func readEvents(r io.Reader, last string) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxEvent)
		event := Event{ID: last, Name: "message"}
		var data []string
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case lines.Text() == "":
				event.Data = []byte(strings.Join(data, "\n"))
				if len(data) > 0 && !yield(event) {
					return
				}
				event, data = Event{ID: event.ID, Name: "message"}, nil
			case name == "event":
				event.Name = value
			case name == "data":
				data = append(data, value)
			case name == "id":
				event.ID = value
			}
		}
	}
}
