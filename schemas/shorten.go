package schemas

import "strings"

// Shorten cuts text that is longer than limit bytes and adds "…". It cuts after the last sentence that fits, if that
// is at least a third of the limit, else after a word. It cuts within a word only if the word is longer than the
// limit.
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
