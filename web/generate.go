package web

//go:generate go run ./bundle
