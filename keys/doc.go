// Package keys decides who a caller is and what the caller may use: API keys and their
// tiers, JWT-protected management, daily limits and metering.
//
// The layers are fixed: keys knows nothing of HTTP, of tools or of jobs; api asks its Gate
// before a call is computed and tells it afterwards what the call cost.
//
// The life of a key:
//
//	(none) --Issue--> active --Revoke--> revoked
//	                    |
//	                    +--time to live--> expired
//
// A Store (packages postgres and sqlite) is the authority. It holds a keyed hash of each key,
// never the key. The Registry in front of it remembers look-ups for Staleness: a key revoked on
// one instance is refused there at once, and by every other one after that time. While the store
// cannot be reached, keys that were good go on for Grace, and issuing fails. A free key is
// forgotten 30 days after its end, a paid one is kept for the books.
package keys
