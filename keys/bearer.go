package keys

import "context"

// Bearer is whom a JWT speaks for.
type Bearer struct {
	Subject string // owns the keys issued to it
	Tier    Tier   // a paid one, or "" when the token names none
	Admin   bool   // manages everybody's keys
}

// Scope is whose keys the bearer may see and revoke.
func (b Bearer) Scope() Scope { return Scope{Owner: b.Subject, All: b.Admin} }

// Verifier checks JWTs.
type Verifier interface {
	// Verify gives whom a token speaks for. *BadTokenError when it is not good.
	Verify(ctx context.Context, token string) (Bearer, error)
}
