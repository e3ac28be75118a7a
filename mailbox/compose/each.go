package compose

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"handoff/schemas"
)

// SplitSend splits a send with options.each into one send for each text of options.each. Without such texts, the only
// part is the send itself. SplitSend also returns the join (the send that will wait for all parts), or nil if the
// options have no join. The join does not name its dependencies yet.
//
// In each part the text replaces every {{each}}. If the task or the title has no {{each}}, the text is appended to it,
// unless the recipient has {{each}}. A title that was made from the task is cut to maxTitle bytes. SplitSend does not
// change in.
func SplitSend(in schemas.SendIn, maxTitle int) (parts []schemas.SendIn, join *schemas.SendIn, err error) {
	opt := *in.Options
	each := opt.Each
	if opt.Join != nil {
		last, err := fillEachMark(*opt.Join, strings.Join(each, ", "))
		if join = &last; err != nil {
			return nil, nil, err
		}
	}
	opt.Each, opt.Join = nil, nil
	if in.Options = &opt; each == nil {
		return []schemas.SendIn{in}, join, nil
	}
	made := in.Title == ""
	in.Title = cmp.Or(in.Title, TitleFromTask(in.Task))
	if !eachMark().MatchString(in.To) { // else the recipient tells the parts apart
		in.Task, in.Title = appendEachMark(in.Task), appendEachMark(in.Title)
	}
	for _, text := range each {
		part, err := fillEachMark(in, text)
		if err != nil {
			return nil, nil, err
		}
		if made {
			part.Title = schemas.Clip(part.Title, maxTitle)
		}
		parts = append(parts, part)
	}
	return parts, join, nil
}

// eachMark matches {{each}}, which a text of options.each replaces.
var eachMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{ *each *\}\}`) })

// appendEachMark appends {{each}} to a text without {{each}}. An empty text stays empty, so that the checks of a send
// refuse the text.
func appendEachMark(text string) string {
	if strings.TrimSpace(text) == "" || eachMark().MatchString(text) {
		return text
	}
	return strings.TrimSpace(text) + " ({{each}})"
}

// fillEachMark returns a message in which a text replaces each {{each}} in all fields.
func fillEachMark(message any, text string) (in schemas.SendIn, err error) {
	quoted, _ := json.Marshal(text) // a text can always be encoded
	b, _ := json.Marshal(message)   // the message came as JSON
	err = json.Unmarshal(eachMark().ReplaceAllLiteral(b, quoted[1:len(quoted)-1]), &in)
	return in, err
}
