// Command manual writes the manual pages of handoff, one for each command, from the help texts:
//
//	go run ./manual DIRECTORY
//
// It is a separate program, so that handoff does not contain its code and starts faster. The date of the pages is
// SOURCE_DATE_EPOCH, or else the current time.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/root"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual DIRECTORY")
		os.Exit(2)
	}
	if err := writeManual(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "man "+filepath.Join(os.Args[1], "handoff.1")+" shows the first; by name man finds those of a directory man1")
}

// writeManual writes the pages into a directory. It makes a missing directory.
func writeManual(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a manual is for everybody
		return err
	}
	commands := root.Command(root.NewApp(cli.Env{}, ""))
	commands.DisableAutoGenTag = true // no line with generator and date
	commands.InitDefaultVersionFlag()
	commands.Long += "\n\n" + root.ExitStatuses
	toASCII(commands)
	return doc.GenManTree(commands, &doc.GenManHeader{Section: "1", Source: "handoff", Manual: "handoff"}, dir)
}

// toASCII replaces the character … by three dots in the help of cmd and its subcommands. Many terminals would show a
// question mark for it.
func toASCII(cmd *cobra.Command) {
	for _, text := range []*string{&cmd.Use, &cmd.Short, &cmd.Long, &cmd.Example} {
		*text = replaceEllipses(*text)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = replaceEllipses(f.Usage) })
	for _, sub := range cmd.Commands() {
		toASCII(sub)
	}
}

func replaceEllipses(text string) string { return strings.ReplaceAll(text, "…", "...") }
