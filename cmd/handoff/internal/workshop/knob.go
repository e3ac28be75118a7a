package workshop

import (
	"os"
	"testing"
)

// Knob reads from the environment how much a proof does: how often, or how long. Without the variable it is otherwise,
// and less with -short.
func Knob[T any](t testing.TB, name string, otherwise, short T, parse func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	switch {
	case text == "" && testing.Short():
		return short
	case text == "":
		return otherwise
	}
	n, err := parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
