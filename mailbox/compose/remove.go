package compose

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/schemas"
)

// ApplyChanges first removes the entries in c.Remove from a handoff, and then merges the other changes into the
// handoff, see [MergeChanges]. It returns the names of the changed fields. The error is invalid for a removal that
// matches nothing. After an error h may be changed in part, and must not be used.
func ApplyChanges(h *schemas.Handoff, c schemas.Changes) (changed []string, err error) {
	if changed, err = removeEntries(h, c.Remove); err != nil {
		return nil, err
	}
	mergeInto(&changed, MergeChanges(h, c))
	return changed, nil
}

// removeEntries removes the entries in r from a handoff, and returns the names of the changed fields. It copies lists
// and maps before it changes them. The error is invalid for an entry that the handoff does not have.
func removeEntries(h *schemas.Handoff, r *schemas.Removal) (changed []string, err error) {
	if r == nil {
		return nil, nil
	}
	e := *cmp.Or(h.Expectations, &schemas.Expectations{})
	names, data := slices.Sorted(maps.Keys(h.Data)), maps.Clone(h.Data)
	for _, part := range []struct {
		name string
		list *[]string
		gone []string
	}{
		{"tags", &h.Tags, SplitTags(r.Tags)},
		{"requirements", &h.Requirements, r.Requirements},
		{"success_criteria", &e.SuccessCriteria, r.Criteria},
		{"constraints", &e.Constraints, r.Constraints},
		{"if_stuck", &e.IfStuck, r.IfStuck},
		{"checks", &e.Checks, r.Checks},
		{"data", &names, r.Data},
	} {
		if len(part.gone) == 0 {
			continue
		}
		if *part.list, err = removeTexts(*part.list, part.gone); err != nil {
			return nil, schemas.AsError(err).WithField("remove." + part.name)
		}
		changed = append(changed, part.name)
	}
	maps.DeleteFunc(data, func(name, _ string) bool { return !slices.Contains(names, name) })
	if h.Data = data; h.Expectations != nil {
		h.Expectations = &e
	}
	for _, field := range r.Fields {
		if err := clearField(h, &e, field); err != nil {
			return nil, err
		}
		changed = append(changed, field)
	}
	return changed, nil
}

// removeTexts removes texts from a list. The argument gone lists the texts to remove. An entry of gone may also be a
// number, such as "2" for the second text of the list. All numbers count in the list before any removal. If the list
// has the text "2" itself, "2" means that text. Of several equal texts, the first is removed.
func removeTexts(list, gone []string) (kept []string, err error) {
	var places []int
	for _, text := range gone {
		i := slices.Index(list, text)
		if n, err := strconv.Atoi(strings.TrimSpace(text)); i < 0 && err == nil && n > 0 && n <= len(list) {
			i = n - 1
		}
		if i < 0 {
			return nil, schemas.Invalidf("", "there is no %q", schemas.EscapeHidden(schemas.Clip(text, 80))).
				WithChoices(list...).WithHint("Name it as it stands, or by its number. Nothing was changed.")
		}
		places = append(places, i)
	}
	for i, text := range list {
		if !slices.Contains(places, i) {
			kept = append(kept, text)
		}
	}
	return kept, nil
}

// clearField clears a field that has a single value. The argument e is a copy of the expectations, which
// [removeEntries] later puts into the handoff. The error is invalid for any field that cannot be cleared.
func clearField(h *schemas.Handoff, e *schemas.Expectations, field string) error {
	fields := map[string]func(){
		"summary":            func() { h.Summary = "" },
		"detail":             func() { h.Detail = "" },
		"deadline":           func() { h.Metadata.Deadline = (*time.Time)(nil) },
		"timeout":            func() { e.Timeout = "" },
		"estimated_duration": func() { e.EstimatedDuration = "" },
		"review":             func() { e.Review, e.MaxRounds = "", 0 },
	}
	do, ok := fields[field]
	if !ok {
		return schemas.Invalidf("remove.fields", "%q cannot be emptied", schemas.EscapeHidden(schemas.Clip(field, 80))).
			WithChoices(slices.Sorted(maps.Keys(fields))...)
	}
	do()
	return nil
}
