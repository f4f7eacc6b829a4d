package api

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// keyRequest is the optional body of POST /api/keys.
type keyRequest struct {
	Label *string `json:"label" maxLength:"64" example:"build server" doc:"Name shown in the list; at most 64 characters, no control characters"`
}

var keyRequestSchema = schema.Compile[keyRequest]()

// IssuedKey is the response with a new key. No other response contains the key.
type IssuedKey struct {
	Key       string  `json:"key" pattern:"^sl_[0-9a-f]{40}$" doc:"The API key. It is shown once, and stored as a hash only"`
	Tier      string  `json:"tier" enum:"free,developer,network,agent" doc:"Tier of the key"`
	RateLimit string  `json:"rate_limit" doc:"The daily limit in words"`
	ExpiresIn string  `json:"expires_in" doc:"Validity of the key, in words"`
	Usage     string  `json:"usage" doc:"How to send the key"`
	Label     *string `json:"label" doc:"Label as given"`
}

// KeyRecord is an entry in the list of keys.
type KeyRecord struct {
	KeyPrefix    string     `json:"key_prefix" pattern:"^sl_[0-9a-f]{9}$" doc:"The first 12 characters of the key; its name in revocation"`
	Tier         string     `json:"tier" enum:"free,developer,network,agent" doc:"Tier of the key"`
	Label        *string    `json:"label" doc:"Label as given"`
	CreatedAt    time.Time  `json:"created_at" doc:"Time of issue"`
	ExpiresAt    time.Time  `json:"expires_at" doc:"End of validity"`
	LastUsedAt   *time.Time `json:"last_used_at" doc:"Time of its last call, a few seconds behind"`
	RequestCount int64      `json:"request_count" doc:"Calls computed or rejected as invalid, a few seconds behind"`
}

// KeyList is the response of GET /api/keys.
type KeyList struct {
	Keys  []KeyRecord `json:"keys" doc:"Active keys, newest first"`
	Count int         `json:"count" doc:"Number of keys in this response"`
}

// RevokedKey is the response of DELETE /api/keys/{prefix}.
type RevokedKey struct {
	KeyPrefix string    `json:"key_prefix" doc:"The first 12 characters of the key"`
	RevokedAt time.Time `json:"revoked_at" doc:"End of validity; other instances reject the key within 5 s"`
}

// KeyUsage is the response of GET /api/keys/{prefix}/usage.
type KeyUsage struct {
	KeyPrefix string    `json:"key_prefix" doc:"The first 12 characters of the key"`
	From      string    `json:"from" format:"date" doc:"First day, UTC"`
	To        string    `json:"to" format:"date" doc:"Last day, UTC"`
	Calls     int64     `json:"calls" doc:"Calls that count, on all these days"`
	Usage     []ToolDay `json:"usage" doc:"Calls by day and tool"`
}

// ToolDay is the usage of one key, tool and day.
type ToolDay struct {
	Day          string  `json:"day" format:"date" doc:"Day in UTC"`
	Tool         string  `json:"tool" doc:"The tool's name"`
	Calls        int64   `json:"calls" doc:"Calls that count: computed and invalid ones"`
	Computed     int64   `json:"computed" doc:"Calls that were computed"`
	Invalid      int64   `json:"invalid" doc:"Calls that were rejected as invalid"`
	ServerErrors int64   `json:"unserved" doc:"Calls that ended with a server error; they do not count"`
	ComputeMS    float64 `json:"compute_ms" doc:"Computing time of all of them, in milliseconds"`
}

func noKeyService() *problemError { return newProblem(unavailable, "this server manages no keys") }

// issueKey handles POST /api/keys. It issues a free key without an Authorization header and a paid
// key with a valid JWT. An invalid Authorization header is an error.
func (s *Server) issueKey(c *fiber.Ctx) error {
	if s.opt.Keys == nil {
		return noKeyService()
	}
	params := keys.IssueParams{Tier: keys.Free}
	if len(c.Request().Header.PeekAll(fiber.HeaderAuthorization)) > 0 {
		claims, err := s.verifyJWT(c)
		if err != nil {
			return err
		}
		if claims.Tier == "" {
			return invalidTokenProblem(
				&keys.InvalidTokenError{
					Reason: fmt.Sprintf(
						"the token names no tier; a key needs the claim tier: %s, %s or %s",
						keys.Developer, keys.Network, keys.Agent),
				},
			)
		}
		params.Tier, params.Owner = claims.Tier, claims.Subject
	}
	var err error
	if params.Label, err = readLabel(c); err != nil {
		return err
	}
	if !params.Tier.Paid() {
		if err := s.reserveIssuance(c); err != nil {
			return err
		}
	}
	key, record, err := s.opt.Keys.Issue(c.UserContext(), params)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Status(fiber.StatusCreated)
	return writeJSON(c, IssuedKey{
		Key: key, Tier: string(record.Tier), RateLimit: limitText(record.Tier),
		ExpiresIn: lifetimeText(record.Tier.TTL()),
		Usage: "Send it in the header X-Api-Key. It is not shown again; its first 12 characters, " +
			record.Prefix + ", name it.",
		Label: record.Label,
	})
}

// reserveIssuance counts a free key against the limit of the client address. It does not count
// while the key store is unavailable.
func (s *Server) reserveIssuance(c *fiber.Ctx) error {
	if s.opt.IssuanceLimiter == nil {
		return nil
	}
	if err := s.opt.Keys.Ready(c.UserContext()); err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	err := s.opt.IssuanceLimiter.Allow(c.UserContext(), s.clientAddress(c.Context()))
	var limit *keys.LimitError
	if err != nil && !errors.As(err, &limit) {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	return err
}

// readLabel parses the body of POST /api/keys and returns the label.
func readLabel(c *fiber.Ctx) (*string, error) {
	if err := checkMediaType(c); err != nil {
		return nil, err
	}
	body := c.Request().Body()
	if len(body) == 0 {
		return nil, nil
	}
	var in keyRequest
	d, err := keyRequestSchema.Decode(body, &in)
	if err != nil {
		return nil, invalidInputProblem([]schema.FieldError{{Detail: err.Error()}})
	}
	slices.Sort(d.Unknown)
	for _, name := range slices.Compact(d.Unknown) {
		d.FieldErrors = append(d.FieldErrors, schema.FieldError{Path: name,
			Detail: "is not a field of a key request; valid: " +
				strings.Join(tools.ValidFields(name, keyRequestSchema), ", ")})
	}
	if in.Label != nil {
		if detail := tools.LabelError(*in.Label); detail != "" {
			d.FieldErrors = append(d.FieldErrors, schema.FieldError{Path: "label", Detail: detail})
		}
	}
	if len(d.FieldErrors) > 0 {
		return nil, invalidInputProblem(d.FieldErrors)
	}
	return in.Label, nil
}

// limitText returns the daily limit of a tier in words.
func limitText(t keys.Tier) string {
	if t.DailyLimit() == 0 {
		return "unlimited (metered)"
	}
	n := strconv.Itoa(t.DailyLimit())
	if len(n) > 3 {
		n = n[:len(n)-3] + "," + n[len(n)-3:]
	}
	return n + " calls per day"
}

func lifetimeText(d time.Duration) string {
	if h := int(math.Round(d.Hours())); h > 24 {
		return strconv.Itoa(h/24) + " days"
	}
	return strconv.Itoa(int(math.Round(d.Hours()))) + " hours"
}

// keysOnPage is the maximum number of keys per page. The Link header refers to the next page.
const keysOnPage = 1000

// listKeys handles GET /api/keys. It lists the active keys of the JWT subject; an admin gets all
// keys.
func (s *Server) listKeys(c *fiber.Ctx) error {
	claims, err := s.requireJWT(c)
	if err != nil {
		return err
	}
	limit := keysOnPage
	if text := c.Query("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > keysOnPage {
			return invalidQuery("limit", fmt.Sprintf("must be an integer from 1 to %d", keysOnPage))
		}
	}
	// A record beyond the limit indicates that a next page exists.
	records, err := s.opt.Keys.List(c.UserContext(), claims.Scope(),
		keys.Page{After: strings.Clone(c.Query("after")), Limit: limit + 1})
	if err != nil {
		return err
	}
	if len(records) > limit {
		records = records[:limit]
		setNext(c, "/api/keys", url.Values{
			"limit": {strconv.Itoa(limit)}, "after": {records[limit-1].Prefix},
		})
	}
	list := KeyList{Keys: []KeyRecord{}, Count: len(records)}
	for _, r := range records {
		list.Keys = append(
			list.Keys,
			KeyRecord{
				r.Prefix, string(r.Tier), r.Label, r.CreatedAt, r.ExpiresAt, r.LastUsedAt,
				r.RequestCount,
			},
		)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return writeJSON(c, list)
}

// setNext sets the Link header to the next page of a list.
func setNext(c *fiber.Ctx, path string, query url.Values) {
	c.Set(fiber.HeaderLink, "<"+path+"?"+query.Encode()+`>; rel="next"`)
}

// revokeKey handles DELETE /api/keys/{prefix}.
func (s *Server) revokeKey(c *fiber.Ctx) error {
	claims, err := s.requireJWT(c)
	if err != nil {
		return err
	}
	record, err := s.opt.Keys.Revoke(c.UserContext(), claims.Scope(),
		strings.Clone(c.Params("prefix")))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return writeJSON(c, RevokedKey{record.Prefix, *record.RevokedAt})
}

const (
	usageDays    = 30 // default range
	maxUsageDays = 366
)

// keyUsage handles GET /api/keys/{prefix}/usage: it returns the usage per day and tool.
func (s *Server) keyUsage(c *fiber.Ctx) error {
	claims, err := s.requireJWT(c)
	if err != nil {
		return err
	}
	to, err := day(c, "to", s.opt.Now().UTC().Truncate(24*time.Hour))
	if err != nil {
		return err
	}
	from, err := day(c, "from", to.AddDate(0, 0, 1-usageDays))
	if err != nil {
		return err
	}
	if days := int(to.Sub(from).Hours()/24) + 1; days < 1 || days > maxUsageDays {
		return invalidQuery("from",
			fmt.Sprintf("must be at most %d days before to, and not after it", maxUsageDays-1))
	}
	prefix := strings.Clone(c.Params("prefix"))
	uses, err := s.opt.Keys.Usage(c.UserContext(), claims.Scope(), prefix, from, to)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return writeJSON(c, usageOf(prefix, from, to, uses))
}

// day parses a date in the query. For a missing parameter it returns the given default.
func day(c *fiber.Ctx, name string, otherwise time.Time) (time.Time, error) {
	text := c.Query(name)
	if text == "" {
		return otherwise, nil
	}
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return d, invalidQuery(name, "must be a date such as 2026-01-31")
	}
	return d, nil
}

// usageOf sums the usage records of each day and tool over their outcomes. The records of a day and
// tool must be adjacent in uses.
func usageOf(prefix string, from, to time.Time, uses []keys.UsageRecord) KeyUsage {
	all := KeyUsage{
		KeyPrefix: prefix, From: from.Format(time.DateOnly), To: to.Format(time.DateOnly),
		Usage: []ToolDay{},
	}
	for _, u := range uses {
		on, n := u.Day.Format(time.DateOnly), len(all.Usage)
		if n == 0 || all.Usage[n-1].Day != on || all.Usage[n-1].Tool != u.Tool {
			all.Usage = append(all.Usage, ToolDay{Day: on, Tool: u.Tool})
			n++
		}
		line := &all.Usage[n-1]
		switch u.Outcome {
		case keys.Computed:
			line.Computed += u.Calls
		case keys.Invalid:
			line.Invalid += u.Calls
		case keys.ServerError:
			line.ServerErrors += u.Calls
		}
		line.Calls += u.CountedCalls()
		line.ComputeMS += u.ComputeMS
		all.Calls += u.CountedCalls()
	}
	return all
}

func invalidQuery(name, detail string) *problemError {
	p := newProblem(badRequest, "%s: %s", name, detail)
	p.fieldErrors = []schema.FieldError{{Path: name, Detail: detail}}
	return p
}
