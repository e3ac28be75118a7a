package edit

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// dotted writes a path as a key.
func dotted(path []string) string {
	var parts []string
	for _, p := range path {
		if strings.Trim(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" || p == "" {
			p = tomlValue(p)
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, ".")
}

// tomlValue writes a value on one line. The escapes of a JSON string are those of TOML too.
func tomlValue(value any) string {
	switch v := value.(type) {
	case []string:
		return tomlList(v)
	case []any:
		return tomlList(v)
	case client.Object:
		var parts []string
		for _, f := range v {
			parts = append(parts, dotted([]string{f.Key})+" = "+tomlValue(f.Value))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case string:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // a string always is
		}
		return string(text)
	}
	return fmt.Sprint(value)
}

func tomlList[T any](values []T) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, tomlValue(v))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
