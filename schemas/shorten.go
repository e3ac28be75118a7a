package schemas

import "strings"

// Shorten cuts a text to at most limit bytes and adds "…". A text that fits stays unchanged. It cuts after the last
// sentence that fits, if the cut text then still has at least a third of the limit. Otherwise it cuts after a word. It
// cuts within a word only if the word alone is longer than the limit.
func Shorten(s string, limit int) string {
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	fits := strings.TrimSuffix(Clip(s, limit), "…")
	if end := strings.LastIndexAny(fits[:max(len(fits)-1, 0)], ".!?\n"); end >= limit/3 && strings.ContainsRune(" \n", rune(s[end+1])) {
		return s[:end+1] + " …"
	}
	if s[len(fits)] != ' ' {
		if space := strings.LastIndexAny(fits, " \n"); space > 0 {
			fits = fits[:space]
		}
	}
	return strings.TrimRight(fits, " \n,;:") + " …"
}
