package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/man"
	"handoff/schemas"
)

func manCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIRECTORY",
		Short: "Write a manual page for each command",
		Example: `  handoff man ~/.local/share/man/man1     # then: man handoff-send
  handoff man build && man build/handoff.1`,
		Long: "The pages say what --help says. The directory is made if it is not there.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			dir := given[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(a.Cwd, dir)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a manual is for everybody
				return unwritable("make it", err)
			}
			return writeManual(cmd.Root(), dir)
		},
	}
}

// unwritable is the error where the system refuses what DIRECTORY asks for.
func unwritable(doing string, err error) error {
	return schemas.Invalidf("DIRECTORY", "%s: %w", doing, err).
		WithHint("Take away what is in the way, or name another one: handoff man DIRECTORY.")
}

// writeManual writes the page of a command and those of all below it.
func writeManual(cmd *cobra.Command, dir string) error {
	p := manualOf(cmd)
	if err := os.WriteFile(filepath.Join(dir, p.Name+".1"), []byte(p.Roff()), 0o644); err != nil { //nolint:gosec // a manual is for everybody
		return unwritable("write a page", err)
	}
	for _, sub := range manualCommands(cmd) {
		if err := writeManual(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// manualOf is the page of a command.
func manualOf(cmd *cobra.Command) man.Page {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	p := man.Page{
		Name: manualName(cmd), Version: cmd.Root().Version, Date: sourceDate(), Short: cmd.Short, Synopsis: cmd.UseLine(),
		Examples: cmd.Example, About: cmd.Long,
	}
	commands := man.List{Title: "Commands"}
	for _, sub := range manualCommands(cmd) {
		commands.Items = append(commands.Items, man.Item{Word: sub.Name(), About: sub.Short})
		p.See = append(p.See, manualName(sub))
	}
	p.Lists = filled(commands, flagsOf("Flags", cmd.LocalFlags()), flagsOf("Flags of every command", cmd.InheritedFlags()))
	if !cmd.HasParent() {
		p.Status = strings.TrimPrefix(exitStatuses, "Exit status:\n")
		return p
	}
	p.See = append([]string{manualName(cmd.Parent())}, p.See...)
	return p
}

func manualName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualCommands are those with pages of their own, which cobra's command help has not.
func manualCommands(cmd *cobra.Command) (subs []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			subs = append(subs, sub)
		}
	}
	return subs
}

// sourceDate is the day on which the source of this program was committed; empty where the build does not tell.
func sourceDate() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return at.Format(time.DateOnly)
		}
	}
	return ""
}

// flagsOf lists the flags that help shows.
func flagsOf(title string, flags *pflag.FlagSet) man.List {
	l := man.List{Title: title}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word := "--" + f.Name
		if f.Shorthand != "" {
			word = "-" + f.Shorthand + ", " + word
		}
		value, _ := pflag.UnquoteUsage(f)
		l.Items = append(l.Items, man.Item{Word: word, Value: value, About: aboutFlag(f)})
	})
	return l
}

// aboutFlag is what help says of a flag behind its name, its default at the end.
func aboutFlag(f *pflag.Flag) string {
	alone := pflag.NewFlagSet("", pflag.ContinueOnError)
	alone.AddFlag(f)
	_, about, _ := strings.Cut(strings.TrimSpace(alone.FlagUsages()), "   ")
	return about
}

func filled(lists ...man.List) (kept []man.List) {
	for _, l := range lists {
		if len(l.Items) > 0 {
			kept = append(kept, l)
		}
	}
	return kept
}
