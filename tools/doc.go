// Package tools defines the type Tool: typed input and output, method, sources, examples and a
// function. Validation, REST, OpenAPI, MCP, the page, the command line and the documentation derive
// from this definition.
//
// A tool is a package-level variable in a separate file. It is created by Define and listed by its
// category (tools/rf/rf.go). Package tools/catalog lists the categories and the links between
// outputs and inputs. There is no registration; the lists define the order that users see.
//
// Every call enters at Tool.Run, which takes JSON and returns JSON or an *InputError.
package tools
