package api

import (
	"net/netip"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"slipstick/keys"
	"slipstick/keys/ratelimit"
	"slipstick/tools"
)

// Bursts are what one address may do at a moment. Programs on the same machine (loopback) and
// callers with a paid key are not held.
type Bursts struct {
	Any   ratelimit.Rate // requests of any kind; 200 a second, 1000 at once
	Heavy ratelimit.Rate // submissions of heavy tools; 2 a second, 60 at once
	Page  ratelimit.Rate // computations of the page; 10 a second, 30 at once
	Reads ratelimit.Rate // large results fetched with GET; 4 per second, 120 at once
}

func (b Bursts) withDefaults() Bursts {
	set(&b.Any, ratelimit.Rate{PerSecond: 200, Size: 1000})
	set(&b.Heavy, ratelimit.Rate{PerSecond: 2, Size: 60})
	set(&b.Page, ratelimit.Rate{PerSecond: 10, Size: 30})
	set(&b.Reads, ratelimit.Rate{PerSecond: 4, Size: 120})
	return b
}

// limiters are the Bursts at work.
type limiters struct{ any, heavy, page, reads *ratelimit.Limiter }

func newLimiters(b Bursts) limiters {
	return limiters{ratelimit.New(b.Any), ratelimit.New(b.Heavy), ratelimit.New(b.Page), ratelimit.New(b.Reads)}
}

// checkRate takes a call from an address's bucket, or says how long to wait.
func (s *Server) checkRate(l *ratelimit.Limiter, a netip.Addr, what string) error {
	if a.IsLoopback() {
		return nil
	}
	wait := l.Reserve(keys.ClientPrefix(a), s.opt.Now())
	if wait == 0 {
		return nil
	}
	r := l.Rate()
	return &keys.LimitError{
		Name: "burst", RetryAfter: wait, Allowance: keys.Allowance{
			Limit: r.Size, Window: time.Duration(float64(r.Size) / r.PerSecond * float64(time.Second)), Reset: s.opt.Now().Add(wait),
		},
		Reason: "your address sends " + what + " faster than " + strconv.FormatFloat(r.PerSecond, 'g', 3, 64) + " a second for too long; nothing was counted",
	}
}

// refundBurst gives the tokens that a call with a paid key took back to the buckets.
func (s *Server) refundBurst(c *fiber.Ctx, tool *tools.Entry, t keys.Tier) {
	if !t.Paid() {
		return
	}
	a := keys.ClientPrefix(s.clientAddress(c.Context()))
	s.limiters.any.Refund(a)
	if tool.Heavy != nil {
		s.limiters.heavy.Refund(a)
	}
}

// checkQueuedRate limits the submissions of queued tools. Paid keys are exempt.
func (s *Server) checkQueuedRate(c *fiber.Ctx, credential string) error {
	return s.checkRateUnlessPaid(c, s.limiters.heavy, "heavy computations", credential)
}

// checkRateUnlessPaid takes a call from an address's bucket. Who pays is let pass.
func (s *Server) checkRateUnlessPaid(c *fiber.Ctx, l *ratelimit.Limiter, what, credential string) error {
	err := s.checkRate(l, s.clientAddress(c.Context()), what)
	if err == nil || credential == "" {
		return err
	}
	if pass, e := s.opt.Quota.Reserve(c.UserContext(), s.caller(c, credential).Caller, 0); e != nil || pass.Tier.Paid() {
		return e
	}
	return err
}

// Header names of the IETF draft "RateLimit header fields for HTTP".
var hLimit, hPolicy = []byte("RateLimit"), []byte("RateLimit-Policy")

// setAllowanceHeaders says where a limited caller stands: what is left of the day, and until when.
func (s *Server) setAllowanceHeaders(ctx *fasthttp.RequestCtx, a keys.Allowance) {
	if a.Limit == 0 {
		return
	}
	setLimitHeaders(&ctx.Response.Header, "day", a, a.Reset.Sub(s.opt.Now()))
}

// setRefusalHeaders says of a call that a limit refused which one it was, and when to try again.
func (s *Server) setRefusalHeaders(ctx *fasthttp.RequestCtx, e *keys.LimitError) {
	h := &ctx.Response.Header
	setLimitHeaders(h, e.Name, e.Allowance, e.RetryAfter)
	h.Set(fasthttp.HeaderRetryAfter, seconds(e.RetryAfter))
}

func setLimitHeaders(h *fasthttp.ResponseHeader, policy string, a keys.Allowance, left time.Duration) {
	b := make([]byte, 0, 64)
	b = append(append(append(b, '"'), policy...), '"')
	name := len(b)
	b = strconv.AppendInt(append(b, ";q="...), int64(a.Limit), 10)
	b = strconv.AppendInt(append(b, ";w="...), wholeSeconds(a.Window), 10)
	h.SetCanonical(hPolicy, b)
	b = strconv.AppendInt(append(b[:name], ";r="...), int64(a.Remaining), 10)
	b = strconv.AppendInt(append(b, ";t="...), wholeSeconds(left), 10)
	h.SetCanonical(hLimit, b)
}

// wholeSeconds is a duration in seconds, rounded up, at least one.
func wholeSeconds(d time.Duration) int64 {
	return max(1, int64((d+time.Second-1)/time.Second))
}

// limitProblem is the failure for a limit that is used up.
func limitProblem(e *keys.LimitError) *problemError {
	k := limitReached
	if e.Name == "issue" {
		k = tooManyRequests
	}
	f := newProblem(k, "%s", e).retryAfter(e.RetryAfter)
	f.limit = e
	return f
}
