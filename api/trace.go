package api

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// requestHeaders implements propagation.TextMapCarrier for the headers of a request.
type requestHeaders struct{ c *fiber.Ctx }

// Get implements propagation.TextMapCarrier. It copies the value because a span outlives the
// request's buffer.
func (h requestHeaders) Get(key string) string { return strings.Clone(h.c.Get(key)) }

// Set implements propagation.TextMapCarrier. It does nothing because request headers are read-only.
func (h requestHeaders) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (h requestHeaders) Keys() []string { return []string{"traceparent", "tracestate"} }
