// Command handoff lets coding agents pass work to each other: as an MCP server (handoff mcp), and as a
// command line for people, scripts and agents without MCP.
//
// The rules are in package mailbox. What only the command line needs is in the rooms under internal: cli is what every
// command stands on, commands has the commands in families, clients those about the clients of agents, and root puts
// them together. The tests beside this file are of the whole program.
package main

import "handoff/cmd/handoff/internal/root"

func main() { root.Main(version) }

// version is what a release build sets, with -ldflags "-X main.version=v1.2.3". Go knows it otherwise where
// the program was installed by its version.
var version string
