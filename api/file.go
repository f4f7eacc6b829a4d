package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/gofiber/fiber/v2"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/result"
	"slipstick/tools"
	"slipstick/worker"
)

// formatField is the input field that selects the format of a result.
const formatField = "format"

// acceptedFile returns the file of a tool that the client prefers to JSON, or nil. A wildcard means
// JSON.
func acceptedFile(accept string, tool *tools.Tool) *tools.File {
	if len(tool.Files) == 0 || accept == "" {
		return nil
	}
	weights := mediaWeights(accept)
	best, weight := (*tools.File)(nil), weights["application/json"]
	for i, f := range tool.Files {
		if weights[f.MediaType] > weight {
			best, weight = &tool.Files[i], weights[f.MediaType]
		}
	}
	return best
}

// mediaWeights returns the weight of each media type in an Accept header. A wildcard means JSON.
func mediaWeights(accept string) map[string]float64 {
	weights := map[string]float64{}
	for part := range strings.SplitSeq(accept, ",") {
		media, parameters, _ := strings.Cut(part, ";")
		weight := 1.0
		for p := range strings.SplitSeq(parameters, ";") {
			name, value, _ := strings.Cut(p, "=")
			if w, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil &&
				strings.EqualFold(strings.TrimSpace(name), "q") {
				weight = w
			}
		}
		media = strings.ToLower(strings.TrimSpace(media))
		if media == "*/*" || media == "application/*" {
			media = "application/json"
		}
		weights[media] = max(weights[media], weight)
	}
	return weights
}

// withFormat sets the format of a file in the body of a request. It returns an error if the body
// has a different format. It returns a body that is not an object unchanged because the tool
// rejects it.
func withFormat(body []byte, file *tools.File) ([]byte, error) {
	fields := rawjson.Object(body)
	if fields == nil {
		return body, nil
	}
	var format string
	if raw, ok := fields[formatField]; ok &&
		(json.Unmarshal(raw, &format) != nil || format != file.Format) {
		return body, tools.Invalid(formatField,
			"is not %s, which Accept: %s asks for; give one of them", file.Format, file.MediaType)
	}
	fields[formatField] = json.RawMessage(strconv.Quote(file.Format))
	return json.Marshal(fields)
}

// jobFile returns the file that the client prefers to the JSON of a job, or nil.
func (s *Server) jobFile(c *fiber.Ctx, job *worker.Job) *tools.File {
	tool, err := s.opt.Catalog.FindQueued(job.Tool)
	if err != nil || job.State != worker.Done || len(tool.Files) == 0 {
		return nil
	}
	addVary(&c.Response().Header, fiber.HeaderAccept)
	return acceptedFile(c.Get(fiber.HeaderAccept), tool.Tool)
}

// sendFile writes the file of a result. sent is false if the result does not contain the file, for
// example because it has another format.
func (s *Server) sendFile(c *fiber.Ctx, job *worker.Job, file *tools.File) (sent bool, err error) {
	raw, release, err := job.Outcome.Read(c.UserContext(), s.readerOf(c))
	if err != nil {
		var limit *worker.ReadLimitError
		if errors.As(err, &limit) { // the client can fetch the stored result later
			c.Set(fiber.HeaderLocation, jobPath(job.ID))
		}
		return false, err
	}
	content, err := fileIn(raw, file)
	release()
	if err != nil || content == nil {
		return false, err
	}
	h := &c.Response().Header
	h.SetContentType(file.MediaType)
	if strings.HasPrefix(file.MediaType, "text/") {
		h.SetContentType(file.MediaType + "; charset=utf-8")
	}
	h.Set(fiber.HeaderLink, "<"+jobPath(job.ID)+`>; rel="describedby"`) // the job has the warnings
	return true, s.sendCounted(c, content)
}

// fileIn returns the file in a result, or nil. The file must be the first member.
func fileIn(result []byte, file *tools.File) ([]byte, error) {
	rest, found := bytes.CutPrefix(result, []byte(`{"`+file.Format+`":"`))
	if !found {
		return nil, nil
	}
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return nil, fmt.Errorf("the %s of a result has no end", file.Format)
	}
	if file.Base64 {
		content := make([]byte, base64.StdEncoding.DecodedLen(end))
		n, err := base64.StdEncoding.Decode(content, rest[:end])
		return content[:n], err
	}
	var content string
	err := json.Unmarshal(result[len(result)-len(rest)-1:len(result)-len(rest)+end+1], &content)
	return []byte(content), err
}

// headerWarnings is the header for the warnings of a result whose format cannot contain them: a
// JSON list in ASCII.
const headerWarnings = "Slipstick-Warnings"

// maxWarningsHeader is the maximum length of headerWarnings in bytes. Longer lists are replaced by
// their count.
const maxWarningsHeader = 2000

// prefersCSV reports whether the client prefers CSV to JSON.
func prefersCSV(c *fiber.Ctx) bool {
	accept := c.Get(fiber.HeaderAccept)
	if !strings.Contains(strings.ToLower(accept), csvType) {
		return false
	}
	weights := mediaWeights(accept)
	return weights[csvType] > weights["application/json"]
}

// writeCSV writes a table of a result as CSV: the table that the query selects, or the first. A
// result without a table becomes one row.
func (s *Server) writeCSV(c *fiber.Ctx, tool *tools.Entry, raw []byte) error {
	values, err := result.Decode(raw)
	if err != nil {
		return err
	}
	name := string(c.Context().QueryArgs().Peek(tableParameter))
	table, names, ok := result.ChooseTable(tool.Output, values, name)
	if !ok && len(names) == 0 {
		return tools.InvalidValue(tableParameter, text.Truncate(name, 60),
			"this result has no table")
	}
	if !ok {
		return tools.Invalid(tableParameter, "must be one of %s, got %q",
			strings.Join(names, ", "), text.Truncate(name, 60))
	}
	if warnings, _ := values["warnings"].([]any); len(warnings) > 0 {
		value := asciiJSON(warnings)
		if len(value) > maxWarningsHeader {
			value = fmt.Sprintf(`["%d warnings; the JSON response has them"]`, len(warnings))
		}
		c.Set(headerWarnings, value)
	}
	addVary(&c.Response().Header, fiber.HeaderAccept)
	c.Response().Header.SetContentType(csvType + "; charset=utf-8")
	return table.WriteCSV(c.Response().BodyWriter())
}

// tableParameter is the query parameter that selects the table of a CSV response.
const tableParameter = "table"

// asciiJSON returns the JSON of a value. It escapes all characters outside ASCII.
func asciiJSON(v any) string {
	raw, _ := json.Marshal(v) // cannot fail: the value is decoded JSON
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(string(raw))) {
		if unit < 0x80 {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
