package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
	"google.golang.org/protobuf/types/known/structpb"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// maxCost is the maximum cost of one evaluation, in units of the CEL library. It allows about a thousand comparisons.
// An expression that costs more returns an error.
const maxCost = 10_000

// Limits for all expressions of one operation together. The time limit exists because one search by a pattern may have
// a low cost and still take long.
const (
	maxTotalCost = 1_000_000 // in the same units
	maxTime      = 300 * time.Millisecond
)

// Budget counts the cost and the time of the expressions that one operation evaluates. The zero value is an unused
// budget. A nil budget has no limit.
type Budget struct {
	cost uint64
	took time.Duration
}

// IsSpent reports whether a limit is reached. After that, every expression returns an error, and [Set.SendsAfter]
// returns nothing.
func (b *Budget) IsSpent() bool { return b != nil && (b.cost >= maxTotalCost || b.took >= maxTime) }

func (b *Budget) charge(cost *uint64, begun time.Time) {
	if b != nil {
		b.cost, b.took = b.cost+schemas.ValueOrZero(cost), b.took+time.Since(begun) //nolint:forbidigo // as begun
	}
}

// celEnvironment returns the CEL environment with the types of [Facts]. It is created with the first expression,
// because that takes a millisecond.
var celEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		ext.NativeTypes(reflect.TypeFor[Handoff](), reflect.TypeFor[Outcome](), ext.ParseStructTags(true)),
		cel.Variable("handoff", cel.ObjectType("rules.Handoff")),
		cel.Variable("root", cel.ObjectType("rules.Handoff")),
		cel.Variable("outcome", cel.ObjectType("rules.Outcome")),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(),
	)
})

// compileExpression compiles a CEL expression. The error is a sentence with the position of the fault.
func compileExpression(text string) (cel.Program, *cel.Type, error) {
	env, err := celEnvironment()
	if err != nil {
		return nil, nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		e := issues.Errors()[0]
		what, _, _ := strings.Cut(e.Message, " expecting {")
		_, field, _ := strings.Cut(what, "undefined field ")
		for _, fact := range [][2]string{{"handoff.", "rules.Handoff"}, {"outcome.", "rules.Outcome"}} {
			fields, _ := env.CELTypeProvider().FindStructFieldNames(fact[1])
			if near := closest.LikelyNames(strings.Trim(field, "'"), fields); field != "" && len(near) > 0 {
				what += ", closest: " + fact[0] + near[0]
			}
		}
		return nil, nil, fmt.Errorf("%s, at character %d of %s", what, e.Location.Column()+1, strconv.Quote(text))
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(100))
	return program, ast.OutputType(), err
}

// condition is an expression with the value true or false. The zero value is always true.
type condition struct{ program cel.Program }

// sentKey matches a key in the data of a handoff, or a test for a key.
var sentKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(in |has\()?\bhandoff\.data(?:\.(\w+)|\[\s*["']([^"']+)["']\s*\]|\b)`)
})

// comparedWord matches the comparison of a field that has few words with one word.
var comparedWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b((?:handoff|root|outcome)\.(?:status|priority))\s*[=!]=\s*["']([^"']*)["']`)
})

// checkComparedWords refuses a comparison with a word that the field never has, such as outcome.status == "completed".
func checkComparedWords(text string) error {
	for _, m := range comparedWord().FindAllStringSubmatch(text, -1) {
		field, word := m[1], m[2]
		words := schemas.FormatAll(schemas.Statuses)
		switch field {
		case "outcome.status": // completed work has its outcome
			words[slices.Index(words, string(schemas.Completed))] = string(schemas.Success)
			words = append(slices.DeleteFunc(words, func(w string) bool { return schemas.Status(w).IsHeld() }), string(schemas.Partial))
		case "handoff.priority", "root.priority":
			words = schemas.FormatAll(schemas.Priorities)
		}
		if word != "" && !slices.Contains(words, word) {
			return fmt.Errorf("%s is never %q; it is one of %s", field, schemas.EscapeHidden(word), strings.Join(words, ", "))
		}
	}
	return nil
}

// compileCondition compiles the condition of a rule for some events. After a completion it refuses a key of
// handoff.data that is not tested for. The writer most likely means the data of the completion, in outcome.data: where
// nobody sent the key, the condition would never be true, and nobody would be told.
func (s *Set) compileCondition(text string, on []string) (c condition, err error) {
	if s.Disallowed || strings.TrimSpace(text) == "" {
		return c, nil
	}
	if m := sentKey().FindStringSubmatch(text); m != nil && m[1] == "" && m[2]+m[3] != "" && slices.Contains(on, "completed") {
		return c, fmt.Errorf("%s is data that the sender gave along; for the data of the completion write outcome.data[%q], "+
			"and for what was sent handoff.data[?%q].orValue(\"\")", m[0], m[2]+m[3], m[2]+m[3])
	}
	if err := checkComparedWords(text); err != nil {
		return c, err
	}
	program, kind, err := compileExpression(text)
	if err == nil && !kind.IsExactType(cel.BoolType) && !kind.IsExactType(cel.DynType) {
		err = fmt.Errorf("it gives %s, not true or false", kind)
	}
	return condition{program}, err
}

// holds reports whether the condition is true for the facts, and if not, why. A condition that cannot be evaluated, for
// example because it reads a key that data does not have, counts as false.
func (c condition) holds(f *Facts) (holds bool, why string) {
	if c.program == nil {
		return true, ""
	}
	why = "the condition is false"
	if err := f.evaluate(c.program, func(v ref.Val) { holds = v == types.True }); err != nil {
		return false, err.Error()
	}
	if holds {
		why = ""
	}
	return holds, why
}

// evaluate calls fn with the value of an expression for the facts. If the expression fails, it returns an error and
// does not call fn. The cost and the time count against the budget of the facts.
func (f *Facts) evaluate(program cel.Program, fn func(ref.Val)) error {
	if f.Budget.IsSpent() {
		return errors.New("the rules have used up the time and memory of one operation")
	}
	begun := time.Now() //nolint:forbidigo // how long it takes is no time of the service
	ctx, end := context.WithDeadline(context.Background(), begun.Add(maxTime))
	defer end()
	v, details, err := program.ContextEval(ctx, map[string]any{"handoff": f.Handoff, "root": f.Root, "outcome": f.Outcome})
	if err == nil {
		fn(v)
	}
	f.Budget.charge(details.ActualCost(), begun)
	return err
}

// template is a text with expressions: a piece of text, a program, the next piece of text, and so on.
type template struct {
	pieces   []string
	programs []cel.Program // one less than pieces
}

// eachName is the name in {{each}}. A template keeps {{each}} unchanged, because the send replaces it with an entry of
// its list.
const eachName = "each"

// parseTemplate reads a text with expressions in double braces.
func parseTemplate(s string) (t template, err error) {
	piece := ""
	for {
		before, rest, found := strings.Cut(s, "{{")
		if piece += before; !found {
			t.pieces = append(t.pieces, piece)
			return t, nil
		}
		inner, after, closed := strings.Cut(rest, "}}")
		switch {
		case !closed:
			return t, fmt.Errorf("{{ has no }} after it in %s", strconv.Quote(s))
		case strings.TrimSpace(inner) == eachName:
			piece += "{{" + eachName + "}}"
		default:
			program, _, err := compileExpression(inner)
			if err != nil {
				return t, err
			}
			t.pieces, t.programs, piece = append(t.pieces, piece), append(t.programs, program), ""
		}
		s = after
	}
}

// fill returns the text with the values of its expressions. An expression that cannot be evaluated adds nothing to the
// text, so a text may name missing data.
func (t template) fill(f *Facts) string {
	var b strings.Builder
	for i, piece := range t.pieces {
		b.WriteString(piece)
		if i < len(t.programs) {
			_ = f.evaluate(t.programs[i], func(v ref.Val) { b.WriteString(formatValue(v)) })
		}
	}
	return b.String()
}

// formatValue converts a value to text: a list to its entries with commas between them, an object to JSON.
func formatValue(v ref.Val) string {
	native, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return ""
	}
	switch v := native.(*structpb.Value).AsInterface().(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return strings.Join(schemas.FormatAll(v), ", ")
	case map[string]any:
		b, _ := json.Marshal(v) // it came from JSON
		return string(b)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}
