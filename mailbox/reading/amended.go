package reading

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/mailbox/content"
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// bodyActions are the actions whose events have the whole content of the handoff.
var bodyActions = []life.Action{life.Send, life.Amend, life.Rebase, life.Answer}

// amendmentText names the fields that an amendment changed, each with its earlier text. A long text is cut, and the
// name of the part with the whole text follows, see [eventField]. It returns "" if an earlier event cannot be read.
func amendmentText(v *store.View, e schemas.Event) string {
	for before, err := v.Event(e.Before); err == nil && before != nil && before.N < e.N; before, err = v.Event(before.Before) {
		if !slices.Contains(bodyActions, life.Action(before.Action)) {
			continue
		}
		was, _ := v.RawContent(e.Handoff, before.N) // erased content has no fields
		now, _ := v.RawContent(e.Handoff, e.N)
		return strings.Join(changedFields(was, now, fmt.Sprintf("%s%d", eventsPath, before.N)), "; ")
	}
	return ""
}

// changedFields returns a text for each field that differs between two JSON objects. Fields of fields are compared one
// by one. Path is the part that holds the first object.
func changedFields(was, now json.RawMessage, path string) (texts []string) {
	var before, after map[string]json.RawMessage
	_, _ = json.Unmarshal(was, &before), json.Unmarshal(now, &after) // other values have no fields
	all := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		a, b, part := before[name], after[name], path+"/"+name
		newTask := !bytes.Equal(before["task"], after["task"]) // the title is the beginning of the task
		switch text := content.TextOfJSON(a); {
		case bytes.Equal(a, b), name == "note", name == "remarks", name == "title" && newTask:
		case bytes.HasPrefix(b, []byte("{")) && (len(a) == 0 || bytes.HasPrefix(a, []byte("{"))):
			texts = append(texts, changedFields(a, b, part)...)
		case len(a) == 0:
			texts = append(texts, name+" was empty")
		case len(text) > MaxReportBytes:
			texts = append(texts, fmt.Sprintf("%s was (%d bytes, whole in %s): %s", name, len(text), part, schemas.Shorten(text, MaxReportBytes)))
		default:
			texts = append(texts, name+" was: "+text)
		}
	}
	return texts
}
