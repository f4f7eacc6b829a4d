// Package tools defines the tool: typed input and output, method, sources, worked examples and one
// function. Validation, REST, OpenAPI, MCP, the page, the command line and the documentation derive
// from this definition.
//
// A tool is a package-level value in its own file, created by Define and listed by its category
// (tools/rf/rf.go). Package tools/catalog lists the categories and the links between outputs and
// inputs. There is no registration: the lists are the order for users.
//
// Every call enters at Tool.Run, which takes JSON and returns JSON or an *InputError.
package tools
