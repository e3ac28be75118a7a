package terminal_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas/display"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestIsTerminal_FalseForFileAndBuffer(t *testing.T) {
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	require.False(t, terminal.IsTerminal(null))
	require.False(t, terminal.IsTerminal(&bytes.Buffer{}))
	require.Equal(t, terminal.Style{}, terminal.ChooseStyle(&bytes.Buffer{}, false, false, os.Getenv))
}

func TestChooseStyle_ColourFollowsEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal, noColor bool
		vars              map[string]string
		want              string
	}{
		"a terminal":      {terminal: true, want: "\x1b[31mx\x1b[0m"},
		"a pipe":          {want: "x"},
		"--no-color":      {terminal: true, noColor: true, want: "x"},
		"NO_COLOR":        {terminal: true, vars: map[string]string{"NO_COLOR": "1"}, want: "x"},
		"CLICOLOR=0":      {terminal: true, vars: map[string]string{"CLICOLOR": "0"}, want: "x"},
		"forced":          {vars: map[string]string{"CLICOLOR_FORCE": "1"}, want: "\x1b[31mx\x1b[0m"},
		"forced, refused": {vars: map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, want: "x"},
		"not forced":      {vars: map[string]string{"CLICOLOR_FORCE": "0"}, want: "x"},
		"a dumb terminal": {terminal: true, vars: map[string]string{"TERM": "dumb"}, want: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			s := terminal.ChooseStyle(&bytes.Buffer{}, tt.terminal, tt.noColor, func(name string) string { return tt.vars[name] })
			require.Equal(t, tt.want, s.Red("x"))
		})
	}
}

func TestChooseStyle_WidthFollowsVariableCOLUMNS(t *testing.T) {
	for said, want := range map[string]int{"": 0, "72": 72, "-1": 0, "wide": 0} {
		require.Equal(t, want, terminal.ChooseStyle(&bytes.Buffer{}, true, false, func(string) string { return said }).Width)
	}
}

var (
	head = []string{"ID", "TITLE"}
	rows = [][]string{{"ho_1", "Añadir\ntests"}, {"ho_12", "a \x1b[31mred\x1b[0m title"}}
)

func TestFormatTable_HasTabsWithoutTerminal(t *testing.T) {
	require.Equal(t, "ID\tTITLE\nho_1\tAñadir tests\nho_12\ta \\x1b[31mred\\x1b[0m title\n", terminal.Style{}.FormatTable(head, rows))
}

func TestFormatTable_IsAlignedOnTerminal(t *testing.T) {
	s := terminal.Style{Terminal: true, Style: display.Style{Width: 32}}
	require.Equal(t, "ID     TITLE\nho_1   Añadir tests\nho_12  a \\x1b[31mred\\x1b[0m\n       title\n", s.FormatTable(head, rows))
}

// A last column without room is drawn beneath the others.
func TestFormatTable_NarrowHasLastColumnBeneath(t *testing.T) {
	s := terminal.Style{Terminal: true, Style: display.Style{Width: 30}}
	got := s.FormatTable([]string{"ID", "AGENT", "TITLE"}, [][]string{{"ho_1", "a-long-name", "One two three four five six"}})
	require.Equal(t, "ID    AGENT\nho_1  a-long-name\n      One two three four five\n      six\n", got)
}

func TestFormatAge_UsesLargestUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:     "0s",
		59 * time.Second: "59s",
		5 * time.Minute:  "5m",
		25 * time.Hour:   "25h",
		72 * time.Hour:   "3d",
	} {
		require.Equal(t, want, terminal.FormatAge(d))
	}
}
