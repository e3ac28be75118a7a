// Package shell turns the words of a command into a line for a POSIX shell ([JoinWords]), and reads the words of a line
// ([SplitWords]).
package shell

import (
	"runtime"
	"slices"
	"strings"
)

// Quote returns a word in the syntax of a shell. It adds quotes only if the word needs quotes.
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

// FlagValue returns the value of a flag in a command. It returns "" if the command does not have the flag.
func FlagValue(command []string, flag string) string {
	i := slices.Index(command, flag)
	if i < 0 || i+1 >= len(command) {
		return ""
	}
	return command[i+1]
}

// special are the characters that have a meaning for a shell when they stand outside of quotes.
const special = ";&|$`<>(){}[]*?!#\n\r"

// SplitWords returns the words of a command line, as a shell reads them. It inverts [JoinWords]. Ok is false if the
// line contains more than one command, a variable, or a quote that does not end.
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

// CutWord returns the first word of a command line without its quotes, and the remaining line.
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

// cutPiece returns the first piece of a line and the remaining line. A piece is a part of a word with one kind of
// quotes, or without quotes.
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
