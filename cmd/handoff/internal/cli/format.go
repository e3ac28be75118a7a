package cli

import (
	"encoding/json"
	"strings"

	"handoff/schemas"
)

// IDs lists handoffs.
func IDs(list []schemas.ID) string {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = id.String()
	}
	return strings.Join(texts, ", ")
}

// Document adds a value as indented JSON, or nothing for nil.
func (p *Page) Document(v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil || string(b) == "null" {
		return
	}
	p.Line("\n%s", Inert(b))
}
