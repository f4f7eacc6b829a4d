package cmd

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// atLeast refuses a setting below a bound. Without it the parts take a number that makes no sense
// for one that was not given, and go on with their own default.
func atLeast[T cmp.Ordered](least T) func(T) error {
	return func(given T) error {
		if !(given >= least) { // not <, which NaN is not either
			return fmt.Errorf("must be at least %v, got %v", least, given)
		}
		return nil
	}
}

// entries are those of a list given with commas, where people also write spaces or a comma at the end.
func entries(given []string) []string {
	var list []string
	for _, s := range given {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// checkOrigins refuses what no browser sends as the origin of a page, and so would never match.
func checkOrigins(given []string) error {
	for _, origin := range entries(given) {
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme == "" || u.Host == "" || origin != u.Scheme+"://"+u.Host) {
			return fmt.Errorf("%q is neither * nor a web origin such as https://chat.example.com, without a path", origin)
		}
	}
	return nil
}
