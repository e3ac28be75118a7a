package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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
)

// maxCost bounds what one evaluation may cost, in the units of the library: about a thousand comparisons. An expression
// that costs more is ended and counts as an error.
const maxCost = 10_000

// Bounds on all evaluations of one operation together. A single evaluation may cost little and take long, as a search
// for a pattern from the handoff's text: it is the last one.
const (
	maxTotalCost = 1_000_000 // in the same units
	maxTime      = 300 * time.Millisecond
)

// Budget is the cost and time of one operation's expressions. Its zero value is new, and nil is never spent.
type Budget struct {
	cost uint64
	took time.Duration
}

// IsSpent reports whether nothing is left. Every expression is an error then, and [Set.SendsAfter] gives nothing.
func (b *Budget) IsSpent() bool { return b != nil && (b.cost >= maxTotalCost || b.took >= maxTime) }

func (b *Budget) charge(cost *uint64, begun time.Time) {
	if b != nil {
		b.cost, b.took = b.cost+schemas.OrZero(cost), b.took+time.Since(begun) //nolint:forbidigo // as begun
	}
}

// language is CEL with the types of [Facts]. It takes a millisecond to make, so it is made with the first expression.
var language = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		ext.NativeTypes(reflect.TypeFor[Handoff](), reflect.TypeFor[Outcome](), ext.ParseStructTags(true)),
		cel.Variable("handoff", cel.ObjectType("rules.Handoff")),
		cel.Variable("root", cel.ObjectType("rules.Handoff")),
		cel.Variable("outcome", cel.ObjectType("rules.Outcome")),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(),
	)
})

// compileExpression reads an expression. The error is a sentence with the column.
func compileExpression(text string) (cel.Program, *cel.Type, error) {
	env, err := language()
	if err != nil {
		return nil, nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		e := issues.Errors()[0]
		what, _, _ := strings.Cut(e.Message, " expecting {")
		return nil, nil, fmt.Errorf("%s, at character %d of %s", what, e.Location.Column()+1, strconv.Quote(text))
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(100))
	return program, ast.OutputType(), err
}

// condition is an expression that is true or false. Its zero value is true.
type condition struct{ program cel.Program }

func (s *Set) compileCondition(text string) (c condition, err error) {
	if s.Disallowed || strings.TrimSpace(text) == "" {
		return c, nil
	}
	program, kind, err := compileExpression(text)
	if err == nil && !kind.IsExactType(cel.BoolType) && !kind.IsExactType(cel.DynType) {
		err = fmt.Errorf("it gives %s, not true or false", kind)
	}
	return condition{program}, err
}

// holds evaluates the condition. A condition that cannot be evaluated, as with a missing name in data, does not hold,
// and why says so.
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

// evaluate passes the value of an expression for the facts to fn, unless it is an error. The cost and time of both
// count against the budget of the facts.
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

// template is a text with expressions in it: pieces of text and programs in turn.
type template struct {
	pieces   []string
	programs []cel.Program // one less than pieces
}

// eachName is left as it is: the send puts an entry of its list there.
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

// fill returns the text with the values of its expressions. An expression that cannot be evaluated gives nothing, so a
// text may name missing values.
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

// formatValue writes a value as text: a list as its entries with commas, an object as JSON.
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
		return strings.Join(schemas.Texts(v), ", ")
	case map[string]any:
		b, _ := json.Marshal(v) // it came from JSON
		return string(b)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// decodeJSON decodes JSON, nil for none.
func decodeJSON(b json.RawMessage) (v any) {
	_ = json.Unmarshal(b, &v) // a completion keeps only JSON
	return v
}
