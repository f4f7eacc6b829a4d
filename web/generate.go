package web

//go:generate go run ./bundle
//go:generate go run ./gallery
