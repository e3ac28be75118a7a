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

// rowFix writes or deletes the row that mends a fault.
type rowFix func(store.Writer) error

func putFix(s store.Space, key, value []byte) rowFix {
	key, value = bytes.Clone(key), bytes.Clone(value)
	return func(w store.Writer) error { return w.Put(s, key, value) }
}

func deleteFix(s store.Space, key []byte) rowFix {
	key = bytes.Clone(key)
	return func(w store.Writer) error { return w.Delete(s, key) }
}

// foundFaults holds the faults that a check found: their number, the first ones as sentences, and fixes for the faults
// that [MendRows] can mend.
type foundFaults struct {
	first    []schemas.StoreFault
	n        int // all of them
	mendable int
	fixes    []rowFix
	refused  error // why no fix may be applied
}

// addFault adds a fault without a fix.
func (f *foundFaults) addFault(format string, args ...any) { f.countFault(false, format, args) }

// addMendableFault adds a fault with its fix.
func (f *foundFaults) addMendableFault(by rowFix, format string, args ...any) {
	f.countFault(true, format, args)
	f.mendable++
	if len(f.fixes) < maxFixes {
		f.fixes = append(f.fixes, by)
	}
}

func (f *foundFaults) countFault(mends bool, format string, args []any) {
	f.n++
	if len(f.first) < maxProblems {
		f.first = append(f.first, schemas.StoreFault{What: fmt.Sprintf(format, args...), Mends: mends})
	}
}

// problems returns the sentences, at most twenty. Each names its row.
func (f *foundFaults) problems() []string {
	return schemas.Map(f.first, func(f schemas.StoreFault) string { return f.What })
}

// mergeFaults adds the faults of another check. A fault that both checks found counts once.
func (f *foundFaults) mergeFaults(more *foundFaults) {
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
