package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
)

// A form is how a flag is written and which argument that makes.
type form struct {
	kind    string                                     // in help
	sourced bool                                       // it may name where it is; see [AboutSources]
	parse   func(before any, said string) (any, error) // before is the argument so far, of a flag that may be given again
}

const kindWords = "a,b"

var (
	formText     = form{kind: "text", parse: func(_ any, said string) (any, error) { return said, nil }}
	formRole     = form{kind: "text", parse: func(_ any, said string) (any, error) { return "role:" + said, nil }}
	formTexts    = form{kind: "text", parse: addText}
	formContent  = form{kind: "text", parse: formText.parse, sourced: true}
	formWords    = form{kind: kindWords, parse: addWords}
	formPairs    = form{kind: "name=value", parse: addPair}
	formNumber   = form{kind: "number", parse: parseNumber}
	formRate     = form{kind: "number", parse: parseRate}
	formSwitch   = form{kind: "bool", parse: parseSwitch}
	formDocument = form{kind: "json", parse: parseDocument, sourced: true}
)

func parseDocument(_ any, said string) (any, error) { return parseJSON(said) }

func addText(before any, said string) (any, error) {
	texts, _ := before.([]string)
	return append(texts, said), nil
}

func addWords(before any, said string) (any, error) {
	words, _ := before.([]string)
	for word := range strings.SplitSeq(said, ",") {
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
		return pairs, fmt.Errorf("%q is not NAME=VALUE", schemas.Visible(said))
	}
	if pairs == nil {
		pairs = map[string]string{}
	}
	pairs[name] = value
	return pairs, nil
}

func parseNumber(_ any, said string) (any, error) {
	n, err := strconv.Atoi(said)
	if err != nil {
		err = errors.New("not a number")
	}
	return n, err
}

func parseRate(_ any, said string) (any, error) {
	n, err := strconv.ParseFloat(said, 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		err = errors.New("not a number above zero")
	}
	return n, err
}

func parseSwitch(_ any, said string) (any, error) {
	on, err := strconv.ParseBool(said)
	if err != nil {
		err = errors.New("not true or false")
	}
	return on, err
}

// parseJSON reads one JSON document. Numbers stay as they are written.
func parseJSON(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("not one JSON document: there is more after it")
	}
	return value, nil
}

// A formed is the value of a flag, as [pflag.Value] wants it.
type formed struct {
	form
	said     string // last
	argument any    // nil where it is yet to be read from a source
}

func (f *formed) Set(said string) (err error) {
	f.said = said
	if f.sourced {
		if _, elsewhere := sourceIn(said); elsewhere {
			f.argument = nil
			return nil
		}
		if strings.HasPrefix(said, "@@") {
			said = said[1:]
		}
	}
	f.argument, err = f.parse(f.argument, said)
	return err
}
func (f *formed) String() string { return f.said }
func (f *formed) Type() string   { return f.kind }

// AboutSources is told in the help of commands that have flags of a sourced form.
const AboutSources = `--summary, --detail and flags for JSON also take "-" for standard input, or @FILE; @@ begins a text that
begins with @.`

// readSources puts what was named into the flags that name where their value is.
func (a *App) readSources(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		f, ok := flag.Value.(*formed)
		if !ok || !f.sourced || err != nil {
			return
		}
		path, ok := sourceIn(f.said)
		if !ok {
			return
		}
		var content []byte
		if content, err = a.Input(cmd.Context(), "--"+flag.Name, path); err != nil {
			return
		}
		if f.argument, err = f.parse(nil, strings.TrimRight(string(content), "\r\n")); err != nil {
			err = schemas.Invalidf("--"+flag.Name, "%s: %w", path, err)
		}
	})
	return err
}

// sourceIn is where a value is to be read from, if it says so.
func sourceIn(said string) (path string, ok bool) {
	if said == "-" {
		return said, true
	}
	path, ok = strings.CutPrefix(said, "@")
	return path, ok && !strings.HasPrefix(path, "@")
}
