package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
	"handoff/schemas/display"
)

// A Page is the output of a command for people.
type Page struct {
	strings.Builder
	terminal.Style
	Flags string // of the caller and the workspace, for commands on the page; empty, or after a space
}

// AddLine adds a line. Pass texts of agents through [Page.Quote] first.
func (p *Page) AddLine(format string, args ...any) {
	fmt.Fprintf(p, format+"\n", args...)
}

// AddTable adds a table. If there are no rows, it adds the text in the parameter nothing. Cells have no colours,
// because a table makes control characters visible. On a terminal, a cell whose text is a key of colours gets its
// colour.
func (p *Page) AddTable(nothing string, head []string, rows [][]string, colours ...map[string]func(string) string) {
	if len(rows) == 0 {
		p.AddLine("%s", nothing)
		return
	}
	p.WriteString(p.DrawTable(terminal.Table{Head: head, Rows: rows, Paint: func(_, _ int, cell string) string {
		for _, words := range colours {
			if paint := words[cell]; paint != nil {
				return paint(cell)
			}
		}
		return cell
	}}))
}

// AddNext adds the next command of a screen, and what it does. Programs do not need it. A command whose flags have
// several lines is left out, because a line of theirs could look like one of handoff.
func (p *Page) AddNext(does, command string) {
	if p.Terminal && !strings.Contains(p.Flags, "\n") {
		p.AddLine("%s", p.Faint(does+": handoff "+command+p.Flags))
	}
}

// SplitAdvice splits lines of handoff to fit the terminal. A command at the end of a line stays whole, so that it can
// be copied.
func (p *Page) SplitAdvice(text string) (lines []string) {
	for line := range strings.Lines(text) {
		at := strings.LastIndex(line, ": handoff ")
		if at < 0 || p.Width == 0 || display.CountColumns(strings.TrimSpace(line)) <= p.Width {
			lines = append(lines, p.SplitLines(line, 0)...)
			continue
		}
		lines = append(append(lines, p.SplitLines(line[:at+1], 0)...), schemas.EscapeHidden(strings.TrimSpace(line[at+2:])))
	}
	return lines
}

// Remark adds a remark about the output. On a terminal it stands at the end of the page. In other output it goes to
// standard error, so that standard output has only rows. An empty remark prints nothing.
func (a *App) Remark(p *Page, text string) {
	switch {
	case text == "":
	case p.Terminal:
		p.AddLine("%s", p.Faint(text))
	default:
		fmt.Fprintln(a.Stderr, text)
	}
}

// AddField adds "name: value" if there is a value.
func (p *Page) AddField(name, value string) {
	if value != "" {
		p.AddLine("%s %s", p.Faint(name+":"), p.Quote(value, len(name)+2))
	}
}

// Quote wraps a text of an agent. The parameter columns is the width of the caller's own text (such as "warning: ")
// before the first line. Further lines are indented, so that no text of an agent looks like a line of handoff.
func (p *Page) Quote(written string, columns int) string {
	return strings.Join(p.SplitLines(written, max(columns, len(quoteIndent))), "\n"+quoteIndent)
}

const quoteIndent = "    "

// AddWarnings adds the warnings of a result.
func (p *Page) AddWarnings(warnings []string) {
	for _, w := range warnings {
		p.AddLine("%s %s", p.Yellow("warning:"), p.Quote(w, len("warning: ")))
	}
}

// AddProblems adds problems of an input.
func (p *Page) AddProblems(problems []string) {
	for _, problem := range problems {
		p.AddLine("%s %s", p.Red("problem:"), schemas.EscapeHidden(problem))
	}
}

// ColourStatus colours a status as lists and pictures do.
func (p *Page) ColourStatus(s schemas.Status) string {
	return p.ColourByState(display.StateFacts{Status: s}, string(s))
}

// Print writes the result of a tool. With --json it writes the JSON unchanged, except for [EscapedJSON]. Otherwise it
// writes the page that fill makes.
func (a *App) Print(raw json.RawMessage, fill func(*Page)) error {
	if a.JSON {
		return a.Write(EscapedJSON(raw) + "\n")
	}
	p := &Page{Style: a.Style(), Flags: a.CallerFlags()}
	fill(p)
	return a.Write(p.String())
}

// PrintValue is Print for a result that no tool returns.
func (a *App) PrintValue(result any, fill func(*Page)) error {
	raw, err := json.Marshal(result)
	if err != nil {
		return schemas.InternalError(err)
	}
	return a.Print(raw, fill)
}

// PrintWithMail is Print for a command with a named caller. Its page ends with the caller's pending mail, so that an
// agent learns of new mail.
func (a *App) PrintWithMail(raw json.RawMessage, fill func(*Page)) error {
	return a.Print(raw, func(p *Page) {
		fill(p)
		var result struct{ Inbox schemas.InboxCounts }
		if json.Unmarshal(raw, &result) == nil && result.Inbox.Pending+result.Inbox.Notices > 0 {
			i := result.Inbox
			p.AddField("inbox", fmt.Sprintf("%d pending, %d urgent, %s", i.Pending, i.Urgent, schemas.CountNoun(i.Notices, "notice")))
		}
	})
}

// printID prints the output of --silent: the id, if the call made one, and warnings to standard error.
func (a *App) printID(id string, raw json.RawMessage) error {
	var said struct{ Warnings []string }
	_ = json.Unmarshal(raw, &said) // it was decoded before
	for _, w := range said.Warnings {
		fmt.Fprintf(a.Stderr, "handoff: warning: %s\n", schemas.EscapeHidden(w))
	}
	return a.Write(strings.TrimPrefix(id+"\n", "\n"))
}

// Write writes text to standard output.
func (a *App) Write(text string) error {
	if _, err := fmt.Fprint(a.Stdout, text); err != nil {
		return schemas.Errorf(schemas.Internal, "write the result: %w", err).
			WithHint("The call itself was made.")
	}
	return nil
}

// JoinAll lists values on one line, such as ids of handoffs or names of agents.
func JoinAll[T any](list []T) string {
	return strings.Join(schemas.FormatAll(list), ", ")
}

// AddJSON adds a value as indented JSON, or nothing for nil.
func (p *Page) AddJSON(v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil || string(b) == "null" {
		return
	}
	p.AddLine("\n%s", EscapedJSON(b))
}

// EscapedJSON escapes hidden characters in JSON, so that no text in it can repaint a terminal. Programs decode the
// result to the same texts.
func EscapedJSON(raw json.RawMessage) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(string(raw), "\ufffd") {
		if !schemas.IsHidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// AllAgents is a limit for lists of agents. It is larger than the number of agents in any workspace, so a list with it
// is complete.
const AllAgents = 100_000

// FormatTime writes a time for programs, "" for nil.
func FormatTime(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.Format(time.RFC3339)
}

// Presence says when an agent was last seen.
func Presence(c schemas.Card, now time.Time) string {
	switch {
	case c.Away:
		return "away"
	case c.Sessions > 1:
		return fmt.Sprintf("live in %d sessions", c.Sessions)
	case c.Servers > 1:
		return fmt.Sprintf("live, %d servers of one session", c.Servers)
	case c.Live:
		return "live"
	case c.Seen.IsZero():
		return "never"
	}
	return terminal.FormatAge(now.Sub(c.Seen)) + " ago"
}

// TokenState returns "live", "revoked" or "expired".
func TokenState(t schemas.Token, now time.Time) string {
	switch {
	case t.Revoked != nil:
		return "revoked"
	case t.Expires != nil && !now.Before(*t.Expires):
		return "expired"
	}
	return TokenLive
}

// TokenLive is the state of a valid token.
const TokenLive = "live"
