// Package keys manages API keys and their tiers, and defines the interfaces of authentication,
// daily quota and usage records. It is independent of HTTP, tools and jobs. Package quota
// implements Quota, package usage counts calls, and package ratelimit limits rates per address.
// Package token verifies JWTs. Packages postgres and sqlite implement Store.
//
// The states of a key:
//
//	(none) --Issue--> active --Revoke--> revoked
//	                    |
//	                    +--TTL--> expired
//
// A Store is authoritative. It contains a keyed hash of each key, never the key itself. Service
// caches look-ups for CacheTTL. A key revoked on one instance is rejected there immediately, and on
// other instances after at most CacheTTL. While the store is unavailable, cached valid keys remain
// valid for StaleIfErrorTTL, and no keys are issued. Free keys are deleted 30 days after their
// expiry or revocation; paid keys are kept.
package keys
