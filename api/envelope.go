package api

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/tools"
)

// timeLayout is how times are written: UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// appendTime is at.UTC().AppendFormat(b, stamp), which takes the layout apart each time and is
// several times slower (BenchmarkStamp).
func appendTime(b []byte, at time.Time) []byte {
	at = at.UTC()
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	if year < 0 || year > 9999 {
		return at.AppendFormat(b, timeLayout)
	}
	b = append(b, timeLayout...)
	to := b[len(b)-len(timeLayout):]
	digits := func(end, n int) {
		for i := end - 1; n > 0 || i >= 0 && to[i] >= '0' && to[i] <= '9'; i, n = i-1, n/10 {
			to[i] = byte('0' + n%10)
		}
	}
	digits(4, year)
	digits(7, int(month))
	digits(10, day)
	digits(13, hour)
	digits(16, minute)
	digits(19, second)
	digits(23, at.Nanosecond()/1e6)
	return b
}

// envelope holds the parts of a tool's answers that never change, as JSON. Only the result and
// the time lie between them.
type envelope struct {
	beforeTime []byte // ,"tool":"fspl","version":"1.0.0","computed_at":"
	afterTime  []byte // ","chain":{...}}
}

var beforeResult = []byte(`{"result":`)

func newEnvelope(e *tools.Entry) *envelope {
	return envelopeOf(e.Name, e.Version, e.Chain)
}

func envelopeOf(tool, version string, chain tools.Chain) *envelope {
	quoted := func(v any) []byte { b, _ := json.Marshal(v); return b } // strings and lists of strings cannot fail
	x := &envelope{}
	x.beforeTime = append(append([]byte(`,"tool":`), quoted(tool)...), `,"version":`...)
	x.beforeTime = append(append(x.beforeTime, quoted(version)...), `,"computed_at":"`...)
	x.afterTime = append(append([]byte(`","chain":`), quoted(chain)...), '}')
	return x
}

// largeResult is from where on an answer gets its own memory: fasthttp's buffers are pooled, and
// a few boards would make all of them as large as a board.
const largeResult = 64 << 10

// write answers with the envelope. The parts go straight into the answer's buffer.
func (x *envelope) write(c *fiber.Ctx, result json.RawMessage, at time.Time) error {
	r := c.Response()
	r.Header.SetContentTypeBytes(jsonMediaType)
	if len(result) > largeResult {
		r.SetBodyRaw(x.raw(result, at))
		return nil
	}
	var buf [len(timeLayout)]byte
	r.AppendBody(beforeResult)
	r.AppendBody(result)
	r.AppendBody(x.beforeTime)
	r.AppendBody(appendTime(buf[:0], at))
	r.AppendBody(x.afterTime)
	return nil
}

// parts gives what stands before and after the result.
func (x *envelope) parts(at time.Time) (head, tail []byte) {
	return beforeResult, append(appendTime(slices.Clone(x.beforeTime), at), x.afterTime...)
}

// raw is the envelope as a part of a larger answer.
func (x *envelope) raw(result json.RawMessage, at time.Time) json.RawMessage {
	b := make([]byte, 0, len(beforeResult)+len(result)+len(x.beforeTime)+32+len(x.afterTime))
	b = append(append(append(b, beforeResult...), result...), x.beforeTime...)
	return append(appendTime(b, at), x.afterTime...)
}
