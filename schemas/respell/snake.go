package respell

import "strings"

// snake writes camelCase as snake_case: timeoutMs as timeout_ms, contextURL as context_url.
func snake(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c < 'A' || 'Z' < c {
			b.WriteByte(c)
			continue
		}
		afterWord := i > 0 && lowerOrDigit(name[i-1])
		endsAcronym := i > 0 && name[i-1] != '_' && i+1 < len(name) && lowerOrDigit(name[i+1])
		if afterWord || endsAcronym {
			b.WriteByte('_')
		}
		b.WriteByte(c - 'A' + 'a')
	}
	return b.String()
}

func lowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
