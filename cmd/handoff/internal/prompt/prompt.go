// Package prompt fills the templates of prompts with what earlier work handed on, under the names of the Kelos
// TaskHandoff proposal: {{.Deps.investigate.Handoff.Summary}}, or {{index .Deps "investigate" "Handoff" "Summary"}}.
// What is missing renders empty, however deep it is asked for; what nothing can have is an error.
package prompt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"handoff/schemas"
)

// Data is what a template sees. Its author chooses what of it gets into the prompt.
type Data struct {
	Deps    map[string]*Stage // by the names that the author of the template gave
	Stages  []*Stage          // of a workflow, in the order in which they were sent
	History []*Stage          // of earlier work of the kind, the newest first
	Body    string            // of whatever set the work off, as a message
}

// mostText bounds what comes of a template, in bytes: no model reads more, and loops within loops would take all memory.
const mostText = 8 << 20

// filled is what came of a template so far.
type filled struct{ text strings.Builder }

func (f *filled) Write(b []byte) (int, error) {
	if f.text.Len()+len(b) > mostText {
		return 0, fmt.Errorf("more than %d MiB come of it", mostText>>20)
	}
	return f.text.Write(b)
}

// Fill gives the text of a template. The error says where the template is wrong.
func (d Data) Fill(text string) (string, error) {
	t, err := template.New("template").Option("missingkey=zero").Funcs(template.FuncMap{"index": index}).Parse(text)
	var f filled
	if err == nil {
		err = t.Execute(&f, d)
	}
	if err != nil {
		return "", schemas.Invalidf("TEMPLATE", "%w", err).
			WithHint("A dependency has Name, Outputs, Results and Handoff; that has Version, Summary, Detail and Data.")
	}
	return f.text.String(), nil
}

// A Stage is one piece of work. All of nil is empty, and so is all but the name of work that was not completed.
type Stage struct {
	name    string
	outputs Lines
	results Texts
	handoff *Handoff
}

// NewStage is work under a name, as its outcome tells.
func NewStage(name string, got schemas.GetOut) *Stage {
	s := &Stage{name: name, results: Texts{}}
	if c := got.Completion; c != nil {
		s.outputs = c.Outputs
		for name, value := range c.Results {
			s.results[name] = fmt.Sprint(value)
		}
		s.handoff = &Handoff{max(c.Version, 1), c.Summary, c.Detail, c.Data}
	}
	return s
}

func (s *Stage) said() Stage {
	if s == nil {
		return Stage{}
	}
	return *s
}

// Name is how the template names it, and its text. Outputs are the lines that the run printed about itself, and Results
// what is known of the run by names: branch, commit, pr. They are apart from what the agent handed on.
func (s *Stage) Name() string      { return s.said().name }
func (s *Stage) String() string    { return s.said().name }
func (s *Stage) Outputs() Lines    { return s.said().outputs }
func (s *Stage) Results() Texts    { return s.said().results }
func (s *Stage) Handoff() *Handoff { return s.said().handoff }

// A Handoff is the payload of a result. All of nil is empty.
type Handoff struct {
	version         int
	summary, detail string
	data            Texts
}

func (h *Handoff) said() Handoff {
	if h == nil {
		return Handoff{}
	}
	return *h
}

// Version, Summary, Detail and Data are the fields of the payload. As a text it is its summary.
func (h *Handoff) Version() int    { return h.said().version }
func (h *Handoff) Summary() string { return h.said().summary }
func (h *Handoff) Detail() string  { return h.said().detail }
func (h *Handoff) Data() Texts     { return h.said().data }
func (h *Handoff) String() string  { return h.said().summary }

// Texts are texts by their names, and Lines some below each other. As a text they have one line for each.
type (
	Texts map[string]string
	Lines []string
)

func (t Texts) String() string {
	lines := make(Lines, 0, len(t))
	for _, name := range slices.Sorted(maps.Keys(t)) {
		lines = append(lines, name+": "+t[name])
	}
	return lines.String()
}

func (l Lines) String() string { return strings.Join(l, "\n") }

// index is the function of templates of that name, but that nothing has everything, which is empty, and that the name of
// a method is a key.
func index(item any, keys ...any) any {
	for _, key := range keys {
		item = at(reflect.ValueOf(item), reflect.ValueOf(key))
	}
	if item == nil {
		return ""
	}
	return item
}

func at(item, key reflect.Value) any {
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
