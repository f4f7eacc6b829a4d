// Package tools says what a tool is: one definition of typed input and output, method,
// source and worked examples, and one function, from which validation, REST, OpenAPI, MCP,
// the web form, the command line and the documentation all derive.
//
// A tool is a package-level value in its own file, made by Define and named in its
// category's list (tools/rf/rf.go). Package tools/catalog gathers the categories; the
// chain graph, which output may become which input, stands there too. Nothing registers
// itself: the lists are the order people see.
//
// Every caller enters at Tool.Run: JSON in, JSON or an *InputError out.
package tools
