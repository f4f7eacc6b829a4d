package store

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// With these timeouts an unreachable Redis is detected within tens of milliseconds (connection
// refused) or a third of a second (no reply). The defaults of go-redis take seconds.
const (
	dialTimeout  = 300 * time.Millisecond
	readTimeout  = time.Second
	writeTimeout = time.Second
	maxRetries   = 1
	dialRetries  = 1
)

const sentinelScheme = "redis-sentinel"

// Dial returns a Redis client with short timeouts. It does not connect. The URL is one of
//
//	redis://[user:password@]host[:port][/db]            also rediss://, with TLS, and unix://
//	redis-sentinel://[user:password@]host:port,host:port[/db]?master=name[&sentinel_password=...]
//	redis-cluster://[user:password@]host:port,host:port also rediss-cluster://
//
// The user and the password are for the data servers.
func Dial(rawURL string) (redis.UniversalClient, error) {
	scheme, _, _ := strings.Cut(rawURL, "://")
	switch scheme {
	case "redis", "rediss", "unix":
		opt, err := redis.ParseURL(rawURL)
		if err != nil {
			return nil, withoutURL(err)
		}
		opt.DialTimeout, opt.ReadTimeout, opt.WriteTimeout = dialTimeout, readTimeout, writeTimeout
		opt.MaxRetries, opt.DialerRetries, opt.ContextTimeoutEnabled = maxRetries, dialRetries, true
		return redis.NewClient(opt), nil
	case sentinelScheme, "redis-cluster", "rediss-cluster":
	default:
		return nil, errors.New("a Redis URL begins with redis://, rediss://, unix://, " +
			"redis-sentinel://, redis-cluster:// or rediss-cluster://")
	}

	u, addrs, err := parseManyHosts(rawURL)
	if err != nil {
		return nil, err
	}
	password, _ := u.User.Password()
	if scheme != sentinelScheme {
		opt := &redis.ClusterOptions{
			Addrs: addrs, Username: u.User.Username(), Password: password,
			DialTimeout: dialTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
			DialerRetries: dialRetries, ContextTimeoutEnabled: true,
		}
		if scheme == "rediss-cluster" {
			opt.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		return redis.NewClusterClient(opt), nil
	}
	query := u.Query()
	if query.Get("master") == "" {
		return nil, errors.New("a redis-sentinel URL needs ?master=name")
	}
	db := 0
	if path := strings.Trim(u.Path, "/"); path != "" {
		if db, err = strconv.Atoi(path); err != nil {
			return nil, fmt.Errorf("the database number %q in the Redis URL is not a number", path)
		}
	}
	return redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: query.Get("master"), SentinelAddrs: addrs,
		SentinelPassword: query.Get("sentinel_password"),
		Username:         u.User.Username(), Password: password, DB: db,
		DialTimeout: dialTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		MaxRetries: maxRetries, DialerRetries: dialRetries, ContextTimeoutEnabled: true,
	}), nil
}

const (
	greetingTime = 500 * time.Millisecond // maximum wait for an unprompted error
	maxGreeting  = 2048                   // maximum bytes of the error
)

// Reach returns an error if the Redis server of rdb does not answer. Dial must have returned rdb
// for rawURL.
//
// A server that refuses all commands on a connection sends its error once and closes: DENIED in
// protected mode, or ERR at its client limit. go-redis takes this error for the reply to HELLO,
// continues, and reports a write error. Reach reports the server's error instead.
func Reach(ctx context.Context, rdb redis.UniversalClient, rawURL string) error {
	err := rdb.Ping(ctx).Err()
	if err == nil {
		return nil
	}
	if refusal := connectionError(ctx, rawURL); refusal != "" {
		return fmt.Errorf("the server answers %s", refusal)
	}
	// go-redis reports Sentinels without this master as unreachable, with the null of their reply.
	if u, _, parseErr := parseManyHosts(rawURL); parseErr == nil && u.Scheme == sentinelScheme &&
		strings.Contains(err.Error(), redis.Nil.Error()) {
		return fmt.Errorf("no Sentinel knows the master %q", u.Query().Get("master"))
	}
	return err
}

// connectionError returns the error that a server sends on a new connection, or "".
func connectionError(ctx context.Context, rawURL string) string {
	network, addrs, tlsConfig := "tcp", []string(nil), (*tls.Config)(nil)
	if opt, err := redis.ParseURL(rawURL); err == nil {
		network, addrs, tlsConfig = opt.Network, []string{opt.Addr}, opt.TLSConfig
	} else if u, hosts, err := parseManyHosts(rawURL); err == nil {
		addrs = hosts
		if u.Scheme == "rediss-cluster" {
			tlsConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
	}
	for _, addr := range addrs {
		conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, addr)
		if err != nil {
			continue
		}
		if tlsConfig != nil {
			config := tlsConfig.Clone()
			config.ServerName, _, _ = net.SplitHostPort(addr)
			conn = tls.Client(conn, config)
		}
		_ = conn.SetDeadline(time.Now().Add(greetingTime))
		line, _ := bufio.NewReader(io.LimitReader(conn, maxGreeting)).ReadString('\n')
		_ = conn.Close()
		if refusal, ok := strings.CutPrefix(strings.TrimSpace(line), "-"); ok {
			// The protected mode error is long; its first sentences name the cause.
			if end := strings.Index(refusal, " If you want"); end > 0 {
				refusal = refusal[:end]
			}
			return strconv.Quote(refusal)
		}
	}
	return ""
}

// parseManyHosts parses a URL with a list of hosts. net/url would reject their ports.
func parseManyHosts(rawURL string) (*url.URL, []string, error) {
	scheme, rest, _ := strings.Cut(rawURL, "://")
	end := len(rest)
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		end = i
	}
	user, hosts, found := "", rest[:end], false
	if i := strings.LastIndex(hosts, "@"); i >= 0 {
		user, hosts, found = hosts[:i], hosts[i+1:], true
	}
	addrs := strings.Split(hosts, ",")
	if hosts == "" {
		return nil, nil, errors.New("the Redis URL names no host")
	}
	if found {
		user += "@"
	}
	u, err := url.Parse(scheme + "://" + user + "host" + rest[end:])
	if err != nil {
		return nil, nil, withoutURL(err)
	}
	return u, addrs, nil
}

// Patterns of the parts of a Redis URL that a message may contain. They are a scheme (RFC 3986,
// section 3.1), hosts with ports, one host or the path of a socket, and a query.
var (
	validScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	hostList    = regexp.MustCompile(`^[\w.\-\[\]][\w.\-\[\]:]*:\d+(,[\w.\-\[\]:]+)*(/[^\s=]*)?$`)
	plainHost   = regexp.MustCompile(`^[\w.\-\[\]]*(/[^\s=]*)?$`)
	queryValues = regexp.MustCompile(`^\w+=[^=&]*(&\w+=[^=&]*)*$`)
)

// RedactedURL returns a Redis URL without user, password and query, for messages. It replaces all
// after the scheme by "..." where the host is uncertain, as it may be a part of a password.
func RedactedURL(rawURL string) string {
	scheme, rest, found := strings.Cut(rawURL, "://")
	if found = found && validScheme.MatchString(scheme); found {
		scheme += "://"
	} else {
		scheme, rest = "", rawURL
	}
	host, query, _ := strings.Cut(rest, "?")
	host = host[strings.LastIndex(host, "@")+1:]
	known := hostList.MatchString(host) || found && plainHost.MatchString(host)
	if !known || strings.Contains(query, "@") && !queryValues.MatchString(query) {
		return scheme + "..."
	}
	return scheme + host
}

// withoutURL removes a URL, which may contain a password, from an error for the log.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("the Redis URL is not valid: %w", err)
}
