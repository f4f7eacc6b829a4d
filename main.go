// Command slipstick is an engineering-calculator service: every tool by REST, MCP, web page and
// command line, with queued tools on workers. Without a command it serves everything in one
// process. Package cmd has the commands.
package main

import (
	"os"

	"slipstick/cmd"
)

func main() { os.Exit(cmd.Main()) }
