package compose

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"handoff/schemas"
)

// Parts are what a send to several sends: one for each text of options.each, else in itself, and what joins them, nil
// for none, which does not name them yet. The text stands wherever {{each}} stood, and behind task and title where
// these lack it. A title that was made of the task is cut to so many bytes. Nothing of in is changed.
func Parts(in schemas.SendIn, mostTitle int) (parts []schemas.SendIn, join *schemas.SendIn, err error) {
	opt := *in.Options
	each := opt.Each
	if opt.Join != nil {
		last, err := fillMark(*opt.Join, strings.Join(each, ", "))
		if join = &last; err != nil {
			return nil, nil, err
		}
	}
	opt.Each, opt.Join = nil, nil
	if in.Options = &opt; each == nil {
		return []schemas.SendIn{in}, join, nil
	}
	made := in.Title == ""
	in.Title = cmp.Or(in.Title, Title(in.Task))
	in.Task, in.Title = withMark(in.Task), withMark(in.Title)
	for _, text := range each {
		part, err := fillMark(in, text)
		if err != nil {
			return nil, nil, err
		}
		if made {
			part.Title = schemas.Clip(part.Title, mostTitle)
		}
		parts = append(parts, part)
	}
	return parts, join, nil
}

// eachMark is where a text of options.each stands in a message.
var eachMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{ *each *\}\}`) })

// withMark is a text that says for which part it is. An empty one stays empty, so that it is refused.
func withMark(text string) string {
	if strings.TrimSpace(text) == "" || eachMark().MatchString(text) {
		return text
	}
	return strings.TrimSpace(text) + " ({{each}})"
}

// fillMark is a message with a text in the place of each {{each}}, wherever that stands in it.
func fillMark(message any, text string) (in schemas.SendIn, err error) {
	quoted, _ := json.Marshal(text) // a text always has a form
	b, _ := json.Marshal(message)   // it came as JSON
	err = json.Unmarshal(eachMark().ReplaceAllLiteral(b, quoted[1:len(quoted)-1]), &in)
	return in, err
}
