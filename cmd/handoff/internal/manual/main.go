// Command manual writes the manual pages of handoff, one for each command, from what its help says:
//
//	go run ./cmd/handoff/internal/manual DIRECTORY
//
// It is apart from the program, which is started for each hook of a session and carries nothing that it does not need
// then. The date of the pages is SOURCE_DATE_EPOCH, else now.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/root"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write writes the pages into a directory, which is made if it is not there.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a manual is for everybody
		return err
	}
	commands := root.Command(root.NewApp(cli.Env{}, ""))
	commands.DisableAutoGenTag = true // who generated a page, and when
	commands.InitDefaultVersionFlag()
	commands.Long += "\n\n" + root.ExitStatuses
	return doc.GenManTree(commands, &doc.GenManHeader{Section: "1", Source: "handoff", Manual: "handoff"}, dir)
}
