package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

const examples = "../../examples"

var updateExamples = flag.Bool("update", false, "write what is generated in examples")

// runExample runs lines of a shell, in the folder of the examples, where handoff is this program.
func runExample(t *testing.T, lines string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the examples are written for a Unix shell")
	}
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "handoff"), []byte("#!/bin/sh\nexec "+commandtest.Program+` "$@"`+"\n"), 0o700))
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", lines)
	temp := t.TempDir()
	cmd.Env = []string{
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + temp, "TMPDIR=" + temp,
		"XDG_STATE_HOME=" + filepath.Join(temp, "state"), "GORACE=atexit_sleep_ms=0",
	}
	cmd.Dir = examples
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	left, err := filepath.Glob(filepath.Join(temp, "tmp.*"))
	require.NoError(t, err)
	require.Empty(t, left, "temporary directories are removed")
	return string(out)
}

func TestExamplePipeline_PrintsAsShown(t *testing.T) {
	out := runExample(t, "./pipeline.sh")
	for _, told := range []string{
		"rollback: auto-code goes on with ho_4\n", "[ROLLBACK to auto-code]\n", "ho_5: Test the login again\n    │ Status: ✓ Completed\n",
		"21 events of 5 handoffs\n",
	} {
		require.Contains(t, out, told)
	}
	require.Regexp(t, `\nOK\n$`, out)
}

func TestExampleApproval_PrintsAsShown(t *testing.T) {
	out := runExample(t, "./approval.sh")
	for _, told := range []string{
		"blocked by: approval\n", "nothing to claim\n", "no_1\tdev\t", "ho_1 waiting\n", "> dev: The report of May did, and is gone\n",
		"Handoff ho_1\nHolder: dba\nStatus: ✓ Completed\n",
	} {
		require.Contains(t, out, told)
	}
}

// The commands are from the README. A message in our spelling is kept whole: values without a field stand under
// origin.
func TestExampleMessages_PrintAsShown(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(examples, "README.md"))
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	out := runExample(t, string(shown[1])+"for id in 1 2 3; do handoff show $id --full; done\n")
	files, err := filepath.Glob(filepath.Join(examples, "messages", "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		require.Contains(t, string(shown[1]), "--file messages/"+filepath.Base(file))
	}
	for _, told := range []string{
		"ho_1 completed, success\n", "ho_2 failed\nrollback: architect goes on with ho_3\n", `"severity": "high"`, `"commit": "4f2c1aa"`,
		"[x] A test covers a reset connection ✓ TestUploadAfterReset\n", "Who owns the test network?",
		"ho_5 pending, for writer,", "ho_6 rejected\n", "ho_7 completed, success\n", "ho_8 failed\nrollback: architect goes on with ho_9\n",
		"ho_10 pending, for testing-specialist-RedStone,", "ho_13 pending, for role:fixing,",
	} {
		require.Contains(t, out, told)
	}
	require.NotContains(t, out, `"origin"`)
}

func TestCommand_WaitsForSlowGit(t *testing.T) {
	out := runExample(t, `. ./session.sh
project rules/agents.yaml
printf '#!/bin/sh\nsleep 0.3\nexec "%s" "$@"\n' "$(command -v git)" >"$state/git"
chmod +x "$state/git"
PATH=$state:$PATH
handoff send role:testing "Test it" --agent lead
handoff show 1 --brief
`)
	require.Contains(t, out, "Sent from a tree with uncommitted changes: .handoff/agents.yaml")
}

// seconds is how long work took, which a busy machine makes longer. A failure shows its duration only from a second on.
var (
	seconds           = regexp.MustCompile(`(?:<1|\d+) s\b`)
	durationOfFailure = regexp.MustCompile(`(Status: ✗ .*\n).*Duration: .*\n`)
)

// The example prints the text of seen.txt, and the commands of its README can be typed.
func TestWorkedExamples_PrintAsShown(t *testing.T) {
	for _, name := range []string{"two-sessions", "claude-to-codex", "subagents", "human", "files", "rules", "router", "swarm", "review", "outside"} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("python3"); err != nil && name == "outside" {
				t.Skip("python3 is not there")
			}
			readme, err := os.ReadFile(filepath.Join(examples, name, "README.md"))
			require.NoError(t, err)
			for line := range strings.Lines(string(readme)) {
				for _, words := range calls(line) {
					require.NoError(t, parse(words), line)
				}
			}
			seen := durationOfFailure.ReplaceAllString(runExample(t, "./"+name+"/play.sh"), "$1")
			generated(t, filepath.Join(examples, name, "seen.txt"), seconds.ReplaceAllString(seen, "<1 s"))
		})
	}
}

// generated compares a generated file with its expected content; with -update it writes the file.
func generated(t *testing.T, file, want string) {
	t.Helper()
	if *updateExamples {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	there, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(there), "%s is stale: go test ./cmd/handoff -run Example -update", file)
}

var linked = regexp.MustCompile(`\]\(([^)#:]+)\)`)

// Each example can be reached from a README, and all links lead somewhere.
func TestExamples_AreAllLinked(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	list, err := os.ReadFile(filepath.Join(examples, "README.md"))
	require.NoError(t, err)
	there, err := os.ReadDir(examples)
	require.NoError(t, err)
	for _, entry := range there {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || name == "README.md" || name == "session.sh" {
			continue // read by clients, by the reader now, and by other examples
		}
		require.Contains(t, string(readme), "](examples/"+name+")")
		require.Contains(t, string(list), "]("+name+")")
	}
	for dir, text := range map[string][]byte{"../..": readme, examples: list} {
		for _, link := range linked.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(dir, link[1]))
			require.NoError(t, err)
		}
	}
}

// The examples of help finish the handoff that they name.
func TestHelp_NamesHandoffThatMessageFinishes(t *testing.T) {
	root := commandtest.Root()
	for _, c := range []struct{ command, shown, send, told string }{
		{"complete", "--file completion.json", "--criteria A --criteria B", "ho_1 completed"},
		{"fail", "--file failure.json", "", "ho_1 failed"},
		{"call", "| handoff call complete_handoff -", "", `"status":"completed"`},
	} {
		cmd, _, err := root.Find([]string{c.command})
		require.NoError(t, err)
		var typed string
		for line := range strings.Lines(cmd.Example) {
			if strings.Contains(line, c.shown) {
				typed = strings.NewReplacer("12", "1", "agent qa", "agent auto-code").Replace(line)
			}
		}
		require.NotEmpty(t, typed, c.shown)
		out := runExample(t, "cd messages\nhandoff send auto-code Test --agent architect "+c.send+"\nhandoff claim --agent auto-code\n"+typed)
		require.Contains(t, out, c.told)
	}
}
