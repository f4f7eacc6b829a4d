package api

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/keys"
)

// requireJWT verifies the JWT that key management endpoints require and returns its claims.
func (s *Server) requireJWT(c *fiber.Ctx) (keys.Claims, error) {
	if s.opt.Keys == nil {
		return keys.Claims{}, noKeyService()
	}
	return s.verifyJWT(c)
}

// verifyJWT verifies the JWT in the Authorization header and returns its claims. The header must
// occur exactly once.
func (s *Server) verifyJWT(c *fiber.Ctx) (keys.Claims, error) {
	values := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
	if len(values) == 0 {
		p := newProblem(noAuthorization,
			"this request requires a JWT; send the header Authorization: Bearer <JWT>")
		p.challenge = "Bearer"
		return keys.Claims{}, p
	}
	scheme, token, _ := strings.Cut(string(values[0]), " ")
	token = strings.Trim(token, " ")
	switch {
	case len(values) > 1:
		return keys.Claims{}, invalidTokenProblem(
			&keys.InvalidTokenError{Reason: "the request has more than one Authorization header"},
		)
	case !strings.EqualFold(scheme, "Bearer") || token == "" || strings.Contains(token, " "):
		return keys.Claims{}, invalidTokenProblem(
			&keys.InvalidTokenError{
				Reason: "the header Authorization must be Bearer, a space and a JWT"},
		)
	case s.opt.Tokens == nil:
		return keys.Claims{}, invalidTokenProblem(
			&keys.InvalidTokenError{Reason: "this server accepts no JWTs"},
		)
	}
	return s.opt.Tokens.Verify(c.UserContext(), token)
}

// invalidTokenProblem returns the problem of an invalid JWT (RFC 6750).
func invalidTokenProblem(e *keys.InvalidTokenError) *problemError {
	p := newProblem(noAuthorization, "%s", e.Reason)
	p.challenge = `Bearer error="invalid_token", error_description="` + strings.NewReplacer(`"`,
		"'", `\`, "").Replace(e.Reason) + `"`
	return p
}
