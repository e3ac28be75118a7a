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

// ApplyChanges removes the entries of a handoff that the changes want removed, then merges the rest of the changes into it,
// see [MergeChanges], and names the changed fields. The error is invalid for a removal that matches nothing. With an error h
// may be changed in part, and must not be used.
func ApplyChanges(h *schemas.Handoff, c schemas.Changes) (changed []string, err error) {
	if changed, err = removeEntries(h, c.Remove); err != nil {
		return nil, err
	}
	mergeInto(&changed, MergeChanges(h, c))
	return changed, nil
}

// removeEntries removes the entries of r from a handoff, before anything is merged, and names the changed fields. It copies
// the lists and maps that the handoff had before, as [MergeChanges] does. The error is invalid for an entry that is not there.
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

// removeTexts returns a list without some of its texts, which are named by their text or by their number. Numbers count
// from 1 in the original list, so removing one text does not change the numbers of the others. If the list has a text
// that looks like a number, that text is removed and not the text at that number. If the list has the same text several
// times, one of them is removed.
func removeTexts(list, gone []string) (kept []string, err error) {
	var places []int
	for _, text := range gone {
		i := slices.Index(list, text)
		if n, err := strconv.Atoi(strings.TrimSpace(text)); i < 0 && err == nil && n > 0 && n <= len(list) {
			i = n - 1
		}
		if i < 0 {
			return nil, schemas.Invalidf("", "there is no %q", schemas.Visible(schemas.Clip(text, 80))).
				WithKnown(list...).WithHint("Name it as it stands, or by its number. Nothing was changed.")
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

// clearField clears a field that has a single value. The argument e is a copy of the expectations, which [removeEntries] later
// puts into the handoff. The error is invalid for a field that this function does not list.
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
		return schemas.Invalidf("remove.fields", "%q cannot be emptied", schemas.Visible(schemas.Clip(field, 80))).
			WithKnown(slices.Sorted(maps.Keys(fields))...)
	}
	do()
	return nil
}
