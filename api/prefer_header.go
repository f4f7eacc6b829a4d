package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// preference is the parsed Prefer header (RFC 7240).
type preference struct {
	async bool          // respond-async: respond with 202; the job outlives the connection
	wait  time.Duration // time to wait for the result
	asked []string      // recognized preferences, for Preference-Applied
}

// respondAsync is the preference for a response before the job has ended (RFC 7240, section 4.1).
const respondAsync = "respond-async"

// preferences parses the Prefer header. The argument limit is the default wait. With respond-async
// alone the server does not wait. With wait=N it waits N seconds before 202, as in the example of
// RFC 7240. Unknown preferences are ignored, as RFC 7240 requires.
func preferences(h *fasthttp.RequestHeader, limit time.Duration) preference {
	p, hasWait := preference{wait: limit}, false
	for _, line := range h.PeekAll("Prefer") {
		for part := range strings.SplitSeq(string(line), ",") {
			token, _, _ := strings.Cut(part, ";")
			name, value, _ := strings.Cut(token, "=")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case respondAsync:
				if !p.async {
					p.asked = append(p.asked, respondAsync)
				}
				p.async = true
			case "wait":
				n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
				if err != nil || hasWait { // the first value counts
					continue
				}
				hasWait = true
				p.wait = min(time.Duration(n)*time.Second, limit)
				p.asked = append(p.asked, fmt.Sprintf("wait=%d", int(p.wait.Seconds())))
			}
		}
	}
	if p.async && !hasWait {
		p.wait = 0
	}
	return p
}

// applied sets the Preference-Applied header. respond-async applies to 202 responses only.
func (p preference) applied(c *fiber.Ctx) {
	asked := p.asked
	if c.Response().StatusCode() != fiber.StatusAccepted {
		asked = slices.DeleteFunc(slices.Clone(asked), func(s string) bool {
			return s == respondAsync
		})
	}
	if len(asked) > 0 {
		c.Set("Preference-Applied", strings.Join(asked, ", "))
	}
}
