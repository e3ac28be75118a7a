// Command handoff lets coding agents pass work to each other: as an MCP server (handoff mcp), and as a command line
// for people, scripts and agents without MCP.
//
// The rules are in package mailbox. The packages under internal are for the command line: cli is the base of all
// commands, commands has the commands in families, clients the commands about the clients of agents, and root puts
// them together. The tests in this directory are of the whole program.
package main

import "handoff/cmd/handoff/internal/root"

func main() { root.Main(version) }

// version is set by a release build, with -ldflags "-X main.version=v1.2.3". Otherwise Go knows it if the program was
// installed by its version.
var version string
