// Package slipstick is a client of the Slipstick service. It calls tools with typed inputs and
// results, waits for long computations, reports progress, and runs batches.
//
//	c := slipstick.New("http://localhost:8080")
//	loss, err := c.Fspl(ctx, slipstick.FsplInput{FreqMhz: 915, DistKm: 5})
//
// Optional fields of inputs are pointers, such as new(0.5). Methods return an *Error for a problem
// document of the service, and the error of the context if the context ends.
package slipstick

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Client is a client of one service. It is safe for concurrent use.
type Client struct {
	base, key string
	http      *http.Client
	attempts  int
	maxRetry  time.Duration
}

// Option configures a Client.
type Option func(*Client)

// WithAPIKey sends an API key with every request.
func WithAPIKey(key string) Option { return func(c *Client) { c.key = key } }

// WithHTTPClient sends requests with h. Its Timeout should be zero, because contexts limit the
// time.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries sets the maximum number of attempts per request (default 4) and the longest
// Retry-After that the client waits for (default 30 s). The client retries after a lost connection,
// and after 409, 429 and 503 with a Retry-After header.
func WithRetries(attempts int, longest time.Duration) Option {
	return func(c *Client) { c.attempts, c.maxRetry = max(1, attempts), longest }
}

// New returns a client of the service at a base URL such as http://localhost:8080.
func New(base string, options ...Option) *Client {
	c := &Client{
		base: strings.TrimRight(base, "/"), http: &http.Client{}, attempts: 4,
		maxRetry: 30 * time.Second,
	}
	for _, o := range options {
		o(c)
	}
	return c
}

// Error is the problem document (RFC 9457) of a request that was rejected or failed.
type Error struct {
	Problem
	RetryAfter time.Duration // value of the Retry-After header; 0 without one
}

// Error returns the detail and the status code.
func (e *Error) Error() string { return fmt.Sprintf("slipstick: %s (%d)", e.Detail, e.Status) }

// CallOption configures a call of a tool.
type CallOption func(*callOptions)

type callOptions struct{ progress func(Job) }

// OnProgress calls f with each state of a queued job.
func OnProgress(f func(Job)) CallOption { return func(o *callOptions) { o.progress = f } }

// waitS is the maximum time in seconds that a request waits for a job.
const waitS = 20

// call calls a tool and decodes its result.
func call[R any](
	ctx context.Context, c *Client, tool string, in any, options []CallOption,
) (*R, error) {
	e, err := c.Call(ctx, tool, in, options...)
	if err != nil {
		return nil, err
	}
	result := new(R)
	return result, json.Unmarshal(e.Result, result)
}

// Call calls a tool by its name. The input in is encoded as JSON. Call waits for a queued job, and
// cancels the job if ctx ends.
func (c *Client) Call(
	ctx context.Context, tool string, in any, options ...CallOption,
) (*Envelope, error) {
	var o callOptions
	for _, set := range options {
		set(&o)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	prefer := "wait=" + strconv.Itoa(waitS)
	if o.progress != nil {
		prefer = "respond-async" // for queued tools; other tools respond at once
	}
	res, err := c.send(ctx, "POST", "/api/"+tool, body, "Prefer", prefer)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusAccepted {
		defer res.Body.Close()
		return decode[Envelope](res)
	}
	return c.finish(ctx, res, o.progress)
}

// finish waits for the job of a 202 response and closes the response. It cancels the job if ctx
// ends.
func (c *Client) finish(
	ctx context.Context, res *http.Response, progress func(Job),
) (*Envelope, error) {
	job, err := decode[Job](res)
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	if progress != nil {
		progress(*job)
	}
	job, err = c.follow(ctx, job.ID, progress)
	if err != nil {
		if ctx.Err() != nil {
			c.abandon(ctx, job.ID)
		}
		return nil, err
	}
	if job.Problem != nil {
		return nil, &Error{Problem: *job.Problem}
	}
	return job.Result, nil
}

// follow waits for the end of a job. If progress is not nil, it reads the events of the job first.
// The returned job is never nil.
func (c *Client) follow(ctx context.Context, id string, progress func(Job)) (*Job, error) {
	job := &Job{ID: id}
	if progress != nil {
		for event, err := range c.events(ctx, "/api/jobs/"+id+"/events") {
			if err != nil || event.Name == "end" {
				break // polling reports the error
			}
			if event.Name == "job" && json.Unmarshal(event.Data, job) == nil {
				progress(*job)
			}
		}
	}
	for {
		res, err := c.send(ctx, "GET", "/api/jobs/"+id, nil, "Prefer", "wait="+strconv.Itoa(waitS))
		if err != nil {
			return job, err
		}
		next, err := decode[Job](res)
		_ = res.Body.Close()
		if err != nil {
			return job, err
		}
		if job = next; job.FinishedAt != nil {
			return job, nil
		}
		if progress != nil {
			progress(*job)
		}
		if res.Header.Get("Preference-Applied") == "" { // the service did not wait
			if err := sleep(ctx, retryAfter(res)); err != nil {
				return job, err
			}
		}
	}
}

// abandon cancels a job whose caller has stopped waiting. It ignores errors.
func (c *Client) abandon(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if res, err := c.once(ctx, "DELETE", "/api/jobs/"+id, nil); err == nil {
		_ = res.Body.Close()
	}
}

// IssueKey issues a free API key. Retries of the request return the same key.
func (c *Client) IssueKey(ctx context.Context, label string) (*IssuedKey, error) {
	body, err := json.Marshal(map[string]string{"label": label})
	if err != nil {
		return nil, err
	}
	return request[IssuedKey](ctx, c, "POST", "/api/keys", body, "Idempotency-Key", rand.Text())
}

// request sends a request and decodes its response.
func request[T any](
	ctx context.Context, c *Client, method, path string, body []byte, headers ...string,
) (*T, error) {
	res, err := c.send(ctx, method, path, body, headers...)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return decode[T](res)
}

func decode[T any](res *http.Response) (*T, error) {
	v := new(T)
	if err := json.NewDecoder(res.Body).Decode(v); err != nil {
		return nil, fmt.Errorf("slipstick: the response is not valid: %w", err)
	}
	return v, nil
}

// send sends a request until it gets a response with a status below 400 or an error that a retry
// cannot resolve. It makes at most Client.attempts attempts. Every request is safe to repeat: calls
// of tools have no side effects, and requests that create something have an Idempotency-Key.
func (c *Client) send(
	ctx context.Context, method, path string, body []byte, headers ...string,
) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		res, err := c.once(ctx, method, path, body, headers...)
		if err == nil && res.StatusCode < 400 {
			return res, nil
		}
		wait := 100 * time.Millisecond << attempt
		if err == nil {
			problem := readProblem(res)
			err, wait = problem, problem.RetryAfter
			repeatable := wait > 0 &&
				(problem.Status == 429 || problem.Status == 503 || problem.Status == 409)
			if !repeatable || wait > c.maxRetry {
				return nil, err
			}
		}
		if ctx.Err() != nil || attempt >= c.attempts {
			return nil, err
		}
		if e := sleep(ctx, wait); e != nil {
			return nil, errors.Join(e, err)
		}
	}
}

// once sends a request without retries. headers contains names and values alternately.
func (c *Client) once(
	ctx context.Context, method, path string, body []byte, headers ...string,
) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("X-Api-Key", c.key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return c.http.Do(req)
}

// readProblem reads the problem document of a response and closes the response.
func readProblem(res *http.Response) *Error {
	defer res.Body.Close()
	e := &Error{RetryAfter: retryAfter(res)}
	raw, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	// not from the service, but from a proxy
	if json.Unmarshal(raw, &e.Problem) != nil || e.Detail == "" {
		e.Problem = Problem{Title: res.Status, Detail: res.Status}
	}
	e.Status = res.StatusCode
	return e
}

func retryAfter(res *http.Response) time.Duration {
	s, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return time.Duration(s) * time.Second
}

// sleep waits for d. It returns the error of ctx if ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
