package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/redis/go-redis/v9"

	"slipstick/call"
	"slipstick/tools"
	"slipstick/worker"
)

// Options configures a Server. Only Catalog is needed.
type Options struct {
	Catalog *tools.Catalog
	// Queue takes the heavy tools. Without one they answer that they are not to be had here,
	// unless InProcess computes them in this process and keeps their results in its memory.
	Queue     worker.Queue
	InProcess bool
	// ResultBytes bounds the results kept in memory; 128 MiB. Only with InProcess.
	ResultBytes int
	Wait        time.Duration // how long a call waits for a heavy tool; 25 s

	// Redis carries the sessions' secret and cancellations between instances; nil: there is one
	// instance. It stays the caller's to close.
	Redis redis.UniversalClient

	Log     *slog.Logger     // slog.Default()
	Now     func() time.Time // time.Now
	Version string           // of the program; "dev"
}

// Versions are the protocol versions spoken, newest first.
func Versions() []string {
	return []string{protocol.ProtocolVersion20251125, protocol.ProtocolVersion20250618, protocol.ProtocolVersion20250326}
}

// Server answers messages. Make it with New; it is ready for concurrent use.
type Server struct {
	opt      Options
	engine   *server.MCPServer
	sessions *sessions
	events   *eventBus
	list     *toolList
	prompts  []promptTemplate
	local    *worker.Local // the Queue, when InProcess made it; else nil
	calls    *call.Runner  // of callers without a Run of their own
}

// Caller is who sent a message, and how the service looks from there.
type Caller struct {
	// Reader bounds the bytes of large results held for the caller together; "" with all others only.
	Reader string
	// Run makes a call of a tool on the caller's account; nil: by call.Runner, uncounted. It is
	// called at most once per message, before anything is sent.
	Run func(
		ctx context.Context, tool *tools.Entry, body []byte, o call.Options,
	) (*call.Result, error)
	// Base is the address of the service as the caller reaches it, such as
	// https://calc.example.com; "" where there is none.
	Base string
	// Account gives the caller's account, whose warnings on a job are read with it; nil: "".
	QuotaKey func() string
	// RequestID is the request's id in logs; "" where there is none.
	RequestID string
	// Only are the tools shown; all of them when nil. See Select.
	Only Selection
	// List is the form of tools/list.
	List ListOptions
}

// New makes a Server. The error says which tool cannot be described.
func New(o Options) (*Server, error) {
	if o.Catalog == nil {
		return nil, errors.New("mcp: a catalog is needed")
	}
	if o.Wait == 0 {
		o.Wait = 25 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	s := &Server{opt: o, sessions: newSessions(o.Redis, o.Log, o.Now)}
	if o.Queue == nil && o.InProcess {
		s.local = worker.NewLocal(worker.LocalOptions{Catalog: o.Catalog, ResultBytes: o.ResultBytes, Log: o.Log, Now: o.Now})
		s.opt.Queue = s.local
	}
	var err error
	if s.calls, err = call.NewRunner(call.RunnerOptions{Queue: s.opt.Queue, Log: o.Log}); err != nil {
		return nil, err
	}
	s.engine = server.NewMCPServer("slipstick", o.Version,
		server.WithTitle("Slipstick"),
		server.WithDescription("Engineering calculators: radio, mesh networks, home labs, power, circuit boards and everyday sums"),
		server.WithInstructions(instructions(o.Catalog)),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(nameCompleter{o.Catalog}),
		server.WithLogging(), // nothing is logged to clients; some insist on setting a level
		server.WithHooks(versionHooks()),
	)
	if s.list, err = newToolList(o.Catalog); err != nil {
		return nil, err
	}
	s.addTools()
	s.addPrompts()
	s.addResources()
	s.events = newEventBus(s)
	return s, nil
}

// Close ends the subscription to other instances, and jobs that are computed in this process.
func (s *Server) Close() error {
	if s.local != nil {
		s.local.Close()
	}
	return s.events.close()
}

// retentionText says for how long a job's result can be read.
func (s *Server) retentionText() string {
	if s.local != nil {
		return "until this program ends, or newer results need the room"
	}
	return "for ten minutes after it is done"
}

// instructions tell an agent what the endpoint has; the categories are the catalog's.
func instructions(catalog *tools.Catalog) string {
	var categories []string
	for _, c := range catalog.Categories {
		categories = append(categories, fmt.Sprintf("%s (%d)", c.Name, len(c.Tools)))
	}
	return fmt.Sprintf(`Engineering calculators with sourced methods, %d tools: %s.
find_tools finds a tool by words and returns its input schema; call_tool calls any tool by name. Both are always callable.
The endpoint's address selects what tools/list shows: ?tools=rf,mesh only these categories or tools, ?mode=search only find_tools, call_tool and the slow tools, ?schemas=full output schemas too.
Units are part of the field names (freq_mhz, dist_km). A text such as "4.7k" or "2.4 GHz" is read where a number is expected; warnings say how.
Results of one tool feed another where the field names agree. slipstick://tools/{name} has method, sources, limits and chains of a tool.
spice_simulate and pcb_layout take seconds: send a progress token to hear how far they are. A call that is not finished in time says so; the same call again goes on waiting for the same job.
Large results come shortened, with a link to the whole. In spice_simulate, options {"points_max": 200, "vectors": ["v(out)"]} asks for less from the start.`,
		len(catalog.All()), strings.Join(categories, ", "))
}

// versionHooks keeps the handshake from agreeing to a version older than Versions, which mcp-go
// still knows.
func versionHooks() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *protocol.InitializeRequest, result *protocol.InitializeResult) {
		if !isSupportedVersion(result.ProtocolVersion) {
			result.ProtocolVersion = Versions()[0]
		}
	})
	return hooks
}

func isSupportedVersion(version string) bool {
	for _, v := range Versions() {
		if v == version {
			return true
		}
	}
	return false
}

// sessionAdapter is a session as mcp-go wants to see it: a name that scopes cancellations. It
// keeps nothing, because it is made for every message.
type sessionAdapter string

func (c sessionAdapter) SessionID() string { return string(c) }

func (c sessionAdapter) Initialize() {}

func (c sessionAdapter) Initialized() bool { return true }

// NotificationChannel is where mcp-go would put notifications. Ours are written straight to the
// answer; the channel is nil, and sending to it is never tried because nothing is broadcast.
func (c sessionAdapter) NotificationChannel() chan<- protocol.JSONRPCNotification { return nil }

// SetLogLevel accepts any level: nothing is logged to clients.
func (c sessionAdapter) SetLogLevel(protocol.LoggingLevel) {}

func (c sessionAdapter) GetLogLevel() protocol.LoggingLevel { return protocol.LoggingLevelError }
