package listener

import (
	"bytes"
	"errors"
	"math"

	"github.com/valyala/fasthttp"
)

// A proxy and this server must agree on where a request ends. If the server parses a part of a body
// as the next request, another client of the proxy may receive its response (request smuggling). If
// a request has both Content-Length and Transfer-Encoding, fasthttp reads it as chunked and parses
// the bytes after the last chunk as the next request.

// framingError is the reason why the framing of a request is ambiguous.
type framingError string

func (e framingError) Error() string { return string(e) }

// Framing errors of a request (RFC 9112, 3.2, 5.1, 5.2, 6.1 and 6.3; RFC 9110, 5.5 and 5.6.2). With
// two Host headers, a proxy may use the other one to route the request.
const (
	errFramingBoth     framingError = "the request has both Content-Length and Transfer-Encoding; send one of them"
	errFramingTwice    framingError = "the request has the header Transfer-Encoding more than once; send Transfer-Encoding: chunked or a Content-Length"
	errFramingLengths  framingError = "the request has the header Content-Length more than once"
	errFramingHosts    framingError = "the request has the header Host more than once"
	errFramingNoHost   framingError = "the request of HTTP/1.1 lacks the header Host"
	errFramingEncoding framingError = "the request has a Transfer-Encoding other than chunked; send Transfer-Encoding: chunked or a Content-Length"
	errFramingVersion  framingError = "a request of HTTP/1.0 cannot have a Transfer-Encoding; send a Content-Length"
	errFramingFolded   framingError = "a line of the headers begins with a space or a tab; send each header on one line"
	errFramingName     framingError = "a header's name holds a character that names cannot have, such as a space before the colon"
	errFramingControl  framingError = "the headers hold a carriage return that ends no line, or a zero byte"
)

// refused is the Content-Length that HeaderReceived gives a request with ambiguous framing.
const refused = math.MaxInt

// HeaderReceived serves as the HeaderReceived function of a fasthttp server, which calls it between
// headers and body. It gives a request with ambiguous framing a Content-Length beyond every limit.
// fasthttp then reads no body, calls its ErrorHandler with ErrBodyTooLarge and closes the
// connection. FramingError returns the reason. The client is not asked to send a body above
// bodyLimit bytes.
func HeaderReceived(bodyLimit int) func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	return func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		if CheckFraming(h) != nil {
			h.SetContentLength(refused)
		}
		if h.ContentLength() > bodyLimit {
			h.Del(fasthttp.HeaderExpect) // otherwise fasthttp would ask the client to send the body
		}
		return fasthttp.RequestConfig{} // zero values select the limits of the server
	}
}

var (
	nameLength   = []byte("Content-Length")
	nameEncoding = []byte("Transfer-Encoding")
	nameHost     = []byte("Host")
	chunked      = []byte("chunked")
)

// CheckFraming returns an error if the framing of a request is ambiguous or malformed. It parses
// the raw headers because fasthttp keeps only one Transfer-Encoding and drops "identity".
func CheckFraming(h *fasthttp.RequestHeader) error {
	raw := h.RawHeaders()
	if bytes.IndexByte(raw, 0) >= 0 {
		return errFramingControl
	}
	lengths, encodings, hosts := 0, 0, 0
	var encoding []byte
	for len(raw) > 0 {
		end := bytes.IndexByte(raw, '\n')
		if end < 0 {
			end = len(raw)
		}
		line := bytes.TrimSuffix(raw[:end], []byte("\r"))
		raw = raw[min(end+1, len(raw)):]
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			return errFramingFolded
		}
		if bytes.IndexByte(line, '\r') >= 0 {
			return errFramingControl
		}
		colon := 0
		for colon < len(line) && tokenByte[line[colon]] {
			colon++
		}
		if colon == 0 || colon == len(line) || line[colon] != ':' {
			return errFramingName
		}
		switch name := line[:colon]; {
		case len(name) == len(nameHost) && bytes.EqualFold(name, nameHost):
			hosts++
		case len(name) == len(nameLength) && bytes.EqualFold(name, nameLength):
			lengths++
		case len(name) == len(nameEncoding) && bytes.EqualFold(name, nameEncoding):
			encodings++
			encoding = bytes.Trim(line[colon+1:], " \t")
		}
	}
	switch {
	case encodings > 0 && lengths > 0:
		return errFramingBoth
	case encodings > 1:
		return errFramingTwice
	case lengths > 1:
		return errFramingLengths
	case hosts > 1:
		return errFramingHosts
	case hosts == 0 && h.IsHTTP11():
		return errFramingNoHost
	case encodings == 0:
		return nil
	case !bytes.EqualFold(encoding, chunked):
		return errFramingEncoding
	case !h.IsHTTP11():
		return errFramingVersion
	}
	return nil
}

// tokenByte is the set of bytes that are valid in a field name (RFC 9110, 5.6.2).
var tokenByte = func() (is [256]bool) {
	for _, b := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		is[b] = true
	}
	return is
}()

// FramingError returns the framing error of a request that fasthttp rejected with err, or nil if
// err has another cause.
func FramingError(h *fasthttp.RequestHeader, err error) error {
	// The headers may be incomplete, and fasthttp resets them after a chunked body above the limit.
	if !errors.Is(err, fasthttp.ErrBodyTooLarge) || h.ContentLength() != refused {
		return nil
	}
	return CheckFraming(h)
}
