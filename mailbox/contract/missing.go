package contract

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"handoff/schemas"
)

// open is what a text leaves for somebody to find out: a question, or a mark for what is not known yet.
var open = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^.!?\n]*\?(?:\s|$)|(?:^|[^.!?\n]*[\s(:])(?:TBD|TODO|FIXME)(?:[\s:).,]|$)`)
})

// mostOpen is how many open questions are named.
const mostOpen = 5

// Missing names what the receiver of a handoff may need and does not get: success criteria, a way out when it is stuck,
// files that are there, and answers to what the texts leave open. Whether a file is there was found out before: nothing
// is looked for here. At most [mostOpen] questions are named.
func Missing(h schemas.Handoff) (missing []string) {
	e := cmp.Or(h.Expectations, &schemas.Expectations{})
	if len(Criteria(e)) == 0 && len(e.OutputSchema) == 0 {
		missing = append(missing, "success criteria: nobody can tell when it is done")
	}
	if len(e.IfStuck) == 0 && (h.Rollback == nil || h.Rollback.OnFailure == "") {
		missing = append(missing, "what to do when stuck: it can only ask, or give up")
	}
	texts := append([]string{h.Task, h.Summary, h.Detail}, e.SuccessCriteria...)
	c := schemas.OrZero(h.Context)
	texts = append(append(texts, c.KnownIssues...), c.OriginalRequest)
	for _, f := range c.Files {
		if f.Missing {
			missing = append(missing, "the file "+schemas.Visible(schemas.Clip(f.Path, 120))+": it is not there")
		}
	}
	for _, text := range open().FindAllString(strings.Join(texts, "\n"), mostOpen) {
		missing = append(missing, "an answer to: "+schemas.Visible(schemas.Shorten(strings.TrimSpace(text), 200)))
	}
	return missing
}
