// Command slipstick is an engineering-calculator service. It offers every tool over REST, MCP, web
// pages and the command line, and runs queued tools on workers. Without a subcommand it serves
// everything in one process. Package cmd implements the commands.
package main

import (
	"os"

	"slipstick/cmd"
)

func main() { os.Exit(cmd.Main()) }
