package cmd

import (
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"slipstick/batch"
	"slipstick/keys"
)

// Config holds the settings of a command. A setting that the command does not have is zero. Method
// settings defines the flag, environment variable, default and valid values of each field.
type Config struct {
	LogFormat string
	LogLevel  slog.Level

	Addr       string
	AdminAddr  string // "" disables the private listener
	PublicURL  string
	Data       string
	Wait       time.Duration
	DrainDelay time.Duration

	RedisURL       string
	ResultBudget   int // MiB
	CallerBudget   int // MiB
	InputBudget    int // MiB
	ReadBudget     int // MiB
	AddressBudget  int // MiB
	Queues         []string
	Concurrency    int
	JobMemory      int // MiB; 0 for no limit
	JobsPerCaller  int
	Batches        BatchConfig
	AnonymousCalls int     // calls per day; 0 for no limit
	BurstRate      float64 // requests per second; 0 for no limit
	BurstSize      int
	TrustedProxies []netip.Prefix
	DatabaseURL    string
	KeyPepper      string
	JWTSecret      string
	JWTPublicKey   string
	JWTJWKSURL     string
	JWTAlgorithms  []string
	JWTIssuer      string
	JWTAudience    string
	MCPOrigins     []string
	MCPTools       string
	MCPImages      string
	MaxComponents  map[keys.Tier]int // 0: the tool's default; key "": all other tiers
}

// BatchConfig holds the settings of batches.
type BatchConfig struct {
	Runs, QueuedRuns         int // maximum number of runs per batch
	PerCaller, PerFreeCaller int // maximum number of unfinished batches
	Budget, BudgetPerBatch   int // MiB of rows in Redis
	DatabaseBudget           int // MiB of rows in Postgres; 0 for none
	CallerPct                int // maximum share of each budget for one caller, in percent
	TTL                      time.Duration
}

// maxComponents returns the maximum number of circuit components of a tier. 0 selects the default
// of the tool.
func (c *Config) maxComponents(t keys.Tier) int {
	if n, found := c.MaxComponents[t]; found {
		return n
	}
	return c.MaxComponents[""]
}

// maxConcurrency is the maximum of --concurrency. A stopping worker waits for all of its slots.
const maxConcurrency = 1024

// Range of --max-components: the default of spice_simulate, and the size of its largest circuit.
const minComponentLimit, maxComponentLimit = 150, 2000

// settings returns the definitions of all settings. Their parsers store the values in c.
func (c *Config) settings() []setting {
	return slices.Concat(c.processSettings(), c.redisSettings(), c.jobSettings(),
		c.batchSettings(), c.limitSettings(), c.keySettings(), c.mcpSettings())
}

// servingCommands returns the commands that serve requests.
func servingCommands() []string { return []string{"serve", "api"} }

// computingCommands returns the commands that run jobs.
func computingCommands() []string { return []string{"serve", "worker"} }

// serviceCommands returns the commands of a service.
func serviceCommands() []string { return []string{"serve", "api", "worker"} }

// signingCommands returns the commands that sign or verify JWTs.
func signingCommands() []string { return []string{"serve", "api", "token"} }

// processSettings returns the settings of logs, addresses and the data directory.
func (c *Config) processSettings() []setting {
	return []setting{
		{
			flag: "log-format", initial: "text", value: choice(&c.LogFormat, "text", "json"),
			commands: []string{"serve", "api", "worker", "queue", "mcp"},
			doc:      "format of the log lines",
		},
		{
			flag: "log-level", initial: "info",
			value:    parsed(&c.LogLevel, "level", "debug, info, warn or error", parseLevel),
			commands: []string{"serve", "api", "worker", "queue", "mcp"},
			doc:      "least level of the log lines",
		},
		{
			flag: "addr", initial: ":8080", value: address(&c.Addr), commands: servingCommands(),
			doc: "address to listen on",
		},
		{
			flag: "admin-addr", value: address(&c.AdminAddr), commands: serviceCommands(),
			doc: "private address of /metrics, /debug/pprof, /healthz and /readyz; none by default",
		},
		{
			flag: "public-url", commands: servingCommands(),
			value: parsed(
				&c.PublicURL,
				"URL",
				"http or https with a host, such as https://calc.example.com",
				parsePublicURL,
			),
			doc: "address at which clients reach the service; by default the host of each request",
		},
		{
			flag:     "data",
			initial:  defaultDataDir(),
			computed: "slipstick in $XDG_DATA_HOME or ~/.local/share",
			value:    anyText(&c.Data), commands: []string{"serve"},
			doc: "directory for API keys, usage and counts; " +
				":memory: keeps nothing after the process ends",
		},
		{
			flag:     "wait",
			initial:  "25s",
			value:    durationUpTo(&c.Wait, time.Millisecond, time.Hour),
			commands: servingCommands(),
			doc:      "longest time that a call waits for a queued tool before it returns 202",
		},
		{
			flag: "drain-delay", initial: "1s", value: durationUpTo(&c.DrainDelay, 0, time.Hour),
			commands: []string{"api"},
			doc:      "time of service after SIGTERM while /readyz reports the drain",
		},
	}
}

// redisSettings returns the settings of Redis and of the memory for results.
func (c *Config) redisSettings() []setting {
	return []setting{
		{
			flag:     "redis-url",
			value:    anyText(&c.RedisURL),
			commands: []string{"api", "worker", "queue"},
			doc: "redis://[:password@]host:port[/db], rediss:// or redis-sentinel://, " +
				"or addresses of a cluster",
		},
		{
			flag:     "result-budget-mib",
			initial:  "160",
			value:    mebibytesFrom(&c.ResultBudget, 1),
			commands: serviceCommands(),
			doc: "memory in Redis for stored results, at most 40 % of maxmemory; " +
				"the oldest are dropped first",
		},
		{
			flag: "result-budget-per-caller-mib", initial: "32",
			value:    mebibytesFrom(&c.CallerBudget, 1),
			commands: serviceCommands(),
			doc: "part of it for one caller, at most a quarter; " +
				"a larger result is dropped 30 s after its delivery",
		},
		{
			flag:     "input-budget-mib",
			initial:  "64",
			value:    mebibytesFrom(&c.InputBudget, 1),
			commands: serviceCommands(),
			doc:      "memory in Redis for inputs of unfinished jobs, at most 15 % of maxmemory",
		},
		{
			flag:     "read-budget-mib",
			initial:  "96",
			value:    mebibytesFrom(&c.ReadBudget, 1),
			commands: servingCommands(),
			doc:      "memory of this process for large responses in transfer",
		},
		{
			flag: "read-budget-per-address-mib", initial: "32",
			value:    mebibytesFrom(&c.AddressBudget, 1),
			commands: servingCommands(),
			doc:      "part of it for the responses to one address",
		},
	}
}

// jobSettings returns the settings of queued jobs.
func (c *Config) jobSettings() []setting {
	return []setting{
		{
			flag: "queues", value: list(&c.Queues), commands: []string{"worker"},
			doc: "pools to serve, such as spice; all by default",
		},
		{
			flag:     "concurrency",
			initial:  strconv.Itoa(min(runtime.GOMAXPROCS(0), maxConcurrency)),
			computed: "number of cores",
			value:    countUpTo(&c.Concurrency, maxConcurrency), commands: computingCommands(),
			doc: "jobs that run at the same time",
		},
		{
			flag:     "job-memory-mib",
			initial:  "2048",
			value:    mebibytesFrom(&c.JobMemory, 0),
			commands: computingCommands(),
			doc:      "memory limit of one job; 0: no limit, 1 to 1023: 1024",
		},
		{
			flag:     "jobs-per-caller",
			initial:  "50",
			value:    integer(&c.JobsPerCaller, 1),
			commands: servingCommands(),
			doc:      "unfinished jobs per caller",
		},
	}
}

// batchSettings returns the settings of batches.
func (c *Config) batchSettings() []setting {
	return []setting{
		{
			flag: "batch-runs", initial: strconv.Itoa(batch.MaxRuns),
			value: countUpTo(&c.Batches.Runs, batch.MaxRuns), commands: servingCommands(),
			doc: "runs of a batch of a tool that is not queued",
		},
		{
			flag: "batch-queued-runs", initial: strconv.Itoa(batch.MaxQueuedRuns),
			value:    countUpTo(&c.Batches.QueuedRuns, batch.MaxQueuedRuns),
			commands: servingCommands(),
			doc:      "runs of a batch of a queued tool",
		},
		{
			flag: "batches-per-caller", initial: "10", value: integer(&c.Batches.PerCaller, 1),
			commands: servingCommands(), doc: "unfinished batches per caller with a paid key",
		},
		{
			flag: "batches-per-free-caller", initial: "3",
			value:    integer(&c.Batches.PerFreeCaller, 1),
			commands: servingCommands(), doc: "unfinished batches per other caller",
		},
		{
			flag: "batch-budget-mib", initial: "256", value: mebibytesFrom(&c.Batches.Budget, 1),
			commands: servingCommands(),
			doc:      "memory in Redis for rows of batches, at most 20 % of maxmemory",
		},
		{
			flag: "batch-budget-per-batch-mib", initial: "48",
			value:    mebibytesFrom(&c.Batches.BudgetPerBatch, 1),
			commands: servingCommands(), doc: "part of it for the rows of one batch",
		},
		{
			flag: "batch-budget-per-caller-pct", initial: "25",
			value: countUpTo(&c.Batches.CallerPct, 100), commands: servingCommands(),
			doc: "percentage of the budgets for rows, in Redis and in Postgres, that one caller may " +
				"have; the oldest ended batches of the caller are deleted first",
		},
		{
			flag: "batch-database-budget-mib", initial: "2048",
			value: mebibytesFrom(&c.Batches.DatabaseBudget, 0), commands: servingCommands(),
			doc: "rows in the Postgres of database-url for which Redis has no room, at most a " +
				"sixteenth of it for one batch; 0: none",
		},
		{
			flag: "batch-ttl", initial: "24h", value: duration(&c.Batches.TTL, time.Minute),
			commands: servingCommands(),
			doc:      "time for which an ended batch is kept, and longest time of a batch",
		},
	}
}

// limitSettings returns the settings of the limits of callers.
func (c *Config) limitSettings() []setting {
	return []setting{
		{
			flag: "anonymous-calls", initial: strconv.Itoa(keys.Anonymous.DailyLimit()),
			value: integer(&c.AnonymousCalls, 0), commands: servingCommands(),
			doc: "calls per day and address without a key; 0: no limit",
		},
		{
			flag: "max-components", computed: "150", commands: servingCommands(),
			value: value{
				kind: "integer", allowed: "an integer from 150 to 2000, or a tier and one, such as " +
					"agent=2000, where the tier is anonymous, free, developer, network or agent",
				list: true, set: c.setMaxComponents,
			},
			doc: "largest circuit of spice_simulate in components, for all tiers or one tier",
		},
		{
			flag: "burst-rate", initial: "200", value: numberUpTo(&c.BurstRate, 0, 100_000),
			commands: servingCommands(),
			doc:      "requests per second and address, except loopback and paid keys; 0: no limit",
		},
		{
			flag: "burst-size", initial: "1000", value: integer(&c.BurstSize, 1),
			commands: servingCommands(),
			doc:      "requests that one address may send at once above the rate",
		},
		{
			flag: "trusted-proxies", commands: servingCommands(),
			value: parsedList(
				&c.TrustedProxies,
				"network",
				"addresses or networks such as 10.0.0.0/8 or fd00::/8",
				parseNetwork,
			),
			doc: "proxies whose X-Forwarded-For names the client; none by default",
		},
	}
}

// keySettings returns the settings of API keys and JWTs.
func (c *Config) keySettings() []setting {
	return []setting{
		{
			flag: "database-url", value: anyText(&c.DatabaseURL), commands: servingCommands(),
			doc: "Postgres for API keys and usage: postgres://user:password@host:port/db; " +
				"PGPASSWORD takes a password without escapes",
		},
		{
			flag: "key-pepper", value: anyText(&c.KeyPepper), commands: servingCommands(),
			doc: "secret of at least 32 bytes that API keys are hashed with; " +
				"by default the store keeps one. Prefer the environment variable",
		},
		{
			flag: "jwt-public-key", value: anyText(&c.JWTPublicKey), commands: servingCommands(),
			doc: "PEM text or file that verifies RS256, ES256 or EdDSA signatures of JWTs",
		},
		{
			flag: "jwt-jwks-url", value: anyText(&c.JWTJWKSURL), commands: servingCommands(),
			doc: "address of the JWK set that verifies the signatures of JWTs",
		},
		{
			flag: "jwt-algorithms", value: list(&c.JWTAlgorithms), commands: servingCommands(),
			doc: "algorithms accepted with a JWK set, of RS256, ES256 and EdDSA; all by default",
		},
		{
			flag: "jwt-secret", value: anyText(&c.JWTSecret), commands: signingCommands(),
			doc: "secret of HS256 JWTs, at least 32 bytes. Prefer the environment variable",
		},
		{
			flag: "jwt-issuer", value: anyText(&c.JWTIssuer), commands: signingCommands(),
			doc: "issuer (iss) that a JWT must name",
		},
		{
			flag: "jwt-audience", value: anyText(&c.JWTAudience), commands: signingCommands(),
			doc: "audience (aud) that a JWT must name",
		},
	}
}

// mcpSettings returns the settings of MCP.
func (c *Config) mcpSettings() []setting {
	return []setting{
		{
			flag: "mcp-origins", commands: servingCommands(),
			value: parsedList(
				&c.MCPOrigins,
				"origin",
				"* or web origins without a path, such as https://chat.example.com",
				parseOrigin,
			),
			doc: "web origins whose pages may use /mcp",
		},
		{
			flag:     "tools",
			env:      "SLIPSTICK_MCP_TOOLS",
			value:    anyText(&c.MCPTools),
			commands: []string{"mcp"},
			doc:      "categories or tools to offer, such as rf,mesh; all by default",
		},
		{
			flag:     "images",
			env:      "SLIPSTICK_MCP_IMAGES",
			value:    choice(&c.MCPImages, "on", "off"),
			initial:  "on",
			commands: []string{"mcp"},
			doc:      "pictures of curves, fields and boards in results",
		},
	}
}

// defaultDataDir returns the user's data directory (XDG Base Directory Specification), or
// ":memory:" for a user without a home directory.
func defaultDataDir() string {
	if d := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "slipstick")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "share", "slipstick")
	}
	return ":memory:"
}
