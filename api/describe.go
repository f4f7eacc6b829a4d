package api

import (
	"maps"
	"slices"
	"time"

	"slipstick/api/openapi"
	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker"
)

// exampleTime is the time in examples. It is constant so that the ETag is constant.
var exampleTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const exampleRequest = "5f3a90c2d1e84b76"

// openAPI returns the OpenAPI document.
func openAPI(catalog *tools.Catalog) openapi.Specification {
	examples := problemExamples()
	problems := make([]openapi.Problem, 0, len(examples))
	for _, status := range slices.Sorted(maps.Keys(examples)) {
		p := examples[status]
		problems = append(problems, openapi.Problem{
			Status: status, Title: p.title, Example: p.problem(exampleRequest),
			RetryAfter: p.retry > 0 ||
				p.limit != nil,
			RateLimit: p.limit != nil, Challenge: p.challenge != "",
		})
	}
	return openapi.Document(openapi.Service{
		Catalog: catalog, Models: models(), Problems: problems,
		KeyRequest: keyRequestSchema.JSONSchema(), BatchRequest: batch.Schema().JSONSchema(),
		KeyHeader: headerKey, MaxKeys: keysOnPage, MaxRows: maxBatchRows,
		ServicePaths: map[string]string{designsService: designsPath},
	})
}

// models returns one value of each response struct. A nonzero value is also an example in the
// OpenAPI document.
func models() []any {
	record := KeyRecord{
		KeyPrefix: "sl_012345678", Tier: "developer", CreatedAt: exampleTime,
		ExpiresAt: exampleTime.AddDate(0, 0, 30), RequestCount: 42, LastUsedAt: &exampleTime,
	}
	job := worker.Job{
		ID: "0123456789abcdef0123456789abcdef", Tool: "spice_simulate", Version: "1.0.0",
		State: worker.Running, Progress: tools.Progress{Phase: "transient", Percent: 40},
		EnqueuedAt: exampleTime,
	}
	return []any{
		tools.Listing{}, tools.Metadata{}, tools.Envelope{}, Problem{}, Health{}, Readiness{},
		(&Server{}).toJob(job, exampleRequest, nil),
		IssuedKey{
			Key: "sl_0123456789abcdef0123456789abcdef01234567", Tier: "free",
			RateLimit: "5,000 calls per day", ExpiresIn: "24 hours",
			Usage: "Send it in the header X-Api-Key. It is not shown again; its first 12 characters, sl_012345678, name it.",
		},
		KeyList{Keys: []KeyRecord{record}, Count: 1},
		RevokedKey{record.KeyPrefix, exampleTime},
		KeyUsage{
			KeyPrefix: record.KeyPrefix, From: "2026-01-01", To: "2026-01-30", Calls: 42,
			Usage: []ToolDay{
				{Day: "2026-01-01", Tool: "fspl", Calls: 42, Computed: 40, Invalid: 2,
					ComputeMS: 3.5},
			},
		},
		service.Batch{}, BatchList{}, BatchRun{}, batch.Columns{}, batch.DryRun{},
	}
}

// problemExamples returns a typical problem for each status.
func problemExamples() map[string]*problemError {
	return map[string]*problemError{
		"400": invalidInputProblem([]schema.FieldError{{Path: "dist_km",
			Detail: "must be greater than 0", Value: []byte("-5")}}),
		"401": invalidTokenProblem(&keys.InvalidTokenError{Reason: "the token has expired"}),
		"403": newProblem(notYourJob, ""),
		"404": toProblem(&tools.NotFoundError{Name: "fslp", Nearest: []string{"fspl"}}),
		"409": newProblem(jobCancelled, "the job was cancelled"),
		"410": newProblem(resultDropped, ""),
		"413": newProblem(bodyTooLarge, "the body is larger than 1048576 bytes"),
		"415": newProblem(wrongMediaType,
			"the body has no Content-Type; send the header Content-Type: application/json"),
		"429": toProblem(&keys.LimitError{Reason: "without a key your address has used its 200 calls of today; the day ends at 00:00 UTC; a free key from POST /api/keys has 5000 calls per day", RetryAfter: 90 * time.Minute}),
		"500": newProblem(internal, ""),
		"503": toProblem(&worker.BusyError{RetryAfter: 2e9, Reason: "the queue is full"}),
		"504": newProblem(timeLimit, ""),
	}
}
