package contract

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"handoff/schemas"
)

// openQuestionPattern matches a question or a placeholder such as TBD in a text.
var openQuestionPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^.!?\n]*\?(?:\s|$)|(?:^|[^.!?\n]*[\s(:])(?:TBD|TODO|FIXME)(?:[\s:).,]|$)`)
})

// maxOpen is the maximum number of open questions in a list.
const maxOpen = 5

// MissingInformation lists information that the recipient of a handoff may need and the handoff does not have: success
// criteria, advice for a recipient that is stuck, files that exist, and answers to at most [maxOpen] questions in the
// texts. It reads no file, because the handoff says which files do not exist.
func MissingInformation(h schemas.Handoff) (missing []string) {
	e := cmp.Or(h.Expectations, &schemas.Expectations{})
	if len(NumberedCriteria(e)) == 0 && len(e.OutputSchema) == 0 {
		missing = append(missing, "success criteria: nobody can tell when it is done")
	}
	if len(e.IfStuck) == 0 && (h.Rollback == nil || h.Rollback.OnFailure == "") {
		missing = append(missing, "what to do when stuck: it can only ask, or give up")
	}
	texts := append([]string{h.Task, h.Summary, h.Detail}, e.SuccessCriteria...)
	c := schemas.ValueOrZero(h.Context)
	texts = append(append(texts, c.KnownIssues...), c.OriginalRequest)
	for _, f := range c.Files {
		if f.Missing {
			missing = append(missing, "the file "+schemas.EscapeHidden(schemas.Clip(f.Path, 120))+": it is not there")
		}
	}
	for _, text := range openQuestionPattern().FindAllString(strings.Join(texts, "\n"), maxOpen) {
		missing = append(missing, "an answer to: "+schemas.EscapeHidden(schemas.Shorten(strings.TrimSpace(text), 200)))
	}
	return missing
}
