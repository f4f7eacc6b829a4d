package api

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/tools"
)

// timeLayout is the format of times in responses: UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// appendTime is equivalent to at.UTC().AppendFormat(b, timeLayout), which parses the layout at
// every call and is several times slower (BenchmarkStamp).
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

// envelope holds the constant parts of the responses of a tool, as JSON. The result and the time
// are inserted between them.
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

// largeResult is the size in bytes above which a response gets its own memory. The buffers of
// fasthttp are pooled, and a few boards would enlarge all of them.
const largeResult = 64 << 10

// write writes the response with the parts appended to its buffer.
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

// parts returns the JSON before and after the result.
func (x *envelope) parts(at time.Time) (head, tail []byte) {
	return beforeResult, append(appendTime(slices.Clone(x.beforeTime), at), x.afterTime...)
}

// raw returns the envelope as a part of a larger response.
func (x *envelope) raw(result json.RawMessage, at time.Time) json.RawMessage {
	b := make([]byte, 0, len(beforeResult)+len(result)+len(x.beforeTime)+32+len(x.afterTime))
	b = append(append(append(b, beforeResult...), result...), x.beforeTime...)
	return append(appendTime(b, at), x.afterTime...)
}
