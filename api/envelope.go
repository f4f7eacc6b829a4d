package api

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/tools"
)

// timeLayout is the time format of responses: UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// appendTime is equivalent to at.UTC().AppendFormat(b, timeLayout) but faster. Package time has a
// fast path for RFC 3339 and parses other layouts at every call (BenchmarkStamp).
func appendTime(b []byte, at time.Time) []byte {
	b = at.UTC().AppendFormat(b, time.RFC3339)
	ms := at.Nanosecond() / 1e6
	return append(b[:len(b)-1], '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
}

// envelope holds the constant parts of a tool's response as JSON. The result and the time are
// inserted between them.
type envelope struct {
	beforeTime []byte // ,"tool":"fspl","version":"1.0.0","computed_at":"
	afterTime  []byte // ","chain":{...}}
}

var beforeResult = []byte(`{"result":`)

func newEnvelope(e *tools.Entry) *envelope {
	return envelopeOf(e.Name, e.Version, e.Chain)
}

func envelopeOf(tool, version string, chain tools.Chain) *envelope {
	// marshaling strings and lists of strings cannot fail
	quoted := func(v any) []byte { b, _ := json.Marshal(v); return b }
	x := &envelope{}
	x.beforeTime = append(append([]byte(`,"tool":`), quoted(tool)...), `,"version":`...)
	x.beforeTime = append(append(x.beforeTime, quoted(version)...), `,"computed_at":"`...)
	x.afterTime = append(append([]byte(`","chain":`), quoted(chain)...), '}')
	return x
}

// largeResult is the size in bytes above which a response gets its own buffer. fasthttp pools its
// buffers, and a few large results would enlarge all of them.
const largeResult = 64 << 10

// write writes the response: the result and the time between the constant parts.
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

// raw returns the envelope as JSON for use in a larger response.
func (x *envelope) raw(result json.RawMessage, at time.Time) json.RawMessage {
	b := make([]byte, 0, len(beforeResult)+len(result)+len(x.beforeTime)+32+len(x.afterTime))
	b = append(append(append(b, beforeResult...), result...), x.beforeTime...)
	return append(appendTime(b, at), x.afterTime...)
}
