package keys

import "context"

// Claims are the verified claims of a JWT.
type Claims struct {
	Subject string // owner of the keys issued to the subject
	Tier    Tier   // a paid tier, or "" if the token names none
	Admin   bool   // the subject may manage the keys of all owners
}

// Scope returns the set of keys that the subject may list and revoke.
func (c Claims) Scope() Scope { return Scope{Owner: c.Subject, All: c.Admin} }

// Verifier verifies JWTs.
type Verifier interface {
	// Verify returns the claims of a token, or an *InvalidTokenError.
	Verify(ctx context.Context, token string) (Claims, error)
}
