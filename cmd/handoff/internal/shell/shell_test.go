package shell_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/shell"
)

func TestQuote_OnlyIfNeeded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other quotes")
	}
	for word, want := range map[string]string{
		"": "''", "handoff": "handoff", "/opt/a-b_c.d:e@f%g+h,i=j": "/opt/a-b_c.d:e@f%g+h,i=j", "é": "é",
		"a b": "'a b'", "o'hara": `'o'\''hara'`, "~": "'~'", "$HOME": "'$HOME'", "a\nb": "'a\nb'",
	} {
		require.Equal(t, want, shell.Quote(word), "%q", word)
	}
}

func TestSplitWords_ReadsLikeShell(t *testing.T) {
	for line, want := range map[string][]string{
		"":                   nil,
		"  a \t b ":          {"a", "b"},
		`a\ b "c d"e 'f g'`:  {"a b", "c de", "f g"},
		`'/home/o'\''hara'`:  {"/home/o'hara"},
		`"C:\tools\handoff"`: {`C:\tools\handoff`},
	} {
		words, ok := shell.SplitWords(line)
		require.True(t, ok, line)
		require.Equal(t, want, words, line)
	}
	for _, line := range []string{"a; b", "a | b", "a >b", "$A", "`a`", `"$A"`, "'a", `"a`, `a\`, "a # b", "~ *"} {
		_, ok := shell.SplitWords(line)
		require.False(t, ok, line)
	}
}

func TestFlagValue_ReturnsValue(t *testing.T) {
	command := []string{"handoff", "mcp", "--agent", "qa", "--workspace"}
	require.Equal(t, "qa", shell.FlagValue(command, "--agent"))
	require.Empty(t, shell.FlagValue(command, "--workspace"))
	require.Empty(t, shell.FlagValue(command, "--dir"))
}

// SplitWords inverts JoinWords.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"", "a b|c", "o'hara|$(id)", "a\\b\"c|`id`\n|é\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "|")
		read, ok := shell.SplitWords(shell.JoinWords(words))
		require.True(t, ok)
		require.Equal(t, words, read)
	})
}
