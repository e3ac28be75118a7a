package schemas

import (
	"encoding/json"
	"errors"
	"io"
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

// unwrapJSON reads a list or an object that came as its JSON text, a slip of models; anything else stays.
func unwrapJSON(v any) any {
	s, _ := v.(string)
	if s = strings.TrimSpace(s); s == "" || s[0] != '[' && s[0] != '{' {
		return v
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var inside any
	if d.Decode(&inside) != nil {
		return v
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v
	}
	return inside
}
