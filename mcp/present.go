package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/plot"
	"slipstick/result"
	"slipstick/tools/schema"
)

// Size limits in bytes of the first response to a call, excluding pictures. If a result exceeds
// responseLimit, the response contains its key figures, its parts and a shortened form.
const (
	responseLimit    = 8000
	shortStructured  = 3400 // limit of the shortened form
	responseOverhead = 160  // size of the message around text, structured content and links
	keyFigureLimit   = 700  // maximum size of a member that is a key figure
	partsLimit       = 2600 // maximum size of the list of parts

	// Limits with ?results=full.
	fullStructured = 50_000
	fullText       = 20_000
)

// ResultOptions selects the form of results. The zero value is the default.
type ResultOptions struct {
	Full     bool // return results up to 50 kB instead of 8 kB
	NoImages bool // no pictures
}

// ParseResultOptions parses the query parameters results ("brief", "full") and images ("on", "off")
// of the endpoint. "" selects the first value of each.
func ParseResultOptions(results, images string) (o ResultOptions, err error) {
	switch results {
	case "", "brief":
	case "full":
		o.Full = true
	default:
		return o, fmt.Errorf("results: unknown %q; must be brief or full",
			text.Truncate(results, 64))
	}
	switch images {
	case "", "on":
	case "off":
		o.NoImages = true
	default:
		return o, fmt.Errorf("images: unknown %q; must be on or off", text.Truncate(images, 64))
	}
	return o, nil
}

// present returns the response with the result of a tool, shortened if it exceeds the limit. job is
// the id of the job, or "" for a synchronous tool.
func (x *Call) present(raw json.RawMessage, job string) callResult {
	r := callResult{structured: raw}
	full := x.caller.Results.Full
	if full && len(raw) <= fullStructured {
		r.text = readable(x.entry.Output, raw, len(raw) > fullText)
		return r
	}
	if !full && len(raw) <= responseLimit {
		r.text = readable(x.entry.Output, raw, false)
		if quotedLength(r.text)+len(raw)+responseOverhead <= responseLimit {
			return r
		}
	}
	uri, room := "", responseLimit-responseOverhead
	if job != "" {
		r.link = x.jobLink(job, "The result",
			"The result of "+x.entry.Name+" as JSON, at most 256 kB of it")
		uri = r.link.uri
		room -= len(r.link.encode())
	}
	limit := shortStructured
	if full {
		limit, room = fullStructured, 2*maxText
	}
	reduced := raw
	if !full {
		reduced = withoutParts(x.entry.Output, raw)
	}
	short, left := result.Shorten(x.entry.Output, reduced, limit, uri)
	r.structured = short
	if !full {
		room -= len(short)
	}
	var b strings.Builder
	x.writeHead(&b, raw, job, uri)
	if full {
		for _, line := range left {
			b.WriteString("- " + line + "\n")
		}
		b.WriteString(readable(x.entry.Output, short, true))
		r.text = b.String()
		return r
	}
	parts := x.parts(raw, uri)
	b.WriteString(parts)
	b.WriteString(keyFigures(x.entry.Output, raw))
	r.text = b.String()
	if quotedLength(r.text) > room {
		const end = "\n(more in the parts)"
		low, high := 0, len(r.text) // binary search for the longest text that fits
		for low < high-1 {
			if mid := (low + high) / 2; quotedLength(r.text[:mid])+len(end)+8 <= room {
				low = mid
			} else {
				high = mid
			}
		}
		r.text = strings.ToValidUTF8(r.text[:low], "") + end
	}
	return r
}

// presentWithPictures returns the response with the result of a tool and its pictures. The response
// has no pictures if ctx ends before they can be drawn.
func (x *Call) presentWithPictures(
	ctx context.Context, raw json.RawMessage, job string,
) callResult {
	r := x.present(raw, job)
	if x.caller.Results.NoImages || !plot.Draws(x.entry.Output) {
		return r
	}
	select {
	case x.server.drawing <- struct{}{}: // limits the number of pictures drawn concurrently
	case <-ctx.Done():
		return r
	}
	defer func() { <-x.server.drawing }()
	for _, p := range plot.Pictures(x.entry.Title, x.entry.Output, raw, nil) {
		var b bytes.Buffer
		if err := p.Write(&b, plot.PNG); err != nil || b.Len() > plot.MaxPictureBytes {
			x.server.opt.Log.Warn("a picture of a result could not be drawn",
				"request_id", x.caller.RequestID, "tool", x.entry.Name, "picture", p.Name, "bytes",
				b.Len(), "error", err)
			continue
		}
		r.pictures = append(r.pictures, b.Bytes())
	}
	return r
}

// quotedLength returns the length of a text encoded as a JSON string.
func quotedLength(s string) int {
	quoted, _ := json.Marshal(s) // marshaling a string cannot fail
	return len(quoted)
}

// writeHead writes that the result is shortened and where the complete result is.
func (x *Call) writeHead(b *strings.Builder, raw json.RawMessage, job, uri string) {
	fmt.Fprintf(b, "Shortened: the whole result has %s. ", kilobytes(len(raw)))
	switch {
	case job != "":
		fmt.Fprintf(b, "Read its parts as resources below %s", uri)
		if x.caller.Base != "" {
			fmt.Fprintf(b, " (REST: %s/api/jobs/%s)", x.caller.Base, job)
		}
		b.WriteString(", " + x.server.retentionText() + ".\n")
	case x.caller.Base != "":
		fmt.Fprintf(b,
			"POST %s/api/%s with the same arguments returns all of it, and so does this "+
				"call where the endpoint's address has ?results=full.\n", x.caller.Base,
			x.entry.Name)
	default:
		fmt.Fprintf(b, "\"slipstick run %s --json\" with the same arguments returns all of it.\n",
			x.entry.Name)
	}
}

func kilobytes(n int) string {
	if n < 1000 {
		return strconv.Itoa(n) + " B"
	}
	return strconv.Itoa((n+500)/1000) + " kB"
}

// isKeyFigure reports whether a member of a result is small enough to appear in the response.
func isKeyFigure(value []byte) bool { return len(value) <= keyFigureLimit }

// withoutParts returns a result in which long lists of objects and maps of strings, such as the
// zones and files of a board, are empty. It keeps vectors and fields.
func withoutParts(node *schema.Node, raw json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	rawjson.Members(raw, func(name, value []byte) {
		if f := node.Field(string(name)); f != nil && !isKeyFigure(value) {
			switch {
			case f.Kind == schema.Array && f.Elem.Kind == schema.Object:
				value = []byte("[]")
			case f.Kind == schema.Map && f.Elem.Kind == schema.String:
				value = []byte("{}")
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		key, _ := json.Marshal(string(name)) // marshaling a string cannot fail
		out = append(append(append(out, key...), ':'), value...)
	})
	return append(out, '}')
}

// keyFigures returns the small members of a result, one per line, and the range of each vector.
func keyFigures(node *schema.Node, raw json.RawMessage) string {
	small := []byte{'{'}
	var vectors json.RawMessage
	rawjson.Members(raw, func(name, value []byte) {
		if string(name) == "vectors" && value[0] == '{' && !isKeyFigure(value) {
			vectors = value
		}
		if isKeyFigure(value) {
			if len(small) > 1 {
				small = append(small, ',')
			}
			key, _ := json.Marshal(string(name)) // marshaling a string cannot fail
			small = append(append(append(small, key...), ':'), value...)
		}
	})
	out := readable(node, append(small, '}'), true)
	if vectors != nil {
		out = vectorFigures(vectors) + out
	}
	return out
}

// maxVectorFigures is the maximum number of vectors that get a line.
const maxVectorFigures = 8

// vectorFigures returns a line per vector with its minimum, maximum and last value.
func vectorFigures(vectors json.RawMessage) string {
	var b strings.Builder
	values := map[string]json.RawMessage{}
	rawjson.Members(vectors, func(name, value []byte) {
		if value[0] == '[' {
			values[string(name)] = value
		}
	})
	for i, name := range vectorNames(vectors) {
		if i == maxVectorFigures {
			break
		}
		if _, complexValue := values[name+"_mag"]; complexValue {
			name += "_mag"
		}
		minimum, maximum, last := math.Inf(1), math.Inf(-1), math.NaN()
		for _, item := range rawjson.Elements(values[name]) {
			if v, err := strconv.ParseFloat(string(item), 64); err == nil {
				minimum, maximum, last = min(minimum, v), max(maximum, v), v
			}
		}
		if !math.IsNaN(last) {
			fmt.Fprintf(&b, "%s: from %.5g to %.5g, last %.5g\n", name, minimum, maximum, last)
		}
	}
	return b.String()
}

// vectorNames returns the names of the vectors, without sweep variables and with each complex
// vector once. Vectors named as outputs come first, then voltages, then the others.
func vectorNames(vectors []byte) (names []string) {
	seen := map[string]bool{}
	for _, name := range result.Sweeps() {
		seen[name] = true
	}
	rawjson.Members(vectors, func(member, _ []byte) {
		name := strings.TrimSuffix(strings.TrimSuffix(string(member), "_mag"), "_phase_deg")
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	})
	rank := func(name string) int {
		switch {
		case strings.Contains(name, "out"):
			return 0
		case strings.HasPrefix(name, "v("):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// parts lists the members of a result that the response omits, with resource URIs below uri. It
// returns "" if there are none.
func (x *Call) parts(raw json.RawMessage, uri string) string {
	var b strings.Builder
	rawjson.Members(raw, func(member, value []byte) {
		name := string(member)
		if isKeyFigure(value) || b.Len() > partsLimit {
			return
		}
		b.WriteString("- ")
		if uri != "" {
			b.WriteString(uri)
		}
		switch {
		case name == "vectors" && value[0] == '{' && uri != "":
			b.WriteString(vectorPart(value))
		case value[0] == '{' && isTexts(value):
			b.WriteString("/" + name + "/{name}: " + memberSizes(value))
		case value[0] == '{':
			fmt.Fprintf(&b, "/%s: %s", name, kilobytes(len(value)))
		case value[0] == '[':
			n := len(rawjson.Elements(value))
			fmt.Fprintf(&b, "/%s: %d entries, %s", name, n, kilobytes(len(value)))
			if name == "analyses" {
				b.WriteString(analysisPart(value))
			}
		default:
			fmt.Fprintf(&b, "/%s: %s", name, kilobytes(len(value)))
		}
		if len(value) > result.MaxBytes && name != "vectors" && !isTexts(value) {
			b.WriteString("; above 256 kB with ?whole=true")
		}
		b.WriteString("\n")
	})
	return b.String()
}

// isTexts reports whether a value is an object of strings, such as the files of a board. It checks
// only the first member.
func isTexts(object []byte) (texts bool) {
	if object[0] != '{' {
		return false
	}
	first := true
	rawjson.Members(object, func(_, value []byte) {
		if first {
			texts, first = value[0] == '"', false
		}
	})
	return texts
}

// maxNamed is the maximum number of members or vectors named in the list of parts.
const maxNamed = 24

// memberSizes lists the members of an object with their sizes.
func memberSizes(object []byte) string {
	var list []string
	n := 0
	rawjson.Members(object, func(name, value []byte) {
		if n++; n <= maxNamed {
			size := string(name) + " " + kilobytes(len(rawjson.Unquote(value)))
			if len(value) > result.MaxBytes {
				size += " (?whole=true)"
			}
			list = append(list, text.Truncate(size, 80))
		}
	})
	if n > maxNamed {
		list = append(list, fmt.Sprintf("and %d more", n-maxNamed))
	}
	return strings.Join(list, ", ")
}

// vectorPart describes the vectors in the list of parts: a query for one vector, and the names of
// all vectors, at most maxNamed.
func vectorPart(vectors []byte) string {
	names := vectorNames(vectors)
	var sweep, span string
	rawjson.Members(vectors, func(name, value []byte) {
		if sweep != "" || value[0] != '[' || !slices.Contains(result.Sweeps(), string(name)) {
			return
		}
		if items := rawjson.Elements(value); len(items) > 1 {
			sweep = string(name)
			span = fmt.Sprintf("%d points of %s from %s to %s",
				len(items), name, items[0], items[len(items)-1])
		}
	})
	if len(names) == 0 {
		return "/vectors"
	}
	query := "?vectors=" + strings.ReplaceAll(url.QueryEscape(names[0]), "+", "%20")
	if sweep != "" {
		query += "&from=&to=&points=200"
	}
	shown := names[:min(len(names), maxNamed)]
	part := query + ": " + strings.Join(shown, ", ")
	if len(shown) < len(names) {
		part += fmt.Sprintf(" and %d more", len(names)-len(shown))
	}
	if span != "" {
		part += "; " + span
	}
	return part
}

// analysisPart lists the first entries of a list of analyses, each with its index and card.
func analysisPart(list []byte) string {
	var cards []string
	for i, entry := range rawjson.Elements(list) {
		if i < 6 && entry[0] == '{' {
			cards = append(cards,
				fmt.Sprintf("/%d %s", i, text.Truncate(rawjson.Unquote(member(entry, "card")), 40)))
		}
	}
	return "; with the parameters of vectors: " + strings.Join(cards, ", ")
}
