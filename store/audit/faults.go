package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

const (
	maxProblems = 20      // limit of faults that a check describes
	maxFixes    = 200_000 // limit of fixes that it keeps to apply at once, each some hundred bytes
)

// fix writes or deletes the row that mends a fault.
type fix func(store.Writer) error

func put(s store.Space, key, value []byte) fix {
	key, value = bytes.Clone(key), bytes.Clone(value)
	return func(w store.Writer) error { return w.Put(s, key, value) }
}

func drop(s store.Space, key []byte) fix {
	key = bytes.Clone(key)
	return func(w store.Writer) error { return w.Delete(s, key) }
}

// faults holds the faults that a check found: their number, the first ones as sentences, and a fix for each fault that
// [Mend] can mend.
type faults struct {
	first    []schemas.Fault
	n        int // all of them
	mendable int
	fixes    []fix
	refused  error // why no fix may be applied
}

// addf adds a fault without a fix.
func (f *faults) addf(format string, args ...any) { f.add(false, format, args) }

// mendf adds a fault with its fix.
func (f *faults) mendf(by fix, format string, args ...any) {
	f.add(true, format, args)
	f.mendable++
	if len(f.fixes) < maxFixes {
		f.fixes = append(f.fixes, by)
	}
}

func (f *faults) add(mends bool, format string, args []any) {
	f.n++
	if len(f.first) < maxProblems {
		f.first = append(f.first, schemas.Fault{What: fmt.Sprintf(format, args...), Mends: mends})
	}
}

// problems returns the sentences, at most twenty. Each names its row.
func (f *faults) problems() []string {
	return schemas.Map(f.first, func(f schemas.Fault) string { return f.What })
}

// include adds the faults of another check. A fault that both checks found counts once.
func (f *faults) include(more *faults) {
	known := f.first
	for _, fault := range more.first {
		if slices.Contains(known, fault) {
			f.n--
		} else {
			f.first = append(f.first, fault)
		}
	}
	f.first = f.first[:min(len(f.first), maxProblems)]
	f.n, f.mendable, f.fixes = f.n+more.n, f.mendable+more.mendable, append(f.fixes, more.fixes...)
	f.refused = cmp.Or(f.refused, more.refused)
}
