package contract

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"handoff/schemas"
)

// openPoint matches an open point of a text: a question, or a mark for something unknown.
var openPoint = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^.!?\n]*\?(?:\s|$)|(?:^|[^.!?\n]*[\s(:])(?:TBD|TODO|FIXME)(?:[\s:).,]|$)`)
})

// maxOpen is the maximum number of open questions in a list.
const maxOpen = 5

// Missing lists the things that the recipient of a handoff may need and does not get: success criteria, advice for when
// it is stuck, files that exist, and answers to open points of the texts. The caller has checked before whether files
// exist; Missing reads no file. It lists at most [maxOpen] questions.
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
	for _, text := range openPoint().FindAllString(strings.Join(texts, "\n"), maxOpen) {
		missing = append(missing, "an answer to: "+schemas.Visible(schemas.Shorten(strings.TrimSpace(text), 200)))
	}
	return missing
}
