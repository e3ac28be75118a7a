package main

import (
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// showPlan shows what is to be done, file by file.
func (s *setupRun) showPlan(p *page) {
	if len(s.clients) == 0 {
		p.line("no client has anything of handoff")
	}
	for _, c := range s.clients {
		p.line("%s", p.Bold(c.Title))
		if !c.Found && !s.flags.remove {
			p.line("  %s", p.Faint("not found on this machine"))
		}
		for _, f := range c.Files {
			p.filePlan(f)
		}
	}
}

func (p *page) filePlan(f *fileSetup) {
	if f.State == fileAlone {
		p.leftAlone(f)
		return
	}
	if f.State == fileSame {
		p.line("  %s: unchanged", schemas.Visible(f.Path))
		return
	}
	if f.Command != nil {
		p.line("  $ %s", schemas.Visible(client.Line(f.Command)))
	}
	p.diff(f.Diff)
}

func (p *page) leftAlone(f *fileSetup) {
	p.line("  %s: %s: %s", schemas.Visible(f.Path), p.Red(string(fileAlone)), schemas.Visible(f.Reason))
	if f.Backup != "" {
		p.line("  A copy of what was there: %s", schemas.Visible(f.Backup))
	}
	if f.Hint != "" {
		p.line("  %s", schemas.Visible(f.Hint))
	}
	if f.Snippet != nil {
		p.line("  What belongs into it:")
		for line := range strings.Lines(f.Snippet.Text) {
			p.line("    %s", schemas.Visible(strings.TrimRight(line, "\r\n")))
		}
	}
}

func (p *page) diff(diff string) {
	for line := range strings.Lines(diff) {
		line = schemas.Visible(strings.TrimRight(line, "\r\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = p.Green(line)
		case strings.HasPrefix(line, "-"):
			line = p.Red(line)
		}
		p.line("  %s", line)
	}
}

// showDone shows what became of it. What was shown as the plan is not shown again.
func (s *setupRun) showDone(p *page) {
	for _, c := range s.clients {
		for _, f := range c.Files {
			s.fileDone(p, c, f)
		}
		if c.Live != nil {
			p.liveness(c)
		}
	}
	for _, c := range s.clients {
		if slices.ContainsFunc(c.Files, in(fileChanged)) {
			p.line("%s: %s", p.Bold(c.Title), c.Next)
		}
	}
}

func (s *setupRun) fileDone(p *page, c *clientSetup, f *fileSetup) {
	switch {
	case f.State == fileAlone && (s.flags.check || f.change.Err == nil):
		p.leftAlone(f)
	case s.flags.check:
		said := map[fileState]string{fileSame: p.Green("set up"), fileTodo: p.Yellow("not set up so: handoff setup " + c.Name + " does it")}
		p.line("%s: %s: %s", c.Title, schemas.Visible(f.Path), said[f.State])
	case f.State == fileChanged, f.State == fileRestore, f.State == fileRemoved, f.State == fileCleared:
		line := fmt.Sprintf("%s: %s", schemas.Visible(f.Path), p.Green(string(f.State)))
		if f.Backup != "" {
			line += p.Faint(" (it was: " + schemas.Visible(f.Backup) + ")")
		}
		p.line("%s", line)
	}
	p.field("  note", f.Note)
	if f.Unread != "" {
		p.line("  %s %s", p.Yellow("warning:"), schemas.Visible(f.Unread))
	}
}

func (p *page) liveness(c *clientSetup) {
	if c.Live.Untried != "" {
		p.line("%s: its server was not tried: %s", c.Title, c.Live.Untried)
		return
	}
	if problem := c.Live.Problem; problem != "" {
		p.line("%s: %s: %s", c.Title, p.Red("its server does not work"), schemas.Visible(problem))
		p.field("  try", c.Live.Remedy)
		return
	}
	p.line("%s: handoff %s answers, with %d tools. %s", c.Title, schemas.Visible(c.Live.Version), c.Live.Tools, schemas.Visible(c.Live.You))
}
