package main

import (
	"encoding/json"
	"strconv"
	"strings"

	"handoff/schemas"
)

func decimal(n int) string { return strconv.Itoa(n) }

// ids lists handoffs.
func ids(list []schemas.ID) string {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = id.String()
	}
	return strings.Join(texts, ", ")
}

// document adds a value as indented JSON, or nothing for nil.
func (p *page) document(v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil || string(b) == "null" {
		return
	}
	p.line("\n%s", inert(b))
}
