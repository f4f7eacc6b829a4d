// Package keys decides who a caller is and what the caller may use: API keys and their
// tiers, JWT-protected management, daily limits and metering.
//
// The layers are fixed: keys knows nothing of HTTP, of tools or of jobs; api asks its Gate
// before a call is computed and tells it afterwards what the call cost.
package keys
