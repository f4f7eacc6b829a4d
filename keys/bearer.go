package keys

import "context"

// Claims is whom a JWT speaks for.
type Claims struct {
	Subject string // owns the keys issued to it
	Tier    Tier   // a paid one, or "" when the token names none
	Admin   bool   // manages everybody's keys
}

// Scope is whose keys the bearer may see and revoke.
func (b Claims) Scope() Scope { return Scope{Owner: b.Subject, All: b.Admin} }

// Verifier checks JWTs.
type Verifier interface {
	// Verify gives whom a token speaks for. *InvalidTokenError when it is not good.
	Verify(ctx context.Context, token string) (Claims, error)
}
