package api

import (
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/tools/schema"
)

// problemType is a problem type (RFC 9457). Its name is part of the API and never changes.
type problemType struct {
	name   string // last segment of the type URI
	status int
	title  string
	doc    string // meaning and remedy, shown at GET /problems/{name}
}

// Problem types of the service.
var (
	invalidInput = problemType{"invalid-input", 400, "Invalid input", "The body is not JSON, or fields are missing, out of range or contradict each other. The list errors names each of them; correct them and send again."}
	badRequest   = problemType{"bad-request", 400, "Bad request",
		"The request could not be understood as HTTP, or a query parameter is wrong."}
	noAuthorization = problemType{"unauthorized", 401, "JWT authorization required", "Managing keys needs a JWT in the header Authorization: Bearer <JWT>. The detail gives the error of the one that was sent."}
	badKey          = problemType{"bad-key", 401, "Invalid API key", "The key is unknown, expired or revoked; the detail gives the reason. Leave the header X-Api-Key out to call anonymously, or get a key with POST /api/keys."}
	pageOnly        = problemType{"page-only", 403, "Reserved for the page", "This path computes for the page of the service. Use POST /api/{tool}; from the page itself, load it again."}
	notYourJob      = problemType{"not-your-job", 403, "Not the job's owner", "A job is cancelled by callers that submitted or joined it: send the same API key, or none from the same address."}
	forbidden       = problemType{"forbidden", 403, "Forbidden", "The request comes from a web page that may not use this path, or names a host that is not this one. The detail gives the allowed values."}
	notFound        = problemType{"not-found", 404, "Not found",
		"This path does not exist. GET /api lists the tools, GET /api/docs describes every path."}
	toolNotFound = problemType{"tool-not-found", 404, "Tool not found",
		"No tool has this name; the detail gives the nearest names. GET /api lists all of them."}
	jobNotFound = problemType{"job-not-found", 404, "Job not found",
		"The id is unknown, or the result has expired. Send the computation again."}
	batchNotFound    = problemType{"batch-not-found", 404, "Batch not found", "The id is unknown, belongs to another caller, or the batch is no longer kept: results are deleted a day after the end, or earlier for newer ones. Send the same API key, or none from the same address."}
	resultDropped    = problemType{"result-dropped", 410, "Result no longer stored", "The job is done, but its result was dropped before its time; the detail says why. Stored results have a byte budget, in total and for each caller. Send the computation again; ask for fewer points or outputs to get a smaller result."}
	keyNotFound      = problemType{"key-not-found", 404, "Key not found", "You have no active key with this prefix; it may be revoked. GET /api/keys lists your active keys."}
	methodNotAllowed = problemType{"method-not-allowed", 405, "Method not allowed",
		"The path exists, but not with this method; the header Allow lists the methods it has."}
	notAcceptable  = problemType{"not-acceptable", 406, "Not acceptable", "The header Accept allows none of the media types that the response can have; the detail names them."}
	requestTimeout = problemType{"request-timeout", 408, "The request took too long to arrive",
		"The request was not complete in time. Send it again in one go."}
	jobCancelled  = problemType{"job-cancelled", 409, "The job was cancelled", "Somebody cancelled the job before it was finished. Send the computation again to start a new one."}
	tooManyKeys   = problemType{"too-many-keys", 409, "Too many active keys", "The owner of the JWT has as many active keys as one may have; the detail gives the number. Revoke one that is not used any more with DELETE /api/keys/{prefix}; GET /api/keys lists them."}
	keyInProgress = problemType{"request-in-progress", 409, "The request is in progress", "A request with the same Idempotency-Key is being executed. Send it again after the seconds in Retry-After: the response is then that of the first request."}
	keyReused     = problemType{"idempotency-key-reused", 422,
		"The Idempotency-Key belongs to another request", "The key was sent within the last 24 hours with another path or body. Send a new request with a new key, and a repeated one unchanged."}
	bodyTooLarge = problemType{"body-too-large", 413, "The body is too large",
		"The detail gives the limit in bytes."}
	wrongMediaType  = problemType{"unsupported-media-type", 415, "Unsupported media type", "A computation takes JSON. Send the header Content-Type: application/json and no Content-Encoding."}
	tooManyRequests = problemType{"too-many-requests", 429, "Too many requests",
		"A limit is used up; the detail names it. Try again after the seconds in Retry-After."}
	limitReached    = problemType{"limit-reached", 429, "Limit reached", "The calls of the day are used up, or requests arrive too fast; the detail names the limit, as do the headers RateLimit-Policy and RateLimit. Send the call again after the seconds in Retry-After. A key from POST /api/keys raises the daily limit."}
	headersTooLarge = problemType{"headers-too-large", 431, "Headers too large",
		"The detail gives the limit in bytes."}
	internal  = problemType{"internal", 500, "Internal error", "This is a defect of the service. The log holds the cause under the request id; please report it."}
	jobFailed = problemType{"job-failed", 500, "Job failed", "The computation crashed repeatedly or could not be finished. The detail has the cause, if it is known."}
	busy      = problemType{"busy", 503, "Too busy",
		"The queue accepts no more jobs at present. Try again after the seconds in Retry-After."}
	unavailable = problemType{"unavailable", 503, "Temporarily unavailable",
		"A dependency of this request is unavailable. Try again after the seconds in Retry-After."}
	timeLimit = problemType{"time-limit", 504, "Time limit reached", "The computation was stopped at its time limit. Request less: fewer points, a shorter time, a smaller board."}
)

// problemTypes returns all problem types, sorted by status.
func problemTypes() []problemType {
	return []problemType{
		invalidInput, badRequest, noAuthorization, badKey, forbidden, pageOnly,
		notYourJob, notFound,
		toolNotFound, jobNotFound, batchNotFound, keyNotFound, methodNotAllowed, notAcceptable,
		requestTimeout, jobCancelled, tooManyKeys, keyInProgress, resultDropped, bodyTooLarge,
		wrongMediaType, keyReused, tooManyRequests, limitReached, headersTooLarge,
		internal, jobFailed,
		busy, unavailable, timeLimit,
	}
}

func (k problemType) uri() string { return "/problems/" + k.name }

// Problem is a problem document (RFC 9457).
type Problem struct {
	Type      string       `json:"type" format:"uri-reference" doc:"Type of the problem: a path with its explanation"`
	Title     string       `json:"title" doc:"Type of the problem in words"`
	Status    int          `json:"status" doc:"The HTTP status"`
	Detail    string       `json:"detail" doc:"The cause in words; names every invalid field"`
	Instance  string       `json:"instance" format:"uri" doc:"This occurrence, as a URN made of the request id"`
	RequestID string       `json:"request_id" doc:"Value of the header X-Request-Id; quote it in reports"`
	Errors    []FieldError `json:"errors,omitempty" doc:"Every invalid field"`
	// Corrected is nil if no correction is known.
	Corrected json.RawMessage `json:"corrected,omitempty" doc:"The body as probably intended; absent if unknown"`
	Changes   []string        `json:"changes,omitempty" doc:"How corrected differs from the body"`
}

// FieldError describes an invalid field.
type FieldError struct {
	Pointer string          `json:"pointer" format:"json-pointer" doc:"JSON Pointer into the body; empty for the whole body. A query parameter is like a field"`
	Field   string          `json:"field" doc:"Location in dot notation, such as stages[1].nf_db"`
	Detail  string          `json:"detail" doc:"The error and the allowed values"`
	Value   json.RawMessage `json:"value,omitempty" doc:"The given value, shortened"`
	Line    int             `json:"line,omitempty" doc:"Line of the error in a text of several lines, such as a netlist, from 1"`
}

// problemError is an error that holds the content of a Problem. Handlers return it, or an error
// that toProblem converts.
type problemError struct {
	problemType
	detail      string
	fieldErrors []schema.FieldError
	corrected   json.RawMessage  // corrected body; nil if unknown
	changes     []string         // how corrected differs from the body
	challenge   string           // value of WWW-Authenticate; "" for none
	accepts     [2]string        // response header with the accepted types; "" for none
	retry       time.Duration    // value of Retry-After; 0 for none
	limit       *keys.LimitError // limit for the RateLimit headers; nil for none
}

// Error returns the detail of the problem.
func (p *problemError) Error() string { return p.detail }

func (p *problemError) retryAfter(d time.Duration) *problemError {
	p.retry = d
	return p
}

func (p *problemError) withAccept(header, value string) *problemError {
	p.accepts = [2]string{header, value}
	return p
}

// Maximum length of echoed text in bytes. Field names come from the caller and may be as long as
// the body.
const (
	maxField  = 200
	maxDetail = 4000
)

// problem returns the problem document for the request with the given id.
func (p *problemError) problem(requestID string) Problem {
	document := Problem{
		Type: p.uri(), Title: p.title, Status: p.status, Detail: text.Truncate(p.detail, maxDetail),
		Instance: "urn:slipstick:request:" + requestID, RequestID: requestID,
	}
	if document.Detail == "" {
		document.Detail = p.doc
	}
	document.Corrected, document.Changes = p.corrected, p.changes
	for _, x := range p.fieldErrors {
		document.Errors = append(
			document.Errors,
			FieldError{
				text.Truncate(x.Pointer(), maxField), text.Truncate(x.Path, maxField),
				text.Truncate(x.Detail, maxDetail),
				x.Value, x.Line,
			},
		)
	}
	return document
}

type problemTypeDocument struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func (k problemType) document() problemTypeDocument {
	return problemTypeDocument{k.uri(), k.title, k.status, k.doc}
}

// problems handles GET /problems.
func (s *Server) problems(c *fiber.Ctx) error {
	var all []problemTypeDocument
	for _, k := range problemTypes() {
		all = append(all, k.document())
	}
	return writeJSON(c, all)
}

// problem handles GET /problems/{name}.
func (s *Server) problem(c *fiber.Ctx) error {
	for _, k := range problemTypes() {
		if k.name == c.Params("kind") {
			return writeJSON(c, k.document())
		}
	}
	return newProblem(notFound, "this type of problem does not exist; GET /problems lists them")
}
