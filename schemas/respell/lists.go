package respell

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// The readings of lists. A single value is read as a list of one, and the lists of two foreign fields become one
// list.
var (
	asLines       = reading{as: eachRow(toLine), with: unionOf}
	asNames       = reading{as: eachRow(toName), with: unionOf}
	asDecisions   = reading{as: eachRow(decisionColumns.read), with: unionOf}
	asFiles       = reading{as: eachRow(toFile), with: unionOf}
	asBlockers    = reading{as: eachRow(toBlocker), with: unionOf}
	asDescribed   = reading{as: eachRow(toDescribed), with: unionOf}
	asCriteria    = reading{as: eachRow(toCriterion), with: unionOf}
	asCriteriaMet = reading{as: eachRow(toCriterionMet), with: unionOf}
	asReference   = reading{as: toReference("url"), with: fuseReferences}
	asKeyPoints   = reading{as: toReference("key_points"), with: fuseReferences, joins: true}
)

func eachRow(row func(any) any) func(any) (any, bool) {
	return func(v any) (any, bool) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		rows := make([]any, len(list))
		for i, e := range list {
			rows[i] = row(e)
		}
		return rows, true
	}
}

// unionOf adds the rows of more that have does not hold.
func unionOf(have, more any) any {
	all := slices.Clone(have.([]any))
	for _, e := range more.([]any) {
		if !slices.ContainsFunc(all, func(h any) bool { return reflect.DeepEqual(h, e) }) {
			all = append(all, e)
		}
	}
	return all
}

// toLine writes an object as one line, with all that it says. A number is written as its digits. Any other value stays
// as it is.
func toLine(v any) any {
	if s, ok := toText(v); ok {
		return s
	}
	if object, ok := v.(map[string]any); ok && !isEmpty(object) {
		return words(object)
	}
	return v
}

// toName takes of an object the id or the name.
func toName(v any) any {
	row, _ := v.(map[string]any)
	for _, key := range []string{"id", "name"} {
		if s, ok := row[key].(string); ok && s != "" {
			return s
		}
	}
	return v
}

// pathLines splits "a.go:1-9" and "a.go:12:5".
var pathLines = regexp.MustCompile(`^(.*?[^:]):([0-9]+(?:[-,:][0-9]+)*)$`)

// toFile makes a file of a path, which may end in the numbers of lines. In "C:12" and "http://host:80" the number is
// none.
func toFile(v any) any {
	s, ok := v.(string)
	if !ok {
		return fileColumns.read(v)
	}
	m := pathLines.FindStringSubmatch(s)
	if m == nil || len(m[1]) == 1 || strings.Contains(m[1], "://") {
		return map[string]any{"path": s}
	}
	return map[string]any{"path": m[1], "lines": m[2]}
}

// toDescribed makes of a text a row with that description.
func toDescribed(v any) any {
	if s, ok := v.(string); ok {
		return map[string]any{"description": s}
	}
	return v
}

// toBlocker also takes a text, or a list of texts, that says what is required to proceed: something is, and the
// description says what.
func toBlocker(v any) any {
	row, ok := toDescribed(v).(map[string]any)
	required, isText := row["required_to_proceed"].(string)
	if list, isList := row["required_to_proceed"].([]any); isList {
		required, isText = joined(list, "; "), true
	}
	if !ok || !isText || required == "" || slices.Contains([]string{"true", "false"}, strings.ToLower(strings.TrimSpace(required))) {
		return toDescribed(v)
	}
	row = maps.Clone(row)
	row["description"] = strings.TrimPrefix(words(row["description"])+". To proceed: "+required, ". ")
	row["required_to_proceed"] = true
	return row
}

// toCriterion writes the number of a criterion as text.
func toCriterion(v any) any {
	row, ok := v.(map[string]any)
	n, isNumber := row["criterion"].(json.Number)
	if !ok || !isNumber {
		return v
	}
	row = maps.Clone(row)
	row["criterion"] = n.String()
	return row
}

// toCriterionMet also makes a criterion of a bare text: it is met.
func toCriterionMet(v any) any {
	if s, ok := toText(v); ok {
		return map[string]any{"criterion": s, "met": true}
	}
	return toCriterion(v)
}

// toReference makes a reference, to content that is kept elsewhere, of which one field is known.
func toReference(field string) func(any) (any, bool) {
	return func(v any) (any, bool) { return []any{map[string]any{field: v}}, true }
}

// fuseReferences makes one reference of two: the one has the address, the other the key points.
func fuseReferences(have, more any) any {
	row := map[string]any{}
	for _, part := range []any{have, more} {
		if list, ok := part.([]any); ok && len(list) == 1 {
			if object, ok := list[0].(map[string]any); ok {
				maps.Copy(row, object)
			}
		}
	}
	return []any{row}
}
