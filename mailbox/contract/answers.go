package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/schemas"
)

// The most that an error tells; a longer one would cost more to read than the answers themselves.
const (
	shownCriteria = 20
	shownBytes    = 200 // of one text
)

func unknown(asked []schemas.Answered, i int, name string) error {
	field := fmt.Sprintf("%s[%d].criterion", answersField, i)
	name = schemas.Clip(schemas.Visible(name), shownBytes)
	if len(asked) == 0 {
		return schemas.Invalidf(field, "%q answers nothing: this handoff declares no criteria", name).
			WithHint("Leave the answers out; say it in a note.")
	}
	return schemas.Invalidf(field, "%q is not a criterion of this handoff", name).
		WithHint("Name a criterion by its number, 1 to %d.", len(asked)).
		WithKnown(lines(closest(asked, name))...)
}

func contradiction(a schemas.Answered) error {
	return schemas.Invalidf(answersField, "criterion %s is answered both met and not met", line(a)).
		WithHint("Answer it once; what is met in part is not met.")
}

// missing lists what was not answered.
func missing(asked []schemas.Answered, done []bool) error {
	var open []schemas.Answered
	for i, a := range asked {
		if !done[i] {
			open = append(open, a)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return schemas.Invalidf(answersField, "%d of %d criteria are not answered: %s",
		len(open), len(asked), strings.Join(lines(open), "; ")).
		WithHint("Answer each of them too, by its number: whether it is met, and the evidence.")
}

func refused(unmet []schemas.Answered) error {
	e := schemas.Errorf(schemas.Conflict, "this handoff is strict and %d of its criteria are unmet: %s",
		len(unmet), strings.Join(lines(unmet), "; "))
	return e.WithField(answersField).
		WithHint("Meet them and complete again, ask the sender, or give up.")
}

func line(a schemas.Answered) string {
	text := strings.Join(strings.Fields(a.Criterion), " ")
	return fmt.Sprintf("%d: %s", a.Number, schemas.Clip(schemas.Visible(text), shownBytes))
}

func lines(list []schemas.Answered) []string {
	shown := make([]string, 0, min(len(list), shownCriteria+1))
	for i, a := range list {
		if i == shownCriteria {
			return append(shown, fmt.Sprintf("and %d more", len(list)-i))
		}
		shown = append(shown, line(a))
	}
	return shown
}

// closest orders the criteria by how many words they share with name.
func closest(asked []schemas.Answered, name string) []schemas.Answered {
	words := strings.Fields(fold(name))
	shared := func(a schemas.Answered) int {
		n := 0
		for w := range strings.FieldsSeq(fold(a.Criterion)) {
			if slices.Contains(words, w) {
				n++
			}
		}
		return n
	}
	ordered := slices.Clone(asked)
	slices.SortStableFunc(ordered, func(a, b schemas.Answered) int { return cmp.Compare(shared(b), shared(a)) })
	return ordered
}
