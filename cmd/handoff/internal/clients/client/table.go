package client

import (
	_ "embed"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// rows is the text of the table, which explains itself. It is no JSON, because reading JSON would take 0.5 ms of each
// start of the program.
//
//go:embed clients.txt
var rows string

// table reads the rows, and adds the functions of the clients that have code.
var table = sync.OnceValue(func() (all []Client) {
	for line := range strings.Lines(rows) {
		field, value, isField := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case field == "" || field[0] == '#':
		case isField:
			setField(reflect.ValueOf(&all[len(all)-1]).Elem(), field, value)
		default:
			all = append(all, Client{Name: strings.Trim(field, "[]")})
		}
	}
	functions := map[string]func(*Client){"claude-code": addClaudeCode, "codex": addCodex, "gemini-cli": addGeminiCLI}
	for i := range all {
		all[i].Entry = all[i].Form.entry
		if add := functions[all[i].Name]; add != nil {
			add(&all[i])
		}
	}
	return all
})

// setField sets the field to which the names in a path lead, such as Shell.Session. If the field is a list, setField
// adds an element to the list. It panics if there is no such field.
func setField(v reflect.Value, path, value string) {
	for name := range strings.SplitSeq(path, ".") {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.FieldByName(name)
	}
	if v.Kind() == reflect.Slice {
		v.Grow(1)
		v.SetLen(v.Len() + 1)
		v = v.Index(v.Len() - 1)
	}
	switch p := v.Addr().Interface().(type) {
	case *bool:
		*p = value == "true"
	case *any:
		*p = value
	case *Hook:
		*p = parseHook(value)
	default: // a string, of any type
		v.SetString(value)
	}
}

// parseHook parses a hook in the form "EVENT NAME SECONDS FLAG". The flag may be missing.
func parseHook(text string) Hook {
	words := append(strings.Fields(text), "")
	seconds, _ := strconv.Atoi(words[2])
	return Hook{Event: SessionEvent(words[0]), EventName: words[1], Seconds: seconds, Flag: words[3]}
}
