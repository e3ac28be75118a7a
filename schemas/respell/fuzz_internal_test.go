package respell

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// The fuzz test makes messages of the words in the alias tables. Such messages find cases that random bytes do not
// find: two fields for one argument, objects in place of texts, and words of one row inside the value of another row.
func FuzzNormaliseKnownWords(f *testing.F) {
	for seed := range uint64(2000) {
		f.Add(seed)
	}
	tools := slices.Sorted(maps.Keys(tablesByTool))
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := &messageMaker{Rand: rand.New(rand.NewPCG(seed, 1))}
		tool := tools[s.IntN(len(tools))]
		for _, row := range append(slices.Clone(tableOfTool(tool).rows), sendAliases()...) {
			s.paths = append(s.paths, row.from, row.to)
		}
		args := s.randomMessage(1 + s.IntN(6))
		before := cloneJSON(args)

		once, err := Normalise(tool, args)
		require.Equal(t, before, any(args))
		if err != nil {
			require.Equal(t, schemas.Invalid, schemas.AsError(err).Code)
			return
		}
		kept := cloneJSON(once)
		twice, err := Normalise(tool, once)
		require.NoError(t, err)
		require.Equal(t, kept, any(twice))
	})
}

// A messageMaker makes random messages whose fields are known paths.
type messageMaker struct {
	*rand.Rand
	paths []string
	depth int // of the value being made
}

func (s *messageMaker) randomMessage(fields int) map[string]any {
	m := map[string]any{}
	for range fields {
		path := s.paths[s.IntN(len(s.paths))]
		if path == "" { // a row whose value goes to the overflow path
			continue
		}
		switch s.IntN(8) {
		case 0:
			path = "continuation." + path
		case 1:
			path = "changes." + path
		case 2:
			path = camelCasePath(path)
		}
		setAt(m, path, s.randomValue())
	}
	return m
}

func (s *messageMaker) randomValue() any {
	texts := []any{"a", "b", "", "ho_12", "normal", "urgent", "a.go:1-9", `["a"]`, `{"a":"b"}`, "15 minutes", "1.0.0", "rejected", "handoff"}
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > 3 {
		return texts[s.IntN(len(texts))]
	}
	switch s.IntN(10) {
	case 0:
		return nil
	case 1:
		return json.Number([]string{"0", "1", "1.5", "1e300", "-3"}[s.IntN(5)])
	case 2:
		return s.IntN(2) == 0
	case 3:
		return []any{s.randomValue(), s.randomValue()}
	case 4:
		return s.randomMessage(s.IntN(3))
	case 5:
		return map[string]any{"path": s.randomValue(), "Reason": s.randomValue(), "description": s.randomValue(), "keyPoints": s.randomValue()}
	case 6: // names of canonical rows, which are normalised wherever the row comes from
		return map[string]any{"Completed": s.randomValue(), "requiredToProceed": s.randomValue(), "Met": s.randomValue(), "agent_id": nil}
	}
	return texts[s.IntN(len(texts))]
}

// camelCasePath returns a path in snake_case as camelCase.
func camelCasePath(path string) string {
	var b []byte
	for i := 0; i < len(path); i++ {
		if path[i] == '_' && i > 0 && i+1 < len(path) && (unicode.IsLower(rune(path[i+1])) || unicode.IsDigit(rune(path[i+1]))) && path[i-1] != '.' {
			i++
			b = append(b, path[i]&^0x20)
			continue
		}
		b = append(b, path[i])
	}
	return string(b)
}
