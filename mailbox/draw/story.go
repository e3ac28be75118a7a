package draw

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/schemas"
)

// What a reader is told of a moment, by its action, before what was said. A moment of another action is told by its
// action: "lead amended it".
var sayings = map[string]string{
	"asked":        "%s asked",
	"answered":     "%s answered",
	"progress":     "%s reported",
	"disconnected": "the connection of its holder ended",
	"reclaimed":    "%s took it up again",
	"claimed":      "%s took it over",
	"lease_ended":  "its holder was silent until the lease ended",
	"released":     "%s gave it back",
	"late":         "a late result came from %s",
	"unreserved":   "it was offered to others: who asked did not come back",
	"accepted":     "%s accepted the result",
}

// maxMoment is how much of what was said with a moment a picture shows, in bytes.
const maxMoment = 300

// moment is a moment as a sentence.
func moment(m schemas.Moment) string {
	saying, known := sayings[m.Action]
	if m.PassedTo != "" {
		saying = "%s passed it to " + strings.ReplaceAll(string(m.PassedTo), "%", "%%")
	}
	if !known {
		saying = "%s " + strings.ReplaceAll(m.Action, "_", " ") + " it"
	}
	text := saying
	if strings.Contains(saying, "%s") {
		text = fmt.Sprintf(saying, cmp.Or(string(m.Agent), "somebody"))
	}
	if m.Text == "" {
		return text
	}
	return text + ": " + schemas.Shorten(m.Text, maxMoment)
}

// wrapped puts what an agent wrote on lines of at most width columns, broken between words, with hidden characters made
// visible. Lines after the first are indented.
func wrapped(written string, width int) (lines []string) {
	const indent = "  "
	line := ""
	for word := range strings.FieldsSeq(schemas.Visible(written)) {
		switch {
		case line == "":
			line = word
		case Columns(line)+1+Columns(word) <= width:
			line += " " + word
			continue
		default:
			lines = append(lines, line)
			line = indent + word
		}
		line = Clip(line, width) // one word
	}
	return append(lines, line)
}
