// Package keys manages API keys and their tiers, and defines the interfaces of authentication,
// daily quota and usage records. It is independent of HTTP, tools and jobs. Package quota
// implements Quota, package usage counts calls, packages postgres and sqlite implement Store.
//
// The states of a key:
//
//	(none) --Issue--> active --Revoke--> revoked
//	                    |
//	                    +--TTL--> expired
//
// A Store is authoritative. It contains a keyed hash of each key, never the key. Service caches
// look-ups for CacheTTL: a key revoked on one instance is rejected there at once, and by all other
// instances after that time. While the store is unavailable, keys that were valid remain valid for
// StaleIfErrorTTL, and issuing fails. A free key is deleted 30 days after its expiry or revocation;
// a paid key is kept.
package keys
