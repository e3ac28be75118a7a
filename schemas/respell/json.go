package respell

import (
	"encoding/json"
	"strings"
)

// cloneJSON copies a JSON value in depth.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = cloneJSON(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = cloneJSON(e)
		}
		return l
	}
	return v
}

// unwrapJSON reads an object or a list that came as JSON text, because models send such text by mistake. The text has
// to begin with one of the brackets in opens. Any other value stays as it is.
func unwrapJSON(v any, opens string) any {
	s, _ := v.(string)
	s = strings.TrimSpace(s)
	if s == "" || strings.IndexByte(opens, s[0]) < 0 || !json.Valid([]byte(s)) {
		return v
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var inside any
	if d.Decode(&inside) != nil {
		return v
	}
	return inside
}
