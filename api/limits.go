package api

import (
	"cmp"
	"net/netip"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"slipstick/keys"
	"slipstick/keys/ratelimit"
	"slipstick/tools"
)

// Bursts holds the rate limits per address. Loopback addresses and callers with a paid key are
// exempt. A zero rate selects the default.
type Bursts struct {
	Any    ratelimit.Rate // all requests; default 200 per second, burst 1000
	Queued ratelimit.Rate // submissions of queued tools; default 2 per second, burst 60
	Page   ratelimit.Rate // computations of the page; default 10 per second, burst 30
	Reads  ratelimit.Rate // large results read with GET; default 4 per second, burst 120
}

func (b Bursts) withDefaults() Bursts {
	b.Any = cmp.Or(b.Any, ratelimit.Rate{PerSecond: 200, Size: 1000})
	b.Queued = cmp.Or(b.Queued, ratelimit.Rate{PerSecond: 2, Size: 60})
	b.Page = cmp.Or(b.Page, ratelimit.Rate{PerSecond: 10, Size: 30})
	b.Reads = cmp.Or(b.Reads, ratelimit.Rate{PerSecond: 4, Size: 120})
	return b
}

// limiters holds the rate limiters for Bursts.
type limiters struct{ any, queued, page, reads *ratelimit.Limiter }

func newLimiters(b Bursts) limiters {
	return limiters{
		ratelimit.New(b.Any), ratelimit.New(b.Queued), ratelimit.New(b.Page),
		ratelimit.New(b.Reads),
	}
}

// checkRate takes a token from the bucket of an address. If the bucket is empty, it returns a
// *keys.LimitError with the wait time. The error text names the events, such as "requests".
func (s *Server) checkRate(l *ratelimit.Limiter, a netip.Addr, events string) error {
	if a.IsLoopback() {
		return nil
	}
	retryAfter := l.Reserve(keys.ClientPrefix(a), s.opt.Now())
	if retryAfter == 0 {
		return nil
	}
	r := l.Rate()
	return &keys.LimitError{
		Policy: "burst", RetryAfter: retryAfter,
		Allowance: keys.Allowance{
			Limit:  r.Size,
			Window: time.Duration(float64(r.Size) / r.PerSecond * float64(time.Second)),
			Reset:  s.opt.Now().Add(retryAfter),
		},
		Reason: "rate limit reached: more than " + strconv.FormatFloat(r.PerSecond, 'g', 3, 64) +
			" " + events + " per second from your address; the call is not counted",
	}
}

// refundBurst returns the rate limit tokens that a call with a paid key has taken. It does nothing
// for other tiers.
func (s *Server) refundBurst(c *fiber.Ctx, tool *tools.Entry, t keys.Tier) {
	if !t.Paid() {
		return
	}
	a := keys.ClientPrefix(s.clientAddress(c.Context()))
	s.limiters.any.Refund(a)
	if tool.Heavy != nil {
		s.limiters.queued.Refund(a)
	}
}

// checkQueuedRate limits the submissions of queued tools. Paid keys are exempt.
func (s *Server) checkQueuedRate(c *fiber.Ctx, apiKey string) error {
	return s.checkRateUnlessPaid(c, s.limiters.queued, "queued computations", apiKey)
}

// checkRateUnlessPaid calls checkRate and ignores its error for a paid key. apiKey is "" without a
// key. For an invalid key above the limit it returns the error of the key.
func (s *Server) checkRateUnlessPaid(
	c *fiber.Ctx, l *ratelimit.Limiter, events, apiKey string,
) error {
	err := s.checkRate(l, s.clientAddress(c.Context()), events)
	if err == nil || apiKey == "" {
		return err
	}
	reservation, e := s.opt.Quota.Reserve(c.UserContext(), s.caller(c, apiKey).Caller, 0)
	if e != nil || reservation.Tier.Paid() {
		return e
	}
	return err
}

// Header names of the IETF draft "RateLimit header fields for HTTP".
var headerRateLimit, headerRateLimitPolicy = []byte("RateLimit"), []byte("RateLimit-Policy")

// dailyPolicy is the name of the daily limit in the RateLimit headers.
const dailyPolicy = "day"

// setAllowanceHeaders sets the RateLimit headers: the remaining calls and the time until reset. It
// sets no headers if there is no limit.
func (s *Server) setAllowanceHeaders(ctx *fasthttp.RequestCtx, policy string, a keys.Allowance) {
	if a.Limit == 0 {
		return
	}
	h, b := &ctx.Response.Header, make([]byte, 0, 64)
	b = append(append(append(b, '"'), policy...), '"')
	name := len(b)
	b = strconv.AppendInt(append(b, ";q="...), int64(a.Limit), 10)
	b = strconv.AppendInt(append(b, ";w="...), wholeSeconds(a.Window), 10)
	h.SetCanonical(headerRateLimitPolicy, b)
	b = strconv.AppendInt(append(b[:name], ";r="...), int64(a.Remaining), 10)
	b = strconv.AppendInt(append(b, ";t="...), wholeSeconds(a.Reset.Sub(s.opt.Now())), 10)
	h.SetCanonical(headerRateLimit, b)
}

// setRateLimitHeaders sets Retry-After and the RateLimit headers of the limit that rejected a call.
func (s *Server) setRateLimitHeaders(ctx *fasthttp.RequestCtx, e *keys.LimitError) {
	s.setAllowanceHeaders(ctx, e.Policy, e.Allowance)
	ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, seconds(e.RetryAfter))
}

// wholeSeconds returns a duration in seconds, rounded up, at least 1.
func wholeSeconds(d time.Duration) int64 {
	return max(1, int64((d+time.Second-1)/time.Second))
}

// limitProblem returns the problem of an exhausted limit.
func limitProblem(e *keys.LimitError) *problemError {
	kind := limitReached
	if e.Policy == "issue" {
		kind = tooManyRequests
	}
	p := newProblem(kind, "%s", e).retryAfter(e.RetryAfter)
	p.limit = e
	return p
}
