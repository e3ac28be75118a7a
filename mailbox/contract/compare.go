package contract

import (
	"cmp"
	"regexp"
	"strconv"

	"handoff/schemas"
)

const answersField = "verification.criteria"

// Compare puts the answers beside the criteria that e declares, in their order; it gives nil when none are
// declared and none answered. A criterion is named by number ("1", "#1", "1.") or by text, also as
// "1. text"; case and spaces do not matter. It is an error to name an unknown criterion, to answer one both
// ways, to leave one out, and, when e is strict, to finish with one unmet.
func Compare(e *schemas.Expectations, v *schemas.Verification) ([]schemas.Answered, error) {
	asked := Criteria(e)
	var given []schemas.Criterion
	if v != nil {
		given = v.Criteria
	}
	done := make([]bool, len(asked))
	for i, c := range given {
		at := find(asked, c.Criterion)
		if at < 0 {
			return nil, unknown(asked, i, c.Criterion)
		}
		if done[at] && asked[at].Met != c.Met {
			return nil, contradiction(asked[at])
		}
		done[at], asked[at].Met = true, c.Met
		asked[at].Evidence = join(asked[at].Evidence, c.Evidence)
	}
	if err := missing(asked, done); err != nil {
		return nil, err
	}
	if e != nil && e.Strict && Outcome(asked) == schemas.Partial {
		return nil, refused(Unmet(asked))
	}
	return asked, nil
}

var (
	numberForm   = regexp.MustCompile(`^(?i:criterion )?[#(]?([0-9]{1,4})[.):]?$`)
	numberedForm = regexp.MustCompile(`^[#(]?([0-9]{1,4})[.):]+\s*(.+)$`)
)

// find gives the index of the criterion that name names, or -1.
func find(asked []schemas.Answered, name string) int {
	name = fold(name)
	for i, a := range asked {
		if fold(a.Criterion) == name {
			return i
		}
	}
	if m := numberForm.FindStringSubmatch(name); m != nil {
		return byNumber(asked, m[1])
	}
	if m := numberedForm.FindStringSubmatch(name); m != nil {
		// The text decides: a number beside another text is a slip that must not answer the wrong one.
		if i := byNumber(asked, m[1]); i >= 0 && fold(asked[i].Criterion) == m[2] {
			return i
		}
	}
	return -1
}

func byNumber(asked []schemas.Answered, digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > len(asked) {
		return -1
	}
	return n - 1
}

// join keeps all the evidence that was given for one criterion.
func join(have, more string) string {
	if have == "" || more == "" || have == more {
		return cmp.Or(have, more)
	}
	return have + "; " + more
}
