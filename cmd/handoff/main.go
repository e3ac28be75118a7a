// Command handoff lets coding agents pass work to each other. It is an MCP server (handoff mcp), and a command line for
// people, scripts and agents without MCP.
//
// The rules are in package mailbox. The packages under internal form the command line: cli is the base of all commands,
// commands and clients contain the commands, and root puts them together. The tests in this directory run the whole
// program.
package main

import "handoff/cmd/handoff/internal/root"

func main() { root.Main(version) }

// version is set by a release build, with -ldflags "-X main.version=v1.2.3". Otherwise Go reports the version if the
// program was installed with one.
var version string
