// Package web holds the page for people: templates and static files, fed by the metadata of
// the catalog and embedded in the binary.
//
// It holds no code yet. The page will draw every form from a tool's schema, so that a new
// tool needs no line here.
package web
