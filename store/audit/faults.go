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
	maxProblems = 20      // how many faults a check tells
	maxFixes    = 200_000 // how many it keeps to mend at once, each some hundred bytes
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

// faults are what a check found: all counted, the first ones told, and how those are mended that can be.
type faults struct {
	first    []schemas.Fault
	n        int // all of them
	mendable int
	fixes    []fix
	refused  error // why nothing may be mended
}

// addf notes a fault that nothing in the store can mend.
func (f *faults) addf(format string, args ...any) { f.add(false, format, args) }

// mendf notes a fault that a row mends.
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

// problems are the sentences alone, at most twenty. Each names the row concerned.
func (f *faults) problems() []string {
	return schemas.Map(f.first, func(f schemas.Fault) string { return f.What })
}

// include adds the faults of another check. What both tell is one.
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
