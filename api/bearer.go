package api

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/keys"
)

// manager is whom the request's JWT speaks for, on the endpoints that need one.
func (s *Server) manager(c *fiber.Ctx) (keys.Claims, error) {
	if s.opt.Keys == nil {
		return keys.Claims{}, noKeys()
	}
	return s.bearer(c)
}

// bearer checks the one Authorization header that a request must have here.
func (s *Server) bearer(c *fiber.Ctx) (keys.Claims, error) {
	given := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
	if len(given) == 0 {
		f := failed(noAuthorization, "this needs a JWT; send the header Authorization: Bearer <JWT>")
		f.challenge = "Bearer"
		return keys.Claims{}, f
	}
	scheme, token, _ := strings.Cut(string(given[0]), " ")
	token = strings.Trim(token, " ")
	switch {
	case len(given) > 1:
		return keys.Claims{}, unauthorized(&keys.InvalidTokenError{Reason: "the request has more than one Authorization header"})
	case !strings.EqualFold(scheme, "Bearer") || token == "" || strings.Contains(token, " "):
		return keys.Claims{}, unauthorized(&keys.InvalidTokenError{Reason: "the header Authorization must be Bearer, a space and a JWT"})
	case s.opt.Tokens == nil:
		return keys.Claims{}, unauthorized(&keys.InvalidTokenError{Reason: "this server accepts no JWTs"})
	}
	return s.opt.Tokens.Verify(c.UserContext(), token)
}

// unauthorized is the answer to a token that is not good (RFC 6750).
func unauthorized(e *keys.InvalidTokenError) *failure {
	f := failed(noAuthorization, "%s", e.Reason)
	f.challenge = `Bearer error="invalid_token", error_description="` + strings.NewReplacer(`"`, "'", `\`, "").Replace(e.Reason) + `"`
	return f
}
