package schemas

import "strings"

// Shorten cuts text that is longer than limit bytes: behind the last sentence that fits, if it is not a small part of
// what would fit, else behind a word, with "…". Only a word that is longer than limit itself is cut within.
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
