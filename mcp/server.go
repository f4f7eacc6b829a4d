package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/redis/go-redis/v9"

	"slipstick/call"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// Options configures a Server. Only Catalog is required.
type Options struct {
	Catalog *tools.Catalog
	// Queue runs the queued tools. If it is nil and InProcess is not set, their calls return an
	// error.
	Queue worker.Queue
	// InProcess runs the queued tools in this process if Queue is nil, and the batches of callers
	// without Batches. Their results stay in memory.
	InProcess bool
	// ResultBytes limits the memory for results in bytes; default 128 MiB. It requires InProcess.
	ResultBytes int
	Wait        time.Duration // maximum wait of a call for a queued tool; default 25 s

	// Redis shares the session secret and carries cancellations between instances. If it is nil,
	// there is only one instance. The caller closes it.
	Redis redis.UniversalClient

	Log     *slog.Logger     // default slog.Default()
	Now     func() time.Time // default time.Now
	Version string           // version of the program; default "dev"
}

// Versions returns the supported protocol versions, newest first.
func Versions() []string {
	return []string{
		protocol.ProtocolVersion20260728, protocol.ProtocolVersion20251125,
		protocol.ProtocolVersion20250618, protocol.ProtocolVersion20250326,
	}
}

// Server handles messages. Create it with New. It is safe for concurrent use.
type Server struct {
	opt          Options
	engine       *server.MCPServer
	sessions     *sessions
	events       *eventBus
	list         *toolList
	prompts      []promptTemplate
	local        *worker.Local // the Queue created for InProcess; otherwise nil
	localBatches *localBatches // set only with InProcess
	calls        *call.Runner  // used for callers without their own Run
	drawing      chan struct{} // semaphore for drawing pictures
	members      string        // see resultMembers

	// fixtures returns the handler for a request of the conformance suite. It is nil except in
	// TestConformance.
	fixtures func(x *Call, header func(string) string) fixture
}

// fixture is a handler that handles a request of the conformance suite. code is the error code, 0
// for a result.
type fixture func(ctx context.Context, x *Call) (response []byte, code int)

// Caller describes the sender of a message and its access to the service.
type Caller struct {
	// Reader identifies the callers that share a limit on the bytes of large results in memory. If
	// it is "", only the total limit applies.
	Reader string
	// Run makes a call with the quota of the caller. If it is nil, call.Runner runs the call
	// without quota. It is called at most once per message, before anything is sent.
	Run func(
		ctx context.Context, tool *tools.Entry, body []byte, o call.Options,
	) (*call.Result, error)
	// Batches gives access to the caller's batches. If it is nil, InProcess provides them;
	// otherwise the batch tools do not exist.
	Batches Batches
	// Base is the base URL at which the caller reaches the service, such as
	// https://calc.example.com; "" for none.
	Base string
	// QuotaKey returns the quota key of the caller, which selects its warnings on a job. If it is
	// nil, the key is "".
	QuotaKey func() string
	// RequestID is the id of the request in logs; "" for none.
	RequestID string
	// Only selects the tools that clients see; nil selects all. See Select.
	Only Selection
	// List selects the form of tools/list.
	List ListOptions
	// Results selects the form of results.
	Results ResultOptions
}

// New returns a Server. It returns an error if the catalog is missing or a tool cannot be
// described.
func New(o Options) (*Server, error) {
	if o.Catalog == nil {
		return nil, errors.New("mcp: a catalog is needed")
	}
	if o.Wait == 0 {
		o.Wait = 25 * time.Second
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	s := &Server{
		opt: o, sessions: newSessions(o.Redis, o.Log, o.Now),
		drawing: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	if o.Queue == nil && o.InProcess {
		s.local = worker.NewLocal(
			worker.LocalOptions{Catalog: o.Catalog, ResultBytes: o.ResultBytes, Log: o.Log,
				Now: o.Now},
		)
		s.opt.Queue = s.local
	}
	if o.InProcess {
		s.localBatches = newLocalBatches(o.Catalog, o.Log, o.Now)
	}
	var err error
	calls := call.RunnerOptions{Queue: s.opt.Queue, Log: o.Log}
	if s.local != nil { // the user's own machine needs no size limit
		calls.SizeLimit = func(keys.Tier) int { return math.MaxInt }
	}
	if s.calls, err = call.NewRunner(calls); err != nil {
		return nil, err
	}
	s.engine = server.NewMCPServer("slipstick", o.Version,
		server.WithTitle("Slipstick"),
		server.WithDescription(
			"Engineering calculators: radio, mesh networks, home labs, power, circuit boards and everyday sums",
		),
		server.WithInstructions(instructions(o.Catalog, o.InProcess)),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(nameCompleter{o.Catalog}),
		server.WithLogging(), // logs nothing, but some clients require setLevel
		server.WithExtensions(extensions()),
		server.WithHooks(newHooks()),
	)
	if s.list, err = newToolList(o.Catalog); err != nil {
		return nil, err
	}
	s.addTools()
	s.addPrompts()
	s.addResources()
	s.addApp()
	if s.members, err = s.resultMembers(); err != nil {
		return nil, err
	}
	s.events = newEventBus(s)
	return s, nil
}

// Close ends the subscription to events of other instances, and stops the jobs and batches of this
// process.
func (s *Server) Close() error {
	if s.localBatches != nil {
		s.localBatches.close()
	}
	if s.local != nil {
		s.local.Close()
	}
	return s.events.close()
}

// retentionText returns the retention time of results as text.
func (s *Server) retentionText() string {
	if s.local != nil {
		return "until this program ends, or newer results need the room"
	}
	return "for ten minutes after it is done"
}

// instructions returns the text that tells an agent how to use the endpoint. local selects the text
// for standard input, which has options instead of query parameters.
func instructions(catalog *tools.Catalog, local bool) string {
	narrowing := "The endpoint's address selects what tools/list shows: ?tools=rf,mesh only these categories or tools, " +
		"?mode=search only find_tools, call_tool, the queued tools and batches, ?schemas=full all inputs and outputs; ?images=off leaves pictures out."
	if local {
		narrowing = "The command's options select what tools/list shows: --tools rf,mesh only these categories or tools; --images off leaves pictures out."
	}
	var categories []string
	for _, c := range catalog.Categories {
		categories = append(categories, fmt.Sprintf("%s (%d)", c.Name, len(c.Tools)))
	}
	return fmt.Sprintf(`Engineering calculators with sourced methods, %d tools: %s.
find_tools finds a tool by words and returns its input schema; call_tool calls any tool by name. Both are always callable.
tools/list shows the principal inputs of a tool and names further optional ones ("More inputs"): calls accept them, and find_tools has their schema.
%s
Units are part of the field names (freq_mhz, dist_km). A text such as "4.7k" or "2.4 GHz" is read where a number is expected; warnings say how.
Results of one tool feed another where the field names agree. slipstick://tools/{name} has method, sources, limits and chains of a tool.
batch_run runs a tool many times: sweep, Monte Carlo, goal seek, optimization.
spice_simulate and pcb_layout take seconds: send a progress token to hear how far they are. A call that is not finished in time says so; the same call again goes on waiting for the same job.
A large result is answered with its key figures and a list of its parts, which are resources: slipstick://jobs/{id}/nets, slipstick://jobs/{id}?vectors=v(out)&from=0&to=1e-3&points=200, slipstick://jobs/{id}/files/board.gtl, slipstick://jobs/{id}/plot.png. Curves, fields and boards come with a picture.`,
		len(catalog.All()), strings.Join(categories, ", "), narrowing)
}

// newHooks returns hooks for mcp-go. They offer the newest version with sessions to a client of an
// unsupported version, disable resources/subscribe and hide the template anyJob.
func newHooks() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *protocol.InitializeRequest,
		result *protocol.InitializeResult) {
		if r := result.Capabilities.Resources; r != nil {
			// resources/subscribe needs a GET stream; subscriptions/listen replaces it.
			r.Subscribe = false
		}
		if !isSupportedVersion(result.ProtocolVersion) {
			result.ProtocolVersion = protocol.LATEST_LEGACY_PROTOCOL_VERSION
		}
	})
	hooks.AddAfterListResourceTemplates(hideAnyJob)
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

// sessionAdapter is a session for mcp-go: a name that scopes cancellations. It has no state because
// it is created for each message.
type sessionAdapter string

func (c sessionAdapter) SessionID() string { return string(c) }

func (c sessionAdapter) Initialize() {}

func (c sessionAdapter) Initialized() bool { return true }

// NotificationChannel returns nil. mcp-go would send broadcasts to it, but this server writes its
// notifications directly to the response.
func (c sessionAdapter) NotificationChannel() chan<- protocol.JSONRPCNotification { return nil }

// SetLogLevel accepts any level because the server logs nothing to clients.
func (c sessionAdapter) SetLogLevel(protocol.LoggingLevel) {}

func (c sessionAdapter) GetLogLevel() protocol.LoggingLevel { return protocol.LoggingLevelError }
