// Package shell writes a command as a line that a POSIX shell reads, and reads such a line again.
package shell

import (
	"runtime"
	"slices"
	"strings"
)

// Quote returns a word in the syntax of a shell: in quotes only if it needs them.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r > 0x7f || strings.ContainsRune("-_./+,:=@%", r) ||
			'0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	if runtime.GOOS == "windows" && !strings.ContainsAny(word, "\"$`%!\n") && !strings.HasSuffix(word, `\`) {
		return `"` + word + `"` // as cmd wants it, and bash reads it, too
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// JoinWords returns a command line in the syntax of a shell.
func JoinWords(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, Quote(word))
	}
	return strings.Join(quoted, " ")
}

// FlagValue returns the value of a flag in a command; empty if it is not given.
func FlagValue(command []string, flag string) string {
	i := slices.Index(command, flag)
	if i < 0 || i+1 >= len(command) {
		return ""
	}
	return command[i+1]
}

// special are the characters that have a meaning for a shell when they stand outside of quotes.
const special = ";&|$`<>(){}[]*?!#\n\r"

// SplitWords reads a command line as a shell does, and so inverts [JoinWords]. Ok is false if the line is more than one
// command with its words: if it contains another command, a variable, or a quote that does not end.
func SplitWords(line string) (all []string, ok bool) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var word string
		if word, line, ok = CutWord(line); !ok {
			return nil, false
		}
		all = append(all, word)
	}
	return all, true
}

// CutWord returns the first word of a command line, without its quotes, and the rest of the line.
func CutWord(line string) (word, rest string, ok bool) {
	for line != "" && line[0] != ' ' && line[0] != '\t' {
		var piece string
		if piece, line, ok = cutPiece(line); !ok {
			return "", "", false
		}
		word += piece
	}
	return word, line, true
}

// cutPiece returns the first piece of a line with one kind of quotes, and the rest of the line.
func cutPiece(line string) (piece, rest string, ok bool) {
	switch line[0] {
	case '\'':
		return strings.Cut(line[1:], "'")
	case '"':
		piece, rest, ok = strings.Cut(line[1:], `"`)
		return piece, rest, ok && !strings.ContainsAny(piece, "$`") && !strings.HasSuffix(piece, `\`)
	case '\\':
		if len(line) == 1 || line[1] == '\n' {
			return "", "", false
		}
		return line[1:2], line[2:], true
	}
	end := strings.IndexAny(line, " \t'\"\\")
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:], !strings.ContainsAny(line[:end], special)
}
