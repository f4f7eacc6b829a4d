package cmd

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipstick/keys"
)

// value parses the text of a setting into its field.
type value struct {
	kind    string // placeholder in the help, such as integer
	allowed string // valid values in words; "" for any text
	list    bool   // several values, separated by commas
	set     func(text string) error
}

// anyText returns a value that accepts any text.
func anyText(p *string) value {
	return value{kind: "string", set: func(s string) error { *p = s; return nil }}
}

// list returns a value that accepts a list of arbitrary texts.
func list(p *[]string) value {
	return parsedList(p, "string", "", func(s string) (string, error) { return s, nil })
}

// choice returns a value that accepts one of the given words.
func choice(p *string, words ...string) value {
	return parsed(p, "string", strings.Join(words, " or "), func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("unknown word %q", s)
		}
		return s, nil
	})
}

// integer returns a value that accepts integers in Go notation, down to the given minimum.
func integer(p *int, minimum int) value {
	return atLeast(p, "an integer", minimum, parseInteger)
}

func parseInteger(s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, strconv.IntSize)
	return int(n), err
}

// maxMebibytes is the largest size of a setting: 1 PiB, whose bytes fit into an int64.
const maxMebibytes = 1 << 30

// mebibytesFrom returns a value that accepts sizes in MiB from the given minimum to maxMebibytes.
func mebibytesFrom(p *int, minimum int) value {
	return within(p, "an integer", minimum, maxMebibytes, parseInteger)
}

// countUpTo returns a value that accepts integers in Go notation from 1 to the given maximum.
func countUpTo(p *int, maximum int) value {
	return within(p, "an integer", 1, maximum, parseInteger)
}

// numberUpTo returns a value that accepts numbers in the given range.
func numberUpTo(p *float64, minimum, maximum float64) value {
	return within(p, "a number", minimum, maximum,
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

// duration returns a value that accepts durations down to the given minimum, in the notation of
// time.ParseDuration.
func duration(p *time.Duration, minimum time.Duration) value {
	return atLeast(p, "a duration", minimum, time.ParseDuration)
}

// durationUpTo is the variant of duration for a range.
func durationUpTo(p *time.Duration, minimum, maximum time.Duration) value {
	return within(p, "a duration", minimum, maximum, time.ParseDuration)
}

// within returns a value that accepts the given range. kind is the type with its article.
func within[T cmp.Ordered](p *T, kind string, minimum, maximum T, parse func(string) (T, error),
) value {
	_, word, _ := strings.Cut(kind, " ")
	return parsed(p, word, fmt.Sprintf("%s from %v to %v", kind, minimum, maximum),
		func(s string) (T, error) {
			x, err := parse(s)
			if err == nil && !(x >= minimum && x <= maximum) { // false for NaN too
				err = strconv.ErrRange
			}
			return x, err
		})
}

func atLeast[T cmp.Ordered](p *T, kind string, minimum T, parse func(string) (T, error)) value {
	_, word, _ := strings.Cut(kind, " ")
	return parsed(
		p,
		word,
		fmt.Sprintf("%s of at least %v", kind, minimum),
		func(s string) (T, error) {
			x, err := parse(s)
			if err == nil && x < minimum {
				err = fmt.Errorf("below %v", minimum)
			}
			return x, err
		},
	)
}

// parsed returns a value that parse converts. allowed describes the valid texts.
func parsed[T any](p *T, kind, allowed string, parse func(string) (T, error)) value {
	return value{kind: kind, allowed: allowed, set: func(s string) error {
		x, err := parse(s)
		if err == nil {
			*p = x
		}
		return err
	}}
}

// parsedList is the variant of parsed for several values.
func parsedList[T any](p *[]T, kind, allowed string, parse func(string) (T, error)) value {
	return value{kind: kind, allowed: allowed, list: true, set: func(s string) error {
		x, err := parse(s)
		if err == nil {
			*p = append(*p, x)
		}
		return err
	}}
}

func parseLevel(s string) (level slog.Level, err error) {
	return level, level.UnmarshalText([]byte(s))
}

// address returns a value that accepts addresses of a listener. It does not check whether this
// machine has the host, because a name can be resolved later than the settings are read.
func address(p *string) value {
	const allowed = "an address with a port, such as :8080, 127.0.0.1:8080 or [::1]:8080"
	return parsed(p, "address", allowed, func(s string) (string, error) {
		_, port, err := net.SplitHostPort(s)
		if err == nil {
			_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
		}
		return s, err
	})
}

func parsePublicURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		err = fmt.Errorf("%q is no web address", s)
	}
	return s, err
}

// parseOrigin parses an origin, or "*" for any. It rejects text that no browser sends as an origin,
// because it would never match.
func parseOrigin(s string) (string, error) {
	if s == "*" {
		return s, nil
	}
	u, err := url.Parse(s)
	if err == nil && (u.Scheme == "" || u.Host == "" || s != u.Scheme+"://"+u.Host) {
		err = fmt.Errorf("%q is no origin", s)
	}
	return s, err
}

// parseNetwork parses a network in CIDR notation. A single address is a network that contains only
// this address.
func parseNetwork(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a, a.BitLen()).Masked(), nil
	}
	n, err := netip.ParsePrefix(s)
	return n.Masked(), err
}

// setMaxComponents parses a limit such as "500", or "agent=2000" for one tier.
func (c *Config) setMaxComponents(text string) error {
	name, number, found := strings.Cut(text, "=")
	if !found {
		name, number = "", text
	}
	tier := keys.Tier(strings.TrimSpace(name))
	n, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case err != nil:
		return err
	case found && tier != keys.Anonymous && tier != keys.Free && !tier.Paid():
		return fmt.Errorf("unknown tier %q", tier)
	case n < minComponentLimit || n > maxComponentLimit:
		return fmt.Errorf("not from %d to %d", minComponentLimit, maxComponentLimit)
	}
	if c.MaxComponents == nil {
		c.MaxComponents = map[keys.Tier]int{}
	}
	c.MaxComponents[tier] = n
	return nil
}
