package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"handoff/schemas"
)

// Inert writes JSON so that nothing in its texts can repaint a terminal: hidden characters become the escapes
// of JSON, which mean the same to programs.
func Inert(raw json.RawMessage) string {
	text := strings.ToValidUTF8(string(raw), "\ufffd")
	if strings.IndexFunc(text, schemas.Hidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !schemas.Hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
