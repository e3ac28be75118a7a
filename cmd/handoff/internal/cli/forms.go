package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"handoff/schemas"
)

// A form is the value of a flag: how it is written, how help names it, and what argument it makes.
type form interface {
	pflag.Value
	argument() any
}

// textForm is one text.
type textForm string

func (f *textForm) Set(s string) error { *f = textForm(s); return nil }
func (f *textForm) String() string     { return string(*f) }
func (*textForm) Type() string         { return "text" }
func (f *textForm) argument() any      { return string(*f) }

// roleForm is the name of a role, and makes its address.
type roleForm struct{ textForm }

func (f *roleForm) argument() any { return "role:" + f.String() }

// textsForm is a text each time it is given.
type textsForm []string

func (f *textsForm) Set(s string) error { *f = append(*f, s); return nil }
func (f *textsForm) String() string     { return strings.Join(*f, ", ") }
func (*textsForm) Type() string         { return "text" }
func (f *textsForm) argument() any      { return []string(*f) }

// wordsForm is a,b,c and may be given again.
type wordsForm []string

func (f *wordsForm) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word != "" {
			*f = append(*f, word)
		}
	}
	return nil
}
func (f *wordsForm) String() string { return strings.Join(*f, ",") }
func (*wordsForm) Type() string     { return "a,b" }
func (f *wordsForm) argument() any  { return []string(*f) }

// pairsForm is NAME=VALUE each time it is given.
type pairsForm map[string]string

func (f pairsForm) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok || name == "" {
		return fmt.Errorf("%q is not NAME=VALUE", schemas.Visible(s))
	}
	f[name] = value
	return nil
}

func (f pairsForm) String() string {
	if len(f) == 0 {
		return ""
	}
	return fmt.Sprint(map[string]string(f))
}
func (pairsForm) Type() string    { return "name=value" }
func (f pairsForm) argument() any { return map[string]string(f) }

// numberForm is an integer.
type numberForm int

func (f *numberForm) Set(s string) error {
	n, err := strconv.Atoi(s)
	*f = numberForm(n)
	if err != nil {
		return errors.New("not a number")
	}
	return nil
}
func (f *numberForm) String() string { return strconv.Itoa(int(*f)) }
func (*numberForm) Type() string     { return "number" }
func (f *numberForm) argument() any  { return int(*f) }

// rateForm is a number above zero that may have a fraction.
type rateForm float64

func (f *rateForm) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return errors.New("not a number above zero")
	}
	*f = rateForm(n)
	return nil
}
func (f *rateForm) String() string { return strconv.FormatFloat(float64(*f), 'f', -1, 64) }
func (*rateForm) Type() string     { return "number" }
func (f *rateForm) argument() any  { return float64(*f) }

// switchForm is a switch.
type switchForm bool

func (f *switchForm) Set(s string) error {
	b, err := strconv.ParseBool(s)
	*f = switchForm(b)
	if err != nil {
		return errors.New("not true or false")
	}
	return nil
}
func (f *switchForm) String() string { return strconv.FormatBool(bool(*f)) }
func (*switchForm) Type() string     { return "bool" }
func (f *switchForm) argument() any  { return bool(*f) }

// documentForm is a JSON document.
type documentForm struct {
	text  string
	value any
}

func (f *documentForm) Set(s string) error {
	f.text = s
	if _, elsewhere := path(s); elsewhere {
		return nil
	}
	return f.fill(s)
}

func (f *documentForm) fill(content string) (err error) {
	f.value, err = parseJSON([]byte(content))
	return err
}
func (f *documentForm) source() string { return f.text }
func (f *documentForm) String() string { return f.text }
func (*documentForm) Type() string     { return "json" }
func (f *documentForm) argument() any  { return f.value }

// parseJSON reads one JSON document. Numbers stay as they are written.
func parseJSON(b []byte) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(b)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("not one JSON document: there is more after it")
	}
	return value, nil
}
