package keys

import "context"

// Claims are the checked claims of a JWT.
type Claims struct {
	Subject string // owns the keys issued to it
	Tier    Tier   // a paid one, or "" when the token names none
	Admin   bool   // manages the keys of all owners
}

// Scope is the set of keys that the subject may list and revoke.
func (c Claims) Scope() Scope { return Scope{Owner: c.Subject, All: c.Admin} }

// Verifier checks JWTs.
type Verifier interface {
	// Verify returns the claims of a token. Errors: *InvalidTokenError.
	Verify(ctx context.Context, token string) (Claims, error)
}
