package files

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"handoff/schemas"
)

// promptData is the data for the template of a prompt. The names come from the Kelos TaskHandoff proposal
// ({{.Deps.investigate.Handoff.Summary}}). A missing value becomes an empty text, but a name that is no field of
// promptData is an error.
type promptData struct {
	Deps    map[string]*stage // by the names that the author of the template chose
	Stages  []*stage          // of a workflow, in the order of sending
	History []*stage          // of earlier work of the kind, the newest first
	Body    string            // of the message that started the work
}

// maxText is the length limit of a filled template, in bytes. Without the limit, loops within loops could fill the
// memory.
const maxText = 8 << 20

// limitedText is the text of a template so far.
type limitedText struct{ text strings.Builder }

func (f *limitedText) Write(b []byte) (int, error) {
	if f.text.Len()+len(b) > maxText {
		return 0, fmt.Errorf("more than %d MiB come of it", maxText>>20)
	}
	return f.text.Write(b)
}

// fillTemplate returns the text of a template. The error says where the template is wrong.
func (d promptData) fillTemplate(text string) (string, error) {
	t, err := template.New("template").Option("missingkey=zero").Funcs(template.FuncMap{"index": indexValue}).Parse(text)
	var f limitedText
	if err == nil {
		err = t.Execute(&f, d)
	}
	if err != nil {
		return "", schemas.Invalidf("TEMPLATE", "%w", err).
			WithHint("A dependency has Name, Outputs, Results and Handoff; that has Version, Summary, Detail and Data.")
	}
	return f.text.String(), nil
}

// A stage is the outcome of one handoff in a workflow. All fields of a nil stage are empty. A stage that was not
// completed has only its name.
type stage struct {
	name    string
	outputs lines
	results texts
	handoff *handoff
}

// newStage makes a stage with a name from an outcome.
func newStage(name string, got schemas.GetOut) *stage {
	s := &stage{name: name, results: texts{}}
	if c := got.Completion; c != nil {
		s.outputs = c.Outputs
		for name, value := range c.Results {
			s.results[name] = fmt.Sprint(value)
		}
		s.handoff = &handoff{max(c.Version, 1), c.Summary, c.Detail, c.Data}
	}
	return s
}

// Name returns the stage's name. A template that prints the stage itself gets this name, too. Outputs returns the lines
// that the run of the agent printed about itself. Results returns the named results of the run (branch, commit, pr).
// Outputs and results are no part of the agent's payload.
func (s *stage) Name() string      { return schemas.ValueOrZero(s).name }
func (s *stage) String() string    { return schemas.ValueOrZero(s).name }
func (s *stage) Outputs() lines    { return schemas.ValueOrZero(s).outputs }
func (s *stage) Results() texts    { return schemas.ValueOrZero(s).results }
func (s *stage) Handoff() *handoff { return schemas.ValueOrZero(s).handoff }

// A handoff is the payload of a completed stage. All fields of a nil handoff are empty.
type handoff struct {
	version         int
	summary, detail string
	data            texts
}

// Version, Summary, Detail and Data return the fields of the payload. A template that prints the handoff itself gets
// the summary.
func (h *handoff) Version() int    { return schemas.ValueOrZero(h).version }
func (h *handoff) Summary() string { return schemas.ValueOrZero(h).summary }
func (h *handoff) Detail() string  { return schemas.ValueOrZero(h).detail }
func (h *handoff) Data() texts     { return schemas.ValueOrZero(h).data }
func (h *handoff) String() string  { return schemas.ValueOrZero(h).summary }

// texts maps names to texts, and lines is a list of texts. A template prints either with one entry on each line.
type (
	texts map[string]string
	lines []string
)

func (t texts) String() string {
	all := make(lines, 0, len(t))
	for _, name := range slices.Sorted(maps.Keys(t)) {
		all = append(all, name+": "+t[name])
	}
	return all.String()
}

func (l lines) String() string { return strings.Join(l, "\n") }

// indexValue replaces the function index of templates, with two differences. An index into a missing value gives an
// empty value. A key may be the name of a method, such as "Summary".
func indexValue(item any, keys ...any) any {
	for _, key := range keys {
		item = valueAt(reflect.ValueOf(item), reflect.ValueOf(key))
	}
	if item == nil {
		return ""
	}
	return item
}

func valueAt(item, key reflect.Value) any {
	var found reflect.Value
	switch kind := item.Kind(); {
	case kind == reflect.Map && key.Kind() == reflect.String:
		found = item.MapIndex(key)
	case kind == reflect.Slice && key.CanInt() && key.Int() >= 0 && key.Int() < int64(item.Len()):
		found = item.Index(int(key.Int()))
	case kind == reflect.Pointer && key.Kind() == reflect.String:
		if method := item.MethodByName(key.String()); method.IsValid() && method.Type().NumIn() == 0 {
			found = method.Call(nil)[0]
		}
	}
	if !found.IsValid() {
		return nil
	}
	return found.Interface()
}
