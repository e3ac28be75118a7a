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

// A reading converts a foreign value for a row. The zero reading takes any value unchanged.
type reading struct {
	convert    func(v any) (any, bool)  // returns our value; false leaves a value of another kind in place
	merge      func(have, more any) any // merges the values of two foreign fields
	equivalent func(a, b any) bool      // tells that two values mean the same; nil: only equal values do

	// The next two resolve a conflict with another value of the argument. With neither, the two values are a
	// contradiction.
	aside  bool // it goes to the overflow path if the other value came from a foreign field
	yields bool // it always goes to the overflow path

	hints bool // the value fills the argument if no other field does, and the field stays for another row
	joins bool // the value only adds to another foreign field: alone it goes to the overflow path
}

func (r reading) apply(v any) (any, bool) {
	if r.convert == nil {
		return v, true
	}
	return r.convert(v)
}

func asHint(r reading) reading {
	r.hints = true
	return r
}

func (r reading) equal(a, b any) bool {
	return reflect.DeepEqual(a, b) || r.equivalent != nil && r.equivalent(a, b)
}

// The readings of single values. The readings of lists are in lists.go.
var (
	asIs           = reading{}
	asText         = reading{convert: toText}
	asSideText     = reading{convert: toText, aside: true}
	asYieldingText = reading{convert: toText, yields: true}
	asCount        = reading{aside: true}
	asParagraphs   = reading{convert: toProse, merge: joinParagraphs}
	asPriority     = reading{convert: toPriority, merge: higherPriority}
	asMinutes      = reading{convert: durationIn(time.Minute), equivalent: equalDurations, aside: true}
	asMillis       = reading{convert: durationIn(time.Millisecond), equivalent: equalDurations, aside: true}
	asCapability   = reading{convert: toAddress("capability:")}
	asRole         = reading{convert: toAddress("role:")}
	asYieldingRole = reading{convert: toAddress("role:"), yields: true}
	asRelease      = reading{convert: toRelease}
	asKind         = reading{convert: toKind}
	asMessage      = reading{convert: knownWordOf(map[string]string{schemas.TypeMessage: schemas.TypeMessage})}
	asTopic        = reading{convert: toTopic}
	asOwnID        = reading{convert: toOwnID}
	asStatusFilter = reading{convert: wordOf(statusWords)}
	asEnd          = reading{convert: toEnd}
	asAction       = reading{convert: wordOf(actionWords)}
	asStrategy     = reading{convert: knownWordOf(strategyWords), yields: true}
	asForeignRank  = reading{convert: toForeignPriority}
	asRejection    = reading{convert: knownWordOf(map[string]string{"rejected": string(schemas.OutcomeRejected)})}
	asConditional  = reading{convert: knownWordOf(map[string]string{"conditional": string(schemas.ActAsk)})}
)

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

// toProse also reads a list of paragraphs.
func toProse(v any) (any, bool) {
	list, ok := v.([]any)
	if !ok {
		return toText(v)
	}
	return joinWords(list, "\n\n"), true
}

func joinParagraphs(have, more any) any { return words(have) + "\n\n" + words(more) }

// toRelease reads the version of a message format, such as 1.0.0. It leaves a whole number, which is the version of
// our payload.
func toRelease(v any) (any, bool) {
	s, ok := toText(v)
	_, err := strconv.Atoi(strings.TrimSpace(words(s)))
	return s, ok && err != nil
}

// toKind reads the kind of work. In a kernl message "handoff" is no kind: it marks the message as a handoff.
func toKind(v any) (any, bool) { return v, v != "handoff" }

// toTopic takes the title out of the subject of a mail.
func toTopic(v any) (any, bool) {
	s, ok := v.(string)
	return strings.TrimPrefix(s, "Handoff: "), ok
}

// toOwnID reads a handoff id in our canonical form. An id in any other form is foreign and names no handoff here.
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

// wordOf reads a foreign word by a table. Any other value stays.
func wordOf(table map[string]string) func(any) (any, bool) {
	return func(v any) (any, bool) {
		if ours, known := table[plainWord(v)]; known {
			return ours, true
		}
		return v, true
	}
}

// knownWordOf reads the words of a table and no other value.
func knownWordOf(table map[string]string) func(any) (any, bool) {
	return func(v any) (any, bool) {
		ours, known := table[plainWord(v)]
		return ours, known
	}
}

// plainWord returns a text in the form of [schemas.Word], and "" for another value.
func plainWord(v any) string {
	s, _ := v.(string)
	return schemas.Word(s)
}

// toEnd reads any value as the word for the end of work; a value that is no word is an unknown word. A2A writes the
// word as the state of an object, behind TASK_STATE_.
func toEnd(v any) (any, bool) {
	if status, ok := v.(map[string]any); ok && status["state"] != nil {
		v = status["state"]
	}
	return strings.TrimPrefix(words(v), "TASK_STATE_"), true
}

// durationIn writes a number of units as a duration, such as 30m0s. A text stays unchanged, unless it is a bare
// number and the unit is not minutes, because [schemas.ParseDuration] reads bare numbers as minutes.
func durationIn(unit time.Duration) func(any) (any, bool) {
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
	x, errX := schemas.ParseDuration("", words(a))
	y, errY := schemas.ParseDuration("", words(b))
	return errX == nil && errY == nil && x == y
}

// priorityNames are the words of other protocols. Bare numbers are of one scale, which begins at the most urgent.
var priorityNames = map[string]schemas.Priority{
	"0": schemas.Critical, "1": schemas.High, "2": schemas.Normal, "3": schemas.Low, "4": schemas.Low,
	"p0": schemas.Critical, "p1": schemas.High, "p2": schemas.Normal, "p3": schemas.Low, "p4": schemas.Low,
	"urgent": schemas.Critical, "blocker": schemas.Critical, "highest": schemas.Critical, "major": schemas.High,
	"medium": schemas.Normal, "minor": schemas.Low, "lowest": schemas.Low,
}

// toPriority reads our words in any case, and the words of others. Any other value stays, so that the decoder refuses
// it.
func toPriority(v any) (any, bool) {
	s, _ := toText(v)
	word := strings.ToLower(strings.TrimSpace(words(s)))
	if p, known := priorityNames[word]; known {
		return string(p), true
	}
	if rankOf(word) >= 0 {
		return word, true
	}
	return v, true
}

// toForeignPriority keeps a priority in foreign words, so that the sender can be told its meaning here.
func toForeignPriority(v any) (any, bool) {
	_, foreign := priorityNames[strings.ToLower(strings.TrimSpace(words(v)))]
	return v, foreign
}

func higherPriority(have, more any) any {
	if rankOf(have) < rankOf(more) {
		return more
	}
	return have
}

// rankOf returns the place of one of our words from low to critical, and -1 for any other value.
func rankOf(v any) int { return slices.Index(schemas.Priorities, schemas.Priority(words(v))) }
