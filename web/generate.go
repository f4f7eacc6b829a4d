package web

//go:generate go run ./bundle
//go:generate go run ./merge
//go:generate go run ./gallery
