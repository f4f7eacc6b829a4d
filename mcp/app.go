package mcp

import (
	"context"
	"crypto/sha256"
	_ "embed" // the files of the app
	"encoding/base64"
	"fmt"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/plot"
	"slipstick/tools"
)

// Extension name, media type and URI of the MCP App for results (SEP-1865, MCP Apps of 2026-01-26).
// A host shows it next to results that contain curves, fields or boards.
const (
	appsExtension = "io.modelcontextprotocol/ui"
	appMediaType  = "text/html;profile=mcp-app"
	appURI        = "ui://slipstick/app"
)

//go:embed app/app.js
var appScript string

//go:embed app/app.css
var appStyle string

// extensions returns the protocol extensions that the server supports.
func extensions() map[string]any {
	return map[string]any{
		appsExtension:  map[string]any{"mimeTypes": []string{appMediaType}},
		tasksExtension: map[string]any{},
	}
}

// appOf returns the _meta of a tool in tools/list, which refers to the app that shows the tool's
// results. It returns nil for a tool without pictures.
func appOf(e *tools.Entry) map[string]any {
	if !plot.Draws(e.Output) {
		return nil
	}
	return appMeta()
}

// appMeta returns the _meta of a tool whose results the app shows.
func appMeta() map[string]any {
	return map[string]any{"ui": map[string]any{"resourceUri": appURI}}
}

// appPage returns the app as one HTML document. Its content security policy allows only its own
// script and style and images in data URIs; it forbids connections.
func appPage() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; `+
		`script-src %s; style-src %s; base-uri 'none'; form-action 'none'">
<title>Slipstick</title>
<style>%s</style>
</head>
<body>
<main></main>
<script>%s</script>
</body>
</html>
`, hash(appScript), hash(appStyle), appStyle, appScript)
}

// addApp registers the resource of the app.
func (s *Server) addApp() {
	page := appPage()
	meta := map[string]any{"ui": map[string]any{
		"csp": map[string]any{"connectDomains": []string{},
			"resourceDomains": []string{}},
		"prefersBorder": false,
	}}
	s.engine.AddResource(
		protocol.NewResource(appURI, "pictures", protocol.WithResourceTitle("Pictures of a result"),
			protocol.WithMIMEType(appMediaType),
			protocol.WithResourceDescription(
				"MCP App that shows the curves, fields or board of a result")),
		func(context.Context, protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
			return []protocol.ResourceContents{protocol.TextResourceContents{
				Meta: meta, URI: appURI, MIMEType: appMediaType, Text: page,
			}}, nil
		})
}
