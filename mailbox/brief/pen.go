package brief

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// A pen writes text of senders as lines that cannot contain a tag of the frame, a heading or a hidden character. A pen
// writes all text that does not come from this package. Each quoted line begins with ">" and each bullet with "-", so
// that a reader can tell the sender's lines from the server's lines.
type pen struct {
	tag string // must not appear in written text
}

var (
	newlines = strings.NewReplacer("\r\n", "\n", "\u2028", `\u2028`, "\u2029", `\u2029`)
	tagLike  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<(\s*/?\s*handoff)`) })
)

// clean replaces hidden characters (control, bidirectional and zero-width) by escapes. It changes text that looks like
// a tag or contains the secret word of the tags. It converts CR LF to LF, and escapes the line separators of Unicode,
// so that only LF ends a line.
func (p pen) clean(s string) string {
	s = schemas.EscapeHidden(newlines.Replace(s))
	s = tagLike().ReplaceAllString(s, "&lt;$1")
	return strings.ReplaceAll(s, p.tag, p.tag[:1]+"…"+p.tag[1:])
}

// oneLine puts text on one line of at most limit bytes, for names and titles in the server's lines.
func (p pen) oneLine(s string, limit int) string {
	return schemas.Clip(strings.Join(strings.Fields(p.clean(s)), " "), limit)
}

// quoteLines writes text as a block quote, with the indent before each line.
func (p pen) quoteLines(indent, s string) []string {
	var lines []string
	for l := range strings.SplitSeq(strings.TrimSpace(p.clean(s)), "\n") {
		lines = append(lines, strings.TrimRight(indent+"> "+l, " \t"))
	}
	return lines
}

// bulletLines writes text as a bullet. The lines after the first are quoted below the bullet. It escapes a "#" at the
// beginning, which would make a heading.
func (p pen) bulletLines(indent, s string) []string {
	head, rest, more := strings.Cut(strings.TrimSpace(p.clean(s)), "\n")
	if strings.HasPrefix(head, "#") {
		head = `\` + head
	}
	lines := []string{strings.TrimRight(indent+"- "+head, " \t")}
	if more {
		lines = append(lines, p.quoteLines(indent+"  ", rest)...)
	}
	return lines
}

// labelledText writes a text with a label. A text of one line stands after the label. A longer text is quoted below the
// label. labelledText returns nil for an empty text.
func (p pen) labelledText(label, s string) []string {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return nil
	case strings.ContainsAny(s, "\r\n"):
		return append([]string{"- " + label + ":"}, p.quoteLines("  ", s)...)
	}
	return []string{"- " + label + ": " + p.clean(s)}
}

// labelledBullets writes texts as bullets below a label. It skips empty texts, and returns nil if all are empty.
func (p pen) labelledBullets(label string, texts []string) []string {
	nonEmptyTexts := slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(nonEmptyTexts) == 0 {
		return nil
	}
	return append([]string{"- " + label + ":"}, p.bullets("  ", nonEmptyTexts)...)
}

// bullets writes texts as bullets.
func (p pen) bullets(indent string, texts []string) []string {
	return slices.Concat(schemas.Map(texts, func(s string) []string { return p.bulletLines(indent, s) })...)
}

// labelledPairs writes a map as bullets below a label, in the order of the keys. It writes values that are not strings
// as JSON.
func labelledPairs[V any](p pen, label string, m map[string]V) []string {
	return p.labelledBullets(label, schemas.Map(slices.Sorted(maps.Keys(m)), func(key string) string {
		return p.oneLine(key, 200) + ": " + schemas.ValueText(m[key])
	}))
}
