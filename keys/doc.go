// Package keys decides who a caller is and what the caller may use: API keys and their
// tiers, JWT-protected management, daily limits and metering.
//
// It holds no code yet: at present every caller is anonymous and nothing is limited. The
// layers are fixed all the same: keys knows nothing of HTTP, of tools or of jobs; api asks
// it before a call is computed and tells it afterwards what the call cost.
package keys
