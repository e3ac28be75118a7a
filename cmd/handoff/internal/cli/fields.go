package cli

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/textformat"
	"handoff/schemas"
)

// Field is a flag that sets an argument of a tool. The path leads to the argument through nested objects
// ("expectations.strict"). A field with an empty path sets no argument: the command reads the values of the flag with
// [TextsOfFlag].
type Field struct {
	Flag  string
	path  string
	form  valueForm
	fixed string // the value of the argument, if the flag is a [Choice]
	help  string
	short string
}

// FieldsOf returns flags for the fields of an argument that is an object. Path leads to the object. Each field with a
// struct tag help gets a flag with the field's name, written with dashes. The type of the field decides the kind of the
// flag: a text, a switch, a number, repeated texts, or pairs.
func FieldsOf(path string, object reflect.Type) (fields []Field) {
	forms := map[reflect.Kind]func(flag, path, help string) Field{
		reflect.String: Text, reflect.Bool: Switch, reflect.Int: Number, reflect.Slice: Texts, reflect.Map: Pairs,
	}
	for name, f := range schemas.Fields(object) {
		if help := f.Tag.Get("help"); help != "" {
			fields = append(fields, forms[f.Type.Kind()](strings.ReplaceAll(name, "_", "-"), path+"."+name, help))
		}
	}
	return fields
}

// ReadFields returns the flags of a table: the file fields_NAME.txt in texts. A row has the form of the value, for
// example Text for [Text], the flag, which a letter may follow for a short flag, the path of the argument, and the help.
// It panics if the file is missing, and for a row that names no form.
//
// The commands call it when they are made. A package variable would read its table at each start of the program, also
// for a hook, which needs none.
func ReadFields(texts embed.FS, name string) (fields []Field) {
	table, err := texts.ReadFile("fields_" + name + ".txt")
	if err != nil {
		panic(err)
	}
	for _, c := range schemas.TableRows(string(table), 4) {
		flag, short, _ := strings.Cut(c[1], " ")
		fields = append(fields, forms[c[0]](flag, c[2], c[3]).WithShortFlag(short))
	}
	return fields
}

// forms has the forms of values by their names in tables.
var forms = map[string]func(flag, path, help string) Field{
	"Text": Text, "Texts": Texts, "Words": Words, "Pairs": Pairs, "Number": Number, "Switch": Switch, "Choice": Choice, "Document": Document, "Role": Role,
	"Results": Results, "Answers": Answers, "Rate": Rate,
}

// WithShortFlag returns the field with an additional flag of one letter.
func (f Field) WithShortFlag(letter string) Field {
	f.short = letter
	return f
}

// Arguments are the arguments of a tool, as JSON values.
type Arguments map[string]any

// DefineFlags gives a command the flags, in their order.
func DefineFlags(cmd *cobra.Command, fields []Field) {
	flags := cmd.Flags()
	flags.SortFlags = false
	for _, f := range fields {
		flag := flags.VarPF(&flagValue{valueForm: f.form}, f.Flag, f.short, f.help)
		if f.form.kind == kindSwitch {
			flag.NoOptDefVal = "true"
		}
	}
}

// TextsOfFlag returns the texts of a repeatable flag. It returns nil if the flag was not given.
func TextsOfFlag(cmd *cobra.Command, flag string) []string {
	texts, _ := cmd.Flags().Lookup(flag).Value.(*flagValue).argument.([]string)
	return texts
}

// SetFields writes the values of the given flags into the arguments. It overwrites existing values, and skips fields
// without a path.
func (args Arguments) SetFields(cmd *cobra.Command, fields []Field) error {
	for _, f := range fields {
		flag := cmd.Flags().Lookup(f.Flag)
		argument := flag.Value.(*flagValue).argument
		if !flag.Changed || f.path == "" || f.fixed != "" && argument == nil {
			continue
		}
		if err := args.SetPath(f.path, argument); err != nil {
			return schemas.Invalidf("--"+f.Flag, "%w", err)
		}
	}
	return nil
}

// SetPath sets the value at a path. It makes missing objects on the path.
func (args Arguments) SetPath(path string, value any) error {
	object := map[string]any(args)
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		if object[name] == nil {
			object[name] = map[string]any{}
		}
		inner, ok := object[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%s is no object in the message, so %s cannot be set in it", name, path)
		}
		object = inner
	}
	object[names[len(names)-1]] = value
	return nil
}

// A form describes how a flag is written and how its text becomes an argument.
type valueForm struct {
	kind    string                                     // in help
	inner   bool                                       // only the part after the first = may name a place
	notText bool                                       // never a text, so it does not name a place
	parse   func(before any, said string) (any, error) // before is the argument so far, of a repeatable flag
}

const (
	kindWords  = "a,b"
	kindSwitch = "bool"
)

// newField returns a flag of this form.
func (f valueForm) newField(flag, path, help string) Field {
	return Field{Flag: flag, path: path, form: f, help: help}
}

// Each of these functions makes a field of one form. If the value is a text, the user may instead name a file or
// standard input that contains the text: see [App.ReadText].
var (
	Text    = valueForm{kind: "text", parse: func(_ any, said string) (any, error) { return said, nil }}.newField
	Texts   = valueForm{kind: "text", parse: addText}.newField                                                        // a list, one for each use
	Answers = valueForm{kind: "text", inner: true, parse: addText}.newField                                           // NUMBER=TEXT or other words, one for each use
	Words   = valueForm{kind: kindWords, parse: addWords}.newField                                                    // a,b,c
	Pairs   = valueForm{kind: "name=value", inner: true, parse: addPair}.newField                                     // one for each use
	Results = valueForm{kind: "name=value", parse: addResult}.newField                                                // as Pairs, with numbers for quantities
	Number  = valueForm{kind: "number", notText: true, parse: parseAs(strconv.Atoi, "a number")}.newField             // an integer
	Rate    = valueForm{kind: "number", notText: true, parse: parseAs(parsePositive, "a number above zero")}.newField // above zero, perhaps with a fraction
	Switch  = valueForm{kind: kindSwitch, notText: true, parse: parseAs(strconv.ParseBool, "true or false")}.newField // true or false
	// Document is one JSON document.
	Document = valueForm{kind: "json", parse: func(_ any, said string) (any, error) { return textformat.ParseJSON(said) }}.newField
	// Role takes the name of a role, and makes its address.
	Role = valueForm{kind: "text", notText: true, parse: func(_ any, said string) (any, error) { return "role:" + said, nil }}.newField
)

// Choice makes a flag without a value that gives an argument one value, which follows the path: "view=full".
func Choice(flag, path, help string) Field {
	path, value, _ := strings.Cut(path, "=")
	choose := func(_ any, said string) (any, error) {
		chosen, err := Switch("", "", "").form.parse(nil, said)
		return map[any]any{true: value}[chosen], err
	}
	f := valueForm{kind: kindSwitch, notText: true, parse: choose}.newField(flag, path, help)
	f.fixed = value
	return f
}

func addText(before any, said string) (any, error) {
	texts, _ := before.([]string)
	return append(texts, said), nil
}

func addWords(before any, said string) (any, error) {
	words, _ := before.([]string)
	for word := range strings.FieldsFuncSeq(said, func(r rune) bool { return r == ',' || r == '\n' }) {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words, nil
}

func addPair(before any, said string) (any, error) {
	pairs, _ := before.(map[string]string)
	name, value, ok := strings.Cut(said, "=")
	if !ok || name == "" {
		return pairs, fmt.Errorf("%q is not NAME=VALUE", schemas.EscapeHidden(said))
	}
	if pairs == nil {
		pairs = map[string]string{}
	}
	pairs[name] = value
	return pairs, nil
}

// quantityName matches names that end with a word for a quantity (cost_usd, input_tokens). The value of a matching name
// becomes a number. Other values stay texts, because digits may be an id, for example the id of a commit.
var quantityName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|_)(usd|eur|cost|tokens|seconds|minutes|hours|ms|bytes|count|percent|turns|lines)$`)
})

// addResult adds a result of a run. Like addPair it reads NAME=VALUE, but it turns the values of quantities into
// numbers.
func addResult(before any, said string) (any, error) {
	pair, err := addPair(nil, said)
	results, _ := before.(map[string]any)
	if err != nil {
		return before, err
	}
	if results == nil {
		results = map[string]any{}
	}
	for name, value := range pair.(map[string]string) {
		results[name] = value
		n := json.Number(value)
		if _, err := n.Float64(); err == nil && quantityName().MatchString(name) && json.Valid([]byte(value)) {
			results[name] = n
		}
	}
	return results, nil
}

// parseAs returns a function that parses the value of a flag with parse. Its error names kind, the expected kind of
// value.
func parseAs[T any](parse func(string) (T, error), kind string) func(any, string) (any, error) {
	return func(_ any, said string) (any, error) {
		value, err := parse(said)
		if err != nil {
			err = errors.New("not " + kind)
		}
		return value, err
	}
}

func parsePositive(said string) (float64, error) {
	n, err := strconv.ParseFloat(said, 64)
	if !(n > 0) || math.IsInf(n, 0) {
		err = strconv.ErrRange
	}
	return n, err
}

// flagValue is the value of a flag. It implements [pflag.Value].
type flagValue struct {
	valueForm
	texts      []string
	namesPlace bool // a part of it is to be read from a file or standard input
	argument   any
}

func (f *flagValue) Set(said string) (err error) {
	f.texts = append(f.texts, said)
	before, text := f.splitText(said)
	if f.namesPlace = f.namesPlace || sourceName(text) != ""; f.namesPlace {
		return nil
	}
	f.argument, err = f.parse(f.argument, before+unescape(text))
	return err
}
func (f *flagValue) String() string { return strings.Join(f.texts, ",") }
func (f *flagValue) Type() string   { return f.kind }

// splitText splits the value of a flag into its text and the part before the text ("name=" in a pair). The text may
// name a file. The text is empty if this form of flag has no text.
func (f *flagValue) splitText(said string) (before, text string) {
	if f.notText {
		return said, ""
	}
	if !f.inner {
		return "", said
	}
	i := cmp.Or(strings.Index(said, "=")+1, len(said))
	return said[:i], said[i:]
}

// readFiles replaces the value of a flag by the contents of the files that the value names.
func (f *flagValue) readFiles(ctx context.Context, a *App, flag string) (err error) {
	f.argument = nil
	for _, said := range f.texts {
		before, text := f.splitText(said)
		if text, err = a.ReadText(ctx, flag, text); err != nil {
			return err
		}
		if f.argument, err = f.parse(f.argument, before+text); err != nil {
			return schemas.Invalidf(flag, "%s: %w", sourceName(said), err)
		}
	}
	return nil
}
