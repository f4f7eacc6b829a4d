package api

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// preference is what a client asks for in the header Prefer (RFC 7240).
type preference struct {
	async bool          // respond-async: answer 202 and keep the job
	wait  time.Duration // how long to wait for the result
	asked []string      // what was understood, for Preference-Applied
}

// preferences reads the header. Without it the wait is the limit; respond-async alone means no
// wait; together with wait=N it means to wait that long and then to answer 202, as the RFC's own
// example has it. What is not understood is ignored, as the RFC demands.
func preferences(h *fasthttp.RequestHeader, limit time.Duration) preference {
	p, given := preference{wait: limit}, false
	for _, line := range h.PeekAll("Prefer") {
		for part := range strings.SplitSeq(string(line), ",") {
			token, _, _ := strings.Cut(part, ";")
			name, value, _ := strings.Cut(token, "=")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "respond-async":
				if !p.async {
					p.asked = append(p.asked, "respond-async")
				}
				p.async = true
			case "wait":
				n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
				if err != nil || given { // the first one counts
					continue
				}
				given = true
				p.wait = min(time.Duration(n)*time.Second, limit)
				p.asked = append(p.asked, fmt.Sprintf("wait=%d", int(p.wait.Seconds())))
			}
		}
	}
	if p.async && !given {
		p.wait = 0
	}
	return p
}

// applied tells the client what was honoured.
func (p preference) applied(c *fiber.Ctx) {
	if len(p.asked) > 0 {
		c.Set("Preference-Applied", strings.Join(p.asked, ", "))
	}
}
