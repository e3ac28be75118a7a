package completion_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commands/completion"
	"handoff/cmd/handoff/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// withoutList are names for which completion has no list.
var withoutList = map[string]bool{
	"token add NAME":             true, // a new one
	"--agent-role":               true, // the registrations of agents have it
	"--capability":               true,
	"--role":                     true,
	"--roles":                    true,
	"--type":                     true,
	"token revoke NAME":          true, // handoff token list shows it
	"workflow start NAME":        true, // the files of the project have it
	"retry ID":                   true, // of ended handoffs
	"accept ID":                  true,
	"recall ID":                  true, // of a message that was sent
	"checks run ID":              true, // of ended handoffs
	"rules test ID":              true, // of ended handoffs
	"audit verify --anchor":      true, // of a repository
	"send --key":                 true, // a new one
	"workflow start --key":       true,
	"run --key":                  true,
	"fail --detail":              true, // in words
	"run --reason":               true,
	"send --reason":              true, // in words
	"workflow start --reason":    true,
	"inbox --query":              true,
	"list --query":               true,
	"search --query":             true,
	"show --part":                true, // of one handoff
	"serve --host":               true, // of a machine
	"serve --http":               true, // an address
	"serve --oauth-agents-claim": true, // of another program
}

// naming matches the help of a flag whose value names something in the workspace, and the same words in a usage.
var (
	naming      = regexp.MustCompile(`(?i)\b(agents?|handoffs?|workflows?|workspace|roles?|recipient|name)\b`)
	namingWords = regexp.MustCompile(`\b(ID|NAME|TO|TOOL|AGENTS?|WORKFLOW|WORKSPACE|CLIENTS?|EVENT|SHELL|DIRECTORY)\b`)
)

// textual are the types of values that may be a name.
var textual = []string{"string", "text", "a,b", "stringSlice"}

// commandsWithCompletions returns the tree of commands with its completions.
func commandsWithCompletions(t *testing.T) []*cobra.Command {
	t.Helper()
	tree := commandtest.Root()
	completion.AddCompletions(&cli.App{}, tree)
	return commandtest.Commands(tree)
}

func TestRows_NameCommandsAndFlags(t *testing.T) {
	used := map[string]bool{}
	for _, cmd := range commandtest.Commands(commandtest.Root()) {
		path := commandPath(cmd)
		used[path] = true
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { used["--"+f.Name], used[path+" --"+f.Name] = true, true })
	}
	for _, row := range completion.Rows() {
		require.True(t, used[row], "%s: a completion that nobody gets", row)
	}
}

// commandPath returns a command's name in the rows of the table.
func commandPath(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "handoff ") }

// completedFlags returns the flags of a command with completions.
func completedFlags(cmd *cobra.Command) map[string]bool {
	flags := map[string]bool{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { _, flags[f.Name] = cmd.GetFlagCompletionFunc(f.Name) })
	return flags
}

func TestRows_CoverAllNames(t *testing.T) {
	offered := commandsWithCompletions(t)
	for i, cmd := range commandtest.Commands(commandtest.Root()) { // the help of a completed flag has lost its quotes
		path, completed, flags := commandPath(cmd), offered[i].ValidArgsFunction != nil, completedFlags(offered[i])
		names := namingWords.FindAllString(cmd.Use, -1)
		for _, word := range names {
			require.True(t, withoutList[path+" "+word] || completed, "no row says with what %s of %q completes", word, cmd.UseLine())
		}
		require.False(t, completed && len(names) == 0, "%q names nothing, and has a row", path)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, about := pflag.UnquoteUsage(f)
			named := slices.Contains(textual, f.Value.Type()) && naming.MatchString(f.Name+" "+value+" "+about)
			require.True(t, !named || withoutList[path+" --"+f.Name] || withoutList["--"+f.Name] || flags[f.Name],
				"no row says with what --%s of %q completes", f.Name, cmd.CommandPath())
		})
	}
}

// completionLines returns the completions for the shell of an agent, each with its description.
func completionLines(d commandtest.Desk, agent string, args ...string) []string {
	d.Helper()
	lines := strings.Split(strings.TrimSuffix(d.Must(agent, append([]string{cobra.ShellCompRequestCmd}, args...)...), "\n"), "\n")
	require.Regexp(d, `^:\d+$`, lines[len(lines)-1])
	return lines[:len(lines)-1]
}

// completionWords returns the completions without their descriptions.
func completionWords(d commandtest.Desk, agent string, args ...string) []string {
	d.Helper()
	words := []string{}
	for _, line := range completionLines(d, agent, args...) {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words
}

// newFilledDesk returns a workspace with a handoff in each state that a command can act on.
func newFilledDesk(t *testing.T) commandtest.Desk {
	d := commandtest.NewDesk(t)
	fillDesk(d)
	return d
}

func fillDesk(d commandtest.Desk) {
	d.Helper()
	d.Must("qa", "agents", "register", "qa", "--accepts", "code,test_request", "--role", "testing")
	d.Must("dev", "send", "qa", "Held", "--workflow", "login")   // 1
	d.Must("dev", "send", "qa", "Pending", "--priority", "high") // 2
	d.Must("dev", "send", "qa", "Failed")                        // 3
	d.Must("dev", "send", "human", "May I?", "--needs-approval") // 4
	d.Must("qa", "claim", "3")
	d.Must("qa", "fail", "3", "No", "--then", "stop")
	d.Must("qa", "claim", "1")
}

// completionRequests returns all requests for completions: for the argument of each command, and for each flag.
func completionRequests(t *testing.T) (all [][]string) {
	for _, cmd := range commandsWithCompletions(t) {
		words := strings.Fields(cmd.CommandPath())[1:]
		if cmd.ValidArgsFunction != nil {
			all = append(all, slices.Concat(words, []string{""}))
		}
		for flag, completed := range completedFlags(cmd) {
			if completed {
				all = append(all, slices.Concat(words, []string{"--" + flag, ""}))
			}
		}
	}
	return all
}

// A key press must leave no trace.
func TestCompletion_ChangesNothing(t *testing.T) {
	d := newFilledDesk(t)
	d.Must("dev", "send", "qa", "Read this", "--type", "message")
	before := d.Must("", "agents", "--json") + d.Must("", "show", "1", "--events") + d.Must("", "audit", "verify")
	d.Now = d.Now.Add(2 * time.Minute)
	for _, question := range completionRequests(t) {
		completionWords(d, "qa", question...)
		completionWords(d, "stranger", question...)
	}
	d.Now = d.Now.Add(-2 * time.Minute)
	require.Equal(t, before, d.Must("", "agents", "--json")+d.Must("", "show", "1", "--events")+d.Must("", "audit", "verify"))
	require.Contains(t, d.Must("qa", "list", "--box", "notices"), "Read this")
}

func TestCompletion_CreatesNoWorkspace(t *testing.T) {
	t.Parallel()
	d := commandtest.NewDesk(t)
	for _, question := range completionRequests(t) {
		completionWords(d, "qa", question...)
	}
	left, err := os.ReadDir(d.State)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Shells differ in the standard input of a completion. So completion does not use it to find the caller.
func TestCompletion_IgnoresTerminal(t *testing.T) {
	d := newFilledDesk(t)
	for _, command := range []string{"claim", "complete", "update", "cancel"} {
		e := d.Env()
		e.IsTerminal = func(any) bool { return true }
		code, out, _ := commandtest.Execute(t.Context(), e, d.Vars(""), cobra.ShellCompRequestCmd, command, "")
		require.Zero(t, code)
		elsewhere := d.Must("", cobra.ShellCompRequestCmd, command, "")
		require.Contains(t, elsewhere, ", for qa: ")
		require.Equal(t, elsewhere, out, command)
	}
}

func TestCompletion_LimitsHandoffs(t *testing.T) {
	t.Parallel()
	d := commandtest.NewDesk(t)
	for range 40 {
		d.Must("dev", "send", "qa", "Test it")
	}
	d.Must("qa", "claim", "40")
	offered := completionWords(d, "", "show", "")
	require.Len(t, offered, 30)
	require.Equal(t, []string{"40", "39", "38"}, offered[:3])
	require.Equal(t, []string{"19", "18", "17", "16", "15", "14", "13", "12", "11"}, completionWords(d, "", "show", "1"))
	require.Empty(t, completionWords(d, "", "show", "title"))
}

// An agent wrote the title. The title must stay on one line, within the description.
func TestDescriptions_AreOneLineOfText(t *testing.T) {
	d := commandtest.NewHostileDesk(t)
	for _, typed := range [][]string{{"show", ""}, {"history", ""}, {"send", ""}, {"wait", ""}} {
		found := completionLines(d, "qa", typed...)
		require.NotEmpty(t, found)
		for _, line := range found {
			require.Regexp(t, `^[a-z0-9_:.-]+(\t[^\t]{1,80})?$`, line)
			require.NotRegexp(t, `[\x00-\x08\x0a-\x1f\x7f\x{80}-\x{9f}\x{202e}\x{200b}]`, line)
		}
	}
}
