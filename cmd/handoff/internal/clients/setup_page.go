package clients

import (
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/schemas"
)

// printPlan shows the planned changes, file by file.
func (s *setupRun) printPlan(p *cli.Page) {
	if len(s.clients) == 0 {
		p.AddLine("no client has anything of handoff")
	}
	for _, c := range s.clients {
		p.AddLine("%s", p.Bold(c.Title))
		if !c.Found && !s.flags.remove {
			p.AddLine("  %s", p.Faint("not found on this machine"))
		}
		for _, f := range c.Files {
			s.printFilePlan(p, f)
		}
	}
	if s.flags.dryRun {
		s.printNextSteps(p)
	}
}

// toOneLine returns a text with a path in one line. Otherwise a folder with line breaks in its name could add lines to
// the page that look like lines of handoff.
func toOneLine(text string) string {
	return strings.ReplaceAll(schemas.EscapeHidden(text), "\n", `\n`)
}

// printFilePlan prints one line about a file. With --dry-run it prints the diff of the file.
func (s *setupRun) printFilePlan(p *cli.Page, f *fileSetup) {
	switch {
	case f.State == fileLeftAlone:
		printLeftAlone(p, f)
	case f.State == fileUnchanged:
		p.AddLine("  %s: %s", toOneLine(f.Path), fileUnchanged)
	case !s.flags.dryRun:
		p.AddLine("  %s: %s", toOneLine(f.Path), f.changeSummary())
	default:
		printDiff(p, f.Diff)
	}
}

// changeSummary says in a few words how a file changes.
func (f *fileSetup) changeSummary() string {
	diff := "\n" + f.Diff
	added := strings.Count(diff, "\n+") - strings.Count(diff, "\n+++") // without the line that names the file
	removed := strings.Count(diff, "\n-") - strings.Count(diff, "\n---")
	return fmt.Sprintf("%s (+%d -%d lines)", strings.Join(f.change.PartNames(), " and "), added, removed)
}

func printLeftAlone(p *cli.Page, f *fileSetup) {
	p.AddLine("  %s: %s: %s", toOneLine(f.Path), p.Red(string(fileLeftAlone)), toOneLine(f.Reason))
	if f.Backup != "" {
		p.AddLine("  A copy of what was there: %s", toOneLine(f.Backup))
	}
	if f.Hint != "" {
		p.AddLine("  %s", toOneLine(f.Hint))
	}
	if f.Snippet != nil {
		p.AddLine("  What belongs into it:")
		for line := range strings.Lines(f.Snippet.Text) {
			p.AddLine("    %s", schemas.EscapeHidden(strings.TrimRight(line, "\r\n")))
		}
	}
}

func printDiff(p *cli.Page, diff string) {
	for line := range strings.Lines(diff) {
		line = schemas.EscapeHidden(strings.TrimRight(line, "\r\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = p.Green(line)
		case strings.HasPrefix(line, "-"):
			line = p.Red(line)
		}
		p.AddLine("  %s", line)
	}
}

// printResults prints the result for each file, without the plan.
func (s *setupRun) printResults(p *cli.Page) {
	for _, c := range s.clients {
		for _, f := range c.Files {
			s.printFileResult(p, c, f)
		}
		if c.Live != nil {
			printTrial(p, c)
		}
	}
	s.printNextSteps(p)
}

func (s *setupRun) printFileResult(p *cli.Page, c *clientSetup, f *fileSetup) {
	switch {
	case f.State == fileLeftAlone && (s.flags.check || f.change.Err == nil):
		printLeftAlone(p, f)
	case s.flags.check:
		said := map[fileState]string{
			fileUnchanged: p.Green("set up"),
			fileToChange:  p.Yellow("differs: " + c.setupCommand() + " changes it"),
		}
		p.AddLine("%s (%s): %s: %s", c.Title, c.Scope, toOneLine(f.Path), said[f.State])
	case f.State == fileChanged, f.State == fileRestored, f.State == fileRemoved, f.State == fileCleared:
		line := fmt.Sprintf("%s: %s", toOneLine(f.Path), p.Green(string(f.State)))
		if f.Backup != "" {
			line += p.Faint(" (it was: " + toOneLine(f.Backup) + ")")
		}
		p.AddLine("%s", line)
	}
	p.AddField("  note", f.Note)
	if f.Unread != "" {
		p.AddLine("  %s %s", p.Yellow("warning:"), toOneLine(f.Unread))
	}
}

func printTrial(p *cli.Page, c *clientSetup) {
	switch {
	case c.Live.Untried != "":
		p.AddLine("%s", toOneLine(c.Live.Untried))
	case c.Live.Problem != "":
		p.AddLine("%s", p.Red(toOneLine(c.Live.Problem)))
		p.AddField("  try", c.Live.Remedy)
	default:
		p.AddLine("%s: handoff %s answers, with %d tools. %s",
			c.Title, toOneLine(c.Live.Version), c.Live.Tools, toOneLine(c.Live.You))
	}
}

// reportResults prints the results unless shown is true, and returns the error that sets the exit status.
func (s *setupRun) reportResults(shown bool) error {
	about := map[string]any{"scope": s.base.Scope, "clients": s.clients}
	if !shown {
		if err := s.PrintValue(about, s.printResults); err != nil {
			return err
		}
	}
	if s.needsPerson() {
		return cli.ExitStatus(1)
	}
	return nil
}

// needsPerson reports whether a person must still do something. A client that has our plugin needs nothing, unless the
// person named the client.
func (s *setupRun) needsPerson() bool {
	silent := func(c *clientSetup) bool { return c.Live != nil && c.Live.Problem != "" }
	return slices.ContainsFunc(s.clients, silent) || slices.ContainsFunc(s.allFiles(), func(f *fileSetup) bool {
		return f.State == fileLeftAlone && (s.namedByUser || !f.change.Plugin) || f.Unread != "" || s.flags.check && f.State == fileToChange
	})
}

// printSnippets prints the text for each file of each client.
func (s *setupRun) printSnippets() error {
	type snippets struct {
		Client string          `json:"client"`
		Files  []setup.Snippet `json:"files"`
	}
	all := schemas.Map(s.clients, func(c *clientSetup) snippets { return snippets{c.Name, c.desired.Snippets(c.Client)} })
	return s.PrintValue(map[string]any{"scope": s.base.Scope, "clients": all}, func(p *cli.Page) {
		for _, of := range all {
			for _, f := range of.Files {
				p.AddLine("%s", p.Faint("# "+of.Client+": "+toOneLine(f.Path)))
				p.AddLine("%s", schemas.EscapeHidden(strings.TrimRight(f.Text, "\n")))
			}
		}
	})
}
