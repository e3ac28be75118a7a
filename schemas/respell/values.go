package respell

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/schemas"
)

// A conversion says how the value of a foreign field becomes the value of its argument. The zero conversion takes every
// value unchanged.
type conversion struct {
	convert    func(v any) (any, bool)  // returns our value; false leaves a value of another kind in place
	merge      func(have, more any) any // merges the values of two foreign fields
	equivalent func(a, b any) bool      // tells that two values mean the same; nil: only equal values do

	// The next two fields say what to do if the argument already has another value. If both are false, the two values
	// are a contradiction, which is an error.
	yieldsToForeign bool // it goes to the overflow path if the other value came from a foreign field
	yieldsAlways    bool // it always goes to the overflow path

	elsewhere string // the path for a value that yields, instead of the overflow path; "" for the overflow path

	isHint   bool // the value fills the argument if no other field does, and the field stays for another row
	onlyAdds bool // the value only adds to another foreign field: alone it goes to the overflow path
}

func (r conversion) convertValue(v any) (any, bool) {
	if r.convert == nil {
		return v, true
	}
	return r.convert(v)
}

func (r conversion) meansSame(a, b any) bool {
	return reflect.DeepEqual(a, b) || r.equivalent != nil && r.equivalent(a, b)
}

// conversions has the conversions by the names that aliases.txt has for them.
var conversions = map[string]conversion{
	"as-is":          {},
	"text":           {convert: toText},
	"paragraphs":     {convert: toProse, merge: joinParagraphs},
	"priority":       {convert: toPriority, merge: higherPriority},
	"minutes":        {convert: toDurationIn(time.Minute), equivalent: equalDurations},
	"millis":         {convert: toDurationIn(time.Millisecond), equivalent: equalDurations},
	"capability":     {convert: toAddress("capability:")},
	"role":           {convert: toAddress("role:")},
	"attempt-number": {convert: toAttemptsBefore},
	"format-version": {convert: toFormatVersion},
	"kind":           {convert: toKind},
	"topic":          {convert: toTopic},
	"own-id":         {convert: toOwnID},
	"end-word":       {convert: toEndWord},
	"foreign-rank":   {convert: toForeignPriority},
	"removal":        {convert: toRemoval},

	// Lists: a single value counts as a list with one item, and the lists of two foreign fields become one list.
	"lines":        {convert: convertEachItem(toLineOfText), merge: mergeLists},
	"several":      {convert: toSeveral},
	"names":        {convert: convertEachItem(toName), merge: mergeLists},
	"decisions":    {convert: convertEachItem(decisionFields.convertItem), merge: mergeLists},
	"points":       {convert: toPoints, merge: mergeLists},
	"files":        {convert: toFiles, merge: mergeLists},
	"blockers":     {convert: convertEachItem(toBlocker), merge: mergeLists},
	"described":    {convert: convertEachItem(textToDescription), merge: mergeLists},
	"criteria":     {convert: toList, merge: mergeLists},
	"criteria-met": {convert: convertEachItem(toCriterionMet), merge: mergeLists},
	"attachments":  {convert: convertEachItem(toAttachment), merge: mergeLists},
	"reference":    {convert: toReference("url"), merge: mergeReferences},
	"key-points":   {convert: toReference("key_points"), merge: mergeReferences, onlyAdds: true},
}

// toText reads texts, and writes numbers as their digits.
func toText(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return nil, false
}

// toProse reads a text, or a list of paragraphs, which it joins to one text.
func toProse(v any) (any, bool) {
	list, ok := v.([]any)
	if !ok {
		return toText(v)
	}
	return joinValueTexts(list, "\n\n"), true
}

func joinParagraphs(have, more any) any { return valueText(have) + "\n\n" + valueText(more) }

// toAttemptsBefore reads the number of an attempt, the first of which is 1, as the number of attempts before it.
func toAttemptsBefore(v any) (any, bool) {
	n, err := strconv.Atoi(valueText(v))
	if err != nil {
		return v, true // the decoder refuses it
	}
	return json.Number(strconv.Itoa(max(n-1, 0))), true
}

// toFormatVersion reads the version of a message format, such as 1.0.0. It does not read a whole number, which is the
// version of our own payload.
func toFormatVersion(v any) (any, bool) {
	s, ok := toText(v)
	_, err := strconv.Atoi(strings.TrimSpace(valueText(s)))
	return s, ok && err != nil
}

// toKind reads the kind of work. It does not read the word "handoff": kernl uses it to say that a message is a handoff,
// not what kind of work it is.
func toKind(v any) (any, bool) { return v, v != "handoff" }

// toTopic returns the subject of a mail without the prefix "Handoff: ", as a title.
func toTopic(v any) (any, bool) {
	s, ok := v.(string)
	return strings.TrimPrefix(s, "Handoff: "), ok
}

// toOwnID reads a handoff id that is in our own form, such as ho_12. It does not read any other text, because that is
// an id of another system.
func toOwnID(v any) (any, bool) {
	s, _ := v.(string)
	id, ok := schemas.ParseID(s)
	return s, ok && id.String() == s
}

func toAddress(kind string) func(any) (any, bool) {
	return func(v any) (any, bool) {
		s, ok := v.(string)
		return kind + strings.TrimPrefix(s, kind), ok
	}
}

// toSeveral reads a list, and leaves a single value in its place.
func toSeveral(v any) (any, bool) {
	list, ok := v.([]any)
	return list, ok
}

// translateWord returns a function that replaces a foreign word by our word in a section of words.txt. The function
// reads no other value if known is true. If known is false, any other value stays unchanged.
func translateWord(section string, known bool) func(any) (any, bool) {
	return func(v any) (any, bool) {
		if ours, found := ourWord(section, normalisedWord(v)); found {
			return ours, true
		}
		return v, !known
	}
}

// normalisedWord returns a text in the form of [schemas.NormaliseWord]. For a value that is no text it returns "".
func normalisedWord(v any) string {
	s, _ := v.(string)
	return schemas.NormaliseWord(s)
}

// toEndWord reads a word about the end of work. In A2A the word is in the field state of an object, with the prefix
// TASK_STATE_, which toEndWord removes. Any other value becomes a text, which later counts as an unknown word.
func toEndWord(v any) (any, bool) {
	if status, ok := v.(map[string]any); ok && status["state"] != nil {
		v = status["state"]
	}
	return strings.TrimPrefix(valueText(v), "TASK_STATE_"), true
}

// toDurationIn returns a function that writes a number of the given unit as a duration: 30 in minutes becomes 30m0s. A
// text that is a bare number is converted, too, unless the unit is minutes: [schemas.ParseDuration] reads bare numbers
// as minutes anyway. Any other text stays unchanged.
func toDurationIn(unit time.Duration) func(any) (any, bool) {
	return func(v any) (any, bool) {
		s, isText := v.(string)
		if isText && unit == time.Minute {
			return s, true
		}
		if n, isNumber := v.(json.Number); isNumber {
			s = n.String()
		} else if !isText {
			return nil, false
		}
		n, err := strconv.ParseFloat(s, 64)
		if d := n * float64(unit); err == nil && 0 <= d && d <= float64(schemas.MaxDuration) {
			return time.Duration(d).String(), true
		}
		return s, true // the mailbox refuses it with a reason
	}
}

func equalDurations(a, b any) bool {
	x, errX := schemas.ParseDuration("", valueText(a))
	y, errY := schemas.ParseDuration("", valueText(b))
	return errX == nil && errY == nil && x == y
}

// toPriority reads our own words for a priority in upper or lower case, and the words of other protocols. Any other
// value stays unchanged, so that the decoder refuses it.
func toPriority(v any) (any, bool) {
	s, _ := toText(v)
	word := strings.ToLower(strings.TrimSpace(valueText(s)))
	if ours, known := ourWord("priorities", word); known {
		return ours, true
	}
	if priorityRank(word) >= 0 {
		return word, true
	}
	return v, true
}

// toForeignPriority reads a priority only if it is in words of another protocol, and leaves it unchanged. The message
// keeps the original word, so that handoff can tell the sender which of our priorities it became.
func toForeignPriority(v any) (any, bool) {
	_, foreign := ourWord("priorities", strings.ToLower(strings.TrimSpace(valueText(v))))
	return v, foreign
}

func higherPriority(have, more any) any {
	if priorityRank(have) < priorityRank(more) {
		return more
	}
	return have
}

// priorityRank returns the rank of one of our priorities, from 0 for low. It returns -1 for any other value.
func priorityRank(v any) int { return slices.Index(schemas.Priorities, schemas.Priority(valueText(v))) }
