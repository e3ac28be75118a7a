package schemas

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A reading is how a foreign value is understood. The zero reading takes it as it is.
type reading struct {
	as    func(v any) (any, bool)  // false: not of this kind, it stays where it is
	with  func(have, more any) any // what two foreign fields make together
	alike func(a, b any) bool      // say the same in other words; nil: only equals do

	// What becomes of a value whose place is taken by another. Neither: it is a contradiction.
	aside  bool // it is kept apart when a foreign field was first
	yields bool // it is kept apart always

	joins bool // it only adds to what another foreign field said: alone it is kept apart
}

func (r reading) of(v any) (any, bool) {
	if r.as == nil {
		return v, true
	}
	return r.as(v)
}

func (r reading) same(a, b any) bool {
	return reflect.DeepEqual(a, b) || r.alike != nil && r.alike(a, b)
}

// The readings of single values; those of lists are in respell_lists.go.
var (
	asIs          = reading{}
	asText        = reading{as: toText}
	asSideText    = reading{as: toText, aside: true}
	asSpareText   = reading{as: toText, yields: true}
	asCount       = reading{aside: true}
	asParagraphs  = reading{as: toProse, with: joinParagraphs}
	asPriority    = reading{as: toPriority, with: higherPriority}
	asMinutes     = reading{as: durationIn(time.Minute), alike: equalDurations, aside: true}
	asMillis      = reading{as: durationIn(time.Millisecond), alike: equalDurations, aside: true}
	asCapability  = reading{as: toAddress("capability:")}
	asRole        = reading{as: toAddress("role:")}
	asSpareRole   = reading{as: toAddress("role:"), yields: true}
	asRelease     = reading{as: toRelease}
	asKind        = reading{as: toKind}
	asTopic       = reading{as: toTopic}
	asOwnID       = reading{as: toOwnID}
	asRejection   = reading{as: onlyWord(string(OutcomeRejected), string(OutcomeRejected))}
	asConditional = reading{as: onlyWord("conditional", string(ActAsk))}
)

// toText takes texts, and numbers as they are written.
func toText(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return nil, false
}

// toProse also takes a list of paragraphs.
func toProse(v any) (any, bool) {
	list, ok := v.([]any)
	if !ok {
		return toText(v)
	}
	var all []string
	for _, e := range list {
		all = append(all, words(e))
	}
	return strings.Join(all, "\n\n"), true
}

func joinParagraphs(have, more any) any { return words(have) + "\n\n" + words(more) }

// toRelease takes the version of a message format, as 1.0.0. A whole number is the version of our payload.
func toRelease(v any) (any, bool) {
	s, ok := toText(v)
	if ok {
		_, err := strconv.Atoi(strings.TrimSpace(words(s)))
		ok = err != nil
	}
	return s, ok
}

// toKind takes the kind of work that is passed on; "handoff" only marks a kernl message as one.
func toKind(v any) (any, bool) { return v, v != "handoff" }

// toTopic takes the title out of a subject.
func toTopic(v any) (any, bool) {
	s, ok := v.(string)
	return strings.TrimPrefix(s, "Handoff: "), ok
}

// toOwnID takes a handoff id only in our canonical form: any other is foreign and names nothing here.
func toOwnID(v any) (any, bool) {
	s, _ := v.(string)
	id, ok := ParseID(s)
	return s, ok && id.String() == s
}

func toAddress(kind string) func(any) (any, bool) {
	return func(v any) (any, bool) {
		s, ok := v.(string)
		return kind + strings.TrimPrefix(s, kind), ok
	}
}

func onlyWord(word, becomes string) func(any) (any, bool) {
	return func(v any) (any, bool) { return becomes, v == word }
}

// durationIn writes a number of units as a duration, as 30m0s. Texts stay; only a bare number of another
// unit is written out, because [ParseDuration] would take it for minutes.
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
		if d := n * float64(unit); err == nil && 0 <= d && d <= float64(maxDuration) {
			return time.Duration(d).String(), true
		}
		return s, true // whoever reads the duration says what is wrong with it
	}
}

func equalDurations(a, b any) bool {
	x, errX := ParseDuration("", words(a))
	y, errY := ParseDuration("", words(b))
	return errX == nil && errY == nil && x == y
}

// priorityNames are the words of other protocols; numbers count down from the most urgent.
var priorityNames = map[string]Priority{
	"0": Critical, "1": High, "2": Normal, "3": Low, "4": Low,
	"urgent": Critical, "medium": Normal,
}

// toPriority knows our words in any case and those of others; any other stays, to be refused by name.
func toPriority(v any) (any, bool) {
	s, ok := toText(v)
	if !ok {
		return v, true
	}
	word := strings.ToLower(strings.TrimSpace(words(s)))
	if p, known := priorityNames[word]; known {
		return string(p), true
	}
	if rankOf(word) >= 0 {
		return word, true
	}
	return v, true
}

func higherPriority(have, more any) any {
	if rankOf(have) < rankOf(more) {
		return more
	}
	return have
}

// rankOf orders the canonical words; others are below.
func rankOf(v any) int {
	for i, p := range Priorities {
		if v == string(p) {
			return i
		}
	}
	return -1
}
