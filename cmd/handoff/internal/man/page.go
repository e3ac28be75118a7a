// Package man writes manual pages from what the help of a command says. The help is plain text, which a page shows
// as it is: nothing in it is markup. What they carry as their date is that of the program's source, so that they change
// only when the program does.
package man

import (
	"fmt"
	"strings"
)

// A Page is the manual of one command.
type Page struct {
	Name     string // with dashes: handoff-token-add
	Version  string // of the program
	Date     string // of its source, as 2026-01-31; empty where that is not known
	Short    string
	Synopsis string
	Examples string // one a line
	About    string // paragraphs; one with an indented line stays as it is laid out
	Lists    []List
	Status   string // about exit statuses, as About
	See      []string
}

// A List describes flags or commands.
type List struct {
	Title string
	Items []Item
}

// An Item is a word, such as "--agent", perhaps its value, and what it is for.
type Item struct{ Word, Value, About string }

// Roff is the page as man reads it.
func (p Page) Roff() string {
	var r roff
	r.line(".TH %s 1 \"%s\" %s %s", quote(strings.ToUpper(p.Name)), p.Date, quote("handoff "+p.Version), quote("handoff"))
	r.section("NAME", p.Name+" - "+p.Short)
	r.section("SYNOPSIS", p.Synopsis)
	r.line(".SH EXAMPLES")
	r.asIs(p.Examples)
	if p.About != "" {
		r.line(".SH DESCRIPTION")
		r.text(p.About)
	}
	for _, l := range p.Lists {
		r.list(l)
	}
	if p.Status != "" {
		r.line(".SH EXIT STATUS")
		r.text(p.Status)
	}
	r.see(p.See)
	return r.String()
}

// roff is a page in the making. What is not a request is escaped.
type roff struct{ strings.Builder }

func (r *roff) line(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }

func (r *roff) section(title, text string) {
	r.line(".SH %s", title)
	r.line("%s", escape(text))
}

func (r *roff) text(paragraphs string) {
	for i, paragraph := range strings.Split(strings.Trim(paragraphs, "\n"), "\n\n") {
		if i > 0 { // a section begins with one
			r.line(".PP")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			r.asIs(paragraph)
			continue
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			r.line("%s", escape(line))
		}
	}
}

func (r *roff) asIs(text string) {
	r.line(".nf")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		r.line("%s", escape(line))
	}
	r.line(".fi")
}

func (r *roff) list(l List) {
	r.line(".SH %s", quote(strings.ToUpper(l.Title)))
	for _, it := range l.Items {
		r.line(".TP")
		r.line(`\fB%s\fR \fI%s\fR`, escape(it.Word), escape(it.Value))
		r.line("%s", escape(it.About))
	}
}

func (r *roff) see(pages []string) {
	if len(pages) == 0 {
		return
	}
	r.line(".SH SEE ALSO")
	for i, page := range pages {
		comma := ","
		if i == len(pages)-1 {
			comma = ""
		}
		r.line(`.BR %s (1)%s`, escape(page), comma)
	}
}

// escape has text shown as it is: a line of it is no request, and a dash is the one that is typed. Terminals that know
// only ASCII have no ellipsis.
func escape(text string) string {
	text = strings.NewReplacer(`…`, `...`, `\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// quote makes one argument of a request.
func quote(text string) string { return `"` + strings.ReplaceAll(escape(text), `"`, `""`) + `"` }
