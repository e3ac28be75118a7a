package main

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// Each example must parse: its command and flags exist, their values are valid, they go together, and the number of
// arguments is right. Nothing is run.
func TestExamples_Parse(t *testing.T) {
	for _, shown := range commandtest.Commands(commandtest.Root()) {
		own := false
		for line := range strings.Lines(shown.Example) {
			for _, words := range calls(line) {
				require.NoError(t, parse(words), line)
				require.NoError(t, named(words), line)
				own = own || strings.HasPrefix("handoff "+strings.Join(words, " "), shown.CommandPath())
			}
		}
		require.True(t, own, "no example of %s shows it", shown.CommandPath())
	}
}

var (
	shownCommand = regexp.MustCompile("`(handoff [^`]+)`")
	typedRow     = regexp.MustCompile("(?m)^\\| `handoff .*$")
)

// The commands in the documents for newcomers parse. Rows that begin with a command have words of other programs.
func TestDocuments_NameCommandsThatParse(t *testing.T) {
	for _, document := range []string{"coming-from.md", "specialists.md"} {
		text, err := os.ReadFile("../../docs/" + document)
		require.NoError(t, err)
		shown := strings.ReplaceAll(typedRow.ReplaceAllString(string(text), ""), "JSON", "{}")
		for _, m := range shownCommand.FindAllStringSubmatch(shown, -1) {
			require.NoError(t, parse(calls(m[1])[0]), m[1])
		}
	}
}

func TestExamples_CheckFindsBrokenOnes(t *testing.T) {
	for _, line := range []string{
		"handoff clam", "handoff claim --agnet qa", "handoff claim 1 2", "handoff show >x", "handoff list --limit # 3",
		"x | handoff claim --wait soon", `test "$(handoff wait)" = completed`, "T=$(handoff show --full --brief 1)",
		"true && handoff version 'now then'", "claude mcp add handoff -- handoff mpc",
	} {
		found := calls(line)
		require.Len(t, found, 1, line)
		require.Error(t, parse(found[0]), line)
	}
}

// parse handles a command line up to the run of the command.
func parse(words []string) error {
	root := commandtest.Root()
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	return cmd.ValidateFlagGroups()
}

// named checks that a changing command line names its caller, because there may be no terminal.
func named(words []string) error {
	cmd, rest, err := commandtest.Root().Find(words)
	if err != nil || cmd.Name() == "call" || cmd.Name() == "mcp" || cmd.Name() == "serve" || slices.Contains(rest, "--agent") {
		return err
	}
	if cmd.Flags().Lookup("max-pending") != nil || cmd.Name() == "register" {
		return errors.New("it does not say who acts")
	}
	return nil
}

// calls gives the words of each command line of handoff in a line of a shell, also of one that another command is
// to run and that follows its "--".
func calls(line string) (found [][]string) {
	s := splitter{}
	s.split(line)
	for _, words := range s.found {
		i := slices.Index(words, "handoff")
		if i > 0 {
			i = slices.Index(words, "--") + 1
		}
		if i >= 0 && i < len(words) && words[i] == "handoff" {
			found = append(found, words[i+1:])
		}
	}
	return found
}

// A splitter finds the simple commands in a shell line. It knows the syntax of examples: quotes, pipes,
// substitutions, redirections and comments.
type splitter struct {
	found [][]string
	words []string // of the command under way
	word  strings.Builder
	begun bool // there is a word under way, perhaps an empty one
	file  bool // the word is where a stream goes
}

func (s *splitter) split(line string) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"':
			quoted, _, _ := strings.Cut(line[i+1:], string(c))
			s.quoted(quoted, c == '"')
			i += len(quoted) + 1
		case c == '#' && !s.begun:
			i = len(line)
		case c == ' ' || c == '\n':
			s.endWord()
		case strings.HasPrefix(line[i:], "$(") || strings.HasPrefix(line[i:], "<("):
			s.endCommand()
			i++
		case strings.IndexByte("|&;)", c) >= 0:
			s.endCommand()
		case c == '<' || c == '>':
			s.endWord()
			s.file = true
		default:
			s.begun = true
			s.word.WriteByte(c)
		}
	}
	s.endCommand()
}

// quoted adds a quoted text. Double quotes may hold a command substitution.
func (s *splitter) quoted(text string, double bool) {
	s.begun = true
	s.word.WriteString(text)
	if _, inner, ok := strings.Cut(text, "$("); ok && double {
		within := splitter{}
		within.split(inner)
		s.found = append(s.found, within.found...)
	}
}

func (s *splitter) endWord() {
	if s.begun && !s.file {
		s.words = append(s.words, s.word.String())
	}
	s.file = s.file && !s.begun
	s.begun = false
	s.word.Reset()
}

func (s *splitter) endCommand() {
	s.endWord()
	if len(s.words) > 0 {
		s.found = append(s.found, s.words)
	}
	s.words, s.file = nil, false
}
