package mcp

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools"
)

// Methods that this package handles itself, or inspects before it passes them to mcp-go.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodListTools  = "tools/list"
	methodCancelled  = "notifications/cancelled"
	methodListen     = "subscriptions/listen"
)

// Request is a message received over HTTP.
type Request struct {
	Body    []byte
	Session string // header Mcp-Session-Id; "" for none
	Version string // header MCP-Protocol-Version; "" for none
	// Header returns other headers of the request, for protocol versions without sessions. It is
	// nil if the transport has no headers.
	Header func(name string) string
	Caller Caller
}

// Response is the response to a message.
type Response struct {
	Status  int    // HTTP status
	Session string // id of a new session for the header Mcp-Session-Id; "" for none
	Body    []byte // JSON; nil for none
}

// Call is a message and the state of its processing.
type Call struct {
	server  *Server
	caller  Caller
	session string
	body    []byte

	stateless bool   // the protocol version has no sessions
	tasks     bool   // the client accepts tasks
	account   string // quota key of the caller; set for tasks and subscriptions
	message   message
	params    callParams   // of tools/call
	entry     *tools.Entry // tool of the call; nil for batch tools, find_tools and other methods
	notes     []string     // warnings about the interpretation of the tool name
	ready     *Response    // the response, if Parse produced it
	fixture   fixture      // see Server.fixtures

	sending sync.Mutex   // serializes the notifications of a subscription
	notify  func([]byte) // sends a notification; nil if the client has no stream
	rpcErr  *rpcError    // error with a code that a handler of mcp-go cannot return
	denied  error        // error for an invalid API key
	// cancelled reports that the client cancelled the request. The protocol forbids a response.
	cancelled bool
}

// Parse parses a message received over HTTP and validates its session. It copies the body of a
// long-running call. The body of any other message must not change before Handle returns.
func (s *Server) Parse(ctx context.Context, r Request) *Call {
	header := r.Header
	if header == nil {
		header = func(string) string { return "" }
	}
	x := s.read(r.Body, r.Caller, func(name string) string {
		if name == protocol.HeaderProtocolVersion {
			return r.Version
		}
		return header(name)
	})
	if x.ready != nil {
		return x
	}
	if x.stateless {
		return x
	}
	starts := x.message.name == methodInitialize
	switch {
	case r.Version != "" && !starts && !isSupportedVersion(r.Version):
		x.reject(http.StatusBadRequest, rpcError{Code: protocol.INVALID_REQUEST,
			Message: fmt.Sprintf("MCP-Protocol-Version %q is not supported; it must be one of %s",
				text.Truncate(r.Version, 40), strings.Join(Versions(), ", "))})
	case starts:
	case r.Session == "":
		x.reject(
			http.StatusBadRequest,
			rpcError{
				Code:    protocol.INVALID_REQUEST,
				Message: "the header Mcp-Session-Id is missing; send initialize first, and then the id that its response has in this header",
			},
		)
	case !s.sessions.valid(ctx, r.Session):
		x.reject(
			http.StatusNotFound,
			rpcError{
				Code:    codeNoSession,
				Message: "this session is not known, has ended or is too old; send initialize for a new one",
			},
		)
	default:
		x.session = r.Session
	}
	return x
}

// read parses a message from any transport. header returns a header of the request; it is nil for a
// transport without headers.
func (s *Server) read(body []byte, caller Caller, header func(string) string) *Call {
	x := &Call{server: s, caller: caller, body: body}
	m, fault := readMessage(body)
	if x.message = m; fault != nil {
		x.reject(http.StatusBadRequest, *fault)
		return x
	}
	raw := ""
	if header != nil {
		raw = header(protocol.HeaderProtocolVersion)
	}
	if isStateless(&m, raw) {
		if x.beginStateless(header); x.ready != nil {
			return x
		}
	}
	if s.fixtures != nil {
		if x.fixture = s.fixtures(x, header); x.fixture != nil {
			return x
		}
	}
	if x.isTaskMethod() || x.isListen() {
		x.body = bytes.Clone(body)
		// read now because the transport's request may end before the response
		if caller.QuotaKey != nil {
			x.account = caller.QuotaKey()
		}
		return x
	}
	if m.name != methodCall || m.id == nil {
		return x
	}
	var ok bool
	if x.params, ok = m.readCall(); !ok {
		x.reject(
			x.statusOf(protocol.INVALID_PARAMS),
			rpcError{
				Code:    protocol.INVALID_PARAMS,
				Message: "tools/call needs params with a name, the tool's, and arguments, an object",
			},
		)
		return x
	}
	x.entry = x.resolve()
	if x.IsLongRunning() {
		x.body = bytes.Clone(x.body)
	}
	return x
}

func (x *Call) reject(status int, fault rpcError) {
	x.ready = &Response{Status: status, Body: fault.encode(x.message.id)}
}

// IsLongRunning reports whether the response may take seconds. The transport should then watch the
// connection and call Handle in a goroutine.
func (x *Call) IsLongRunning() bool {
	if x.isListen() || x.isTaskMethod() || x.ready == nil && x.fixture != nil {
		return true
	}
	if x.ready != nil || x.message.name != methodCall || x.message.id == nil {
		return false
	}
	return isBatchTool(x.params.name) || x.entry != nil && x.entry.Heavy != nil
}

// Handle handles the message. It sends notifications to notify, which may be nil, from one
// goroutine at a time and only before it returns. When ctx ends, the call is cancelled, and also
// its job unless the job has other callers. A call that the client cancels by a notification has an
// empty response, as the protocol requires. Handle returns the error of Caller.Run for an invalid
// key; it has then sent nothing.
func (x *Call) Handle(ctx context.Context, notify func([]byte)) (response Response, err error) {
	if x.ready != nil {
		return *x.ready, nil
	}
	defer func() {
		if p := recover(); p != nil {
			x.panicked(p)
			response, err = Response{
				http.StatusOK, "",
				rpcError{Code: protocol.INTERNAL_ERROR,
					Message: x.internalError()}.encode(x.message.id),
			}, nil
		}
	}()
	x.notify = notify
	response.Status = http.StatusOK
	switch {
	case !x.message.isRequest():
		x.handleNotification(ctx)
		response.Status = http.StatusAccepted
	case x.fixture != nil:
		var code int
		if response.Body, code = x.fixture(ctx, x); code != 0 {
			response.Status = x.statusOf(code)
		}
	case x.entry != nil && (x.entry.Heavy == nil || x.tasks):
		response.Body = x.callInPlace(ctx)
	case x.isTaskMethod():
		var code int
		if response.Body, code = x.handleTask(ctx); code != 0 {
			response.Status = x.statusOf(code)
		}
	case x.message.name == methodCall && x.params.name == findToolsName:
		response.Body = x.encode(x.findTools())
	case x.message.name == methodListTools:
		response.Body = x.server.list.response(x)
	case x.isListen():
		response.Body = x.listen(ctx)
	case !x.stateless && x.server.subscribes(x.message.name):
		response.Body = rpcError{Code: protocol.METHOD_NOT_FOUND,
			Message: "this version of the protocol has no stream " +
				"for updates here; read the resource again, or use subscriptions/listen of " +
				Versions()[0]}.encode(x.message.id)
	default:
		var code int
		response.Body, code = x.dispatch(ctx)
		if code != 0 {
			response.Status = x.statusOf(code)
		} else if response.Body == nil {
			response.Status = http.StatusAccepted
		} else if x.message.name == methodInitialize {
			response.Session = x.server.sessions.create()
		}
	}
	if x.denied != nil {
		return Response{}, x.denied
	}
	return response, nil
}

// handleNotification handles a cancellation and ignores other notifications. A client sends no
// responses because this server sends no requests.
func (x *Call) handleNotification(ctx context.Context) {
	if x.message.name != methodCancelled {
		return
	}
	if id := member(x.message.params, "requestId"); isScalar(id) {
		x.server.events.publish(ctx, clusterEvent{Session: x.session, Cancel: id})
	}
}

// End ends a session and reports whether it was valid.
func (s *Server) End(ctx context.Context, session string) bool {
	if !s.sessions.valid(ctx, session) {
		return false
	}
	s.events.publish(ctx, clusterEvent{Session: session, Ended: true})
	return true
}

type callKey struct{}

// callFrom returns the Call in the context of a handler of mcp-go.
func callFrom(ctx context.Context) *Call {
	x, _ := ctx.Value(callKey{}).(*Call)
	return x
}

// dispatch passes the message to mcp-go. code is the error code, 0 for a result.
func (x *Call) dispatch(ctx context.Context) (body []byte, code int) {
	engine := x.server.engine
	ctx = context.WithValue(ctx, callKey{}, x)
	ctx = server.WithSupportedProtocolVersions(ctx, Versions())
	response := engine.HandleMessage(engine.WithContext(ctx, sessionAdapter(x.session)), x.body)
	if x.cancelled && ctx.Err() == nil {
		return nil, 0
	}
	if x.rpcErr != nil {
		return x.rpcErr.encode(x.message.id), x.rpcErr.Code
	}
	body, err := rawjson.Marshal(response)
	if err != nil {
		x.server.opt.Log.Error("a response could not be written", "request_id", x.caller.RequestID,
			"method", x.message.name, "error", err)
		return rpcError{
			Code: protocol.INTERNAL_ERROR, Message: x.internalError(),
		}.encode(x.message.id), protocol.INTERNAL_ERROR
	}
	if failed, isError := response.(protocol.JSONRPCError); isError {
		return body, failed.Error.Code
	}
	return body, 0
}
