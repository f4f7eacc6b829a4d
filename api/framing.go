package api

import (
	"bytes"
	"errors"
	"math"

	"github.com/valyala/fasthttp"
)

// Where a request ends must not be a matter of opinion: what a proxy in front takes for a body and
// this server for the next request is answered to another client (request smuggling). fasthttp
// reads a request with both a length and chunks by its chunks, and goes on with what follows.

// framingError says that a request's end is not certain.
type framingError string

func (e framingError) Error() string { return string(e) }

// Faults of a request's framing (RFC 9112, 5.1, 5.2, 6.1 and 6.3; RFC 9110, 5.5 and 5.6.2).
const (
	errFramingBoth     framingError = "the request has both Content-Length and Transfer-Encoding; send one of them"
	errFramingTwice    framingError = "the request has the header Transfer-Encoding more than once; send Transfer-Encoding: chunked or a Content-Length"
	errFramingLengths  framingError = "the request has the header Content-Length more than once"
	errFramingEncoding framingError = "the request has a Transfer-Encoding other than chunked; send Transfer-Encoding: chunked or a Content-Length"
	errFramingVersion  framingError = "a request of HTTP/1.0 cannot have a Transfer-Encoding; send a Content-Length"
	errFramingFolded   framingError = "a line of the headers begins with a space or a tab; send each header on one line"
	errFramingName     framingError = "a header's name holds a character that names cannot have, such as a space before the colon"
	errFramingControl  framingError = "the headers hold a carriage return that ends no line, or a zero byte"
)

// headerReceived is called between the headers and the body of every request. A request whose end
// is not certain is given a length that no limit allows: fasthttp then reads none of its body,
// and gives it to unreadable, which refuses it, and closes the connection.
func (s *Server) headerReceived(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if framing(h) != nil {
		h.Del(fasthttp.HeaderExpect) // else the client would be told to send the body first
		h.SetContentLength(math.MaxInt)
	}
	return fasthttp.RequestConfig{} // the server's own limits
}

var (
	nameLength   = []byte("Content-Length")
	nameEncoding = []byte("Transfer-Encoding")
	chunked      = []byte("chunked")
)

// framing says what is wrong with the framing of a request; nil for nothing. It reads the headers
// as they came: fasthttp keeps of several Transfer-Encodings one, and drops "identity".
func framing(h *fasthttp.RequestHeader) error {
	raw := h.RawHeaders()
	if bytes.IndexByte(raw, 0) >= 0 {
		return errFramingControl
	}
	lengths, encodings := 0, 0
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
	case encodings == 0:
		return nil
	case !bytes.EqualFold(encoding, chunked):
		return errFramingEncoding
	case !h.IsHTTP11():
		return errFramingVersion
	}
	return nil
}

// tokenByte has the bytes of which the names of headers consist (RFC 9110, 5.6.2).
var tokenByte = func() (is [256]bool) {
	for _, b := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		is[b] = true
	}
	return is
}()

// framingOf says what is wrong with the framing of a request that fasthttp could not read for err;
// nil when err is about something else.
func framingOf(h *fasthttp.RequestHeader, err error) error {
	if !errors.Is(err, fasthttp.ErrBodyTooLarge) { // the headers may not be there at all
		return nil
	}
	return framing(h)
}
