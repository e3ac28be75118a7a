//go:build unix

package completion_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// runInShell runs a script in a real shell in which handoff is this program. It skips the test if the shell is not
// installed.
func runInShell(d commandtest.Desk, t *testing.T, shell, script string) string {
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skip(shell + " is not installed: its completion was not tried")
	}
	bin := t.TempDir()
	ours, err := exec.LookPath(commandtest.Program)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(ours, filepath.Join(bin, commandtest.Program)))
	cmd := exec.CommandContext(t.Context(), path, "-c", script)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "XDG_STATE_HOME=" + d.State, "HANDOFF_WORKSPACE=w",
		"GORACE=atexit_sleep_ms=0",
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	left, err := os.ReadDir(cmd.Dir)
	require.NoError(t, err)
	for _, entry := range left {
		require.NotEqual(t, "pwned", entry.Name(), "the shell ran what an agent wrote")
	}
	return string(out)
}

// newDeskWithShellCode returns a workspace with titles that a shell would run if they were part of its script.
func newDeskWithShellCode(t *testing.T) commandtest.Desk {
	d := commandtest.NewDesk(t)
	d.Now = time.Now() // as the processes that shells start have it
	fillDesk(d)
	for _, title := range []string{"$(touch pwned)", "`touch pwned`", "'; touch pwned; '", `"; touch pwned; "`, "a\ttouch pwned\nb"} {
		d.Must("dev", "send", "qa", "x", "--title", title)
	}
	return d
}

// inBash requests completions as bash does, without the package bash-completion: bash splits words at the signs = and
// colon.
const inBash = `
source <(handoff-process completion bash) || exit
compopt() { :; }
press() {
	COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
	__start_handoff || exit
	printf '%s\n' "${COMPREPLY[@]}"
}
COLUMNS=100
COMP_TYPE=9; press handoff-process show ''
COMP_TYPE=37; press handoff-process show ''
COMP_TYPE=63; press handoff-process claim --agent qa ''
COMP_TYPE=9; press handoff-process list --workflow wf_lo
COMP_TYPE=9; press handoff-process list --workflow = wf_lo
`

func TestCompletion_WorksInBash(t *testing.T) {
	out := runInShell(newDeskWithShellCode(t), t, "bash", inBash)
	require.Regexp(t, `(?s)^9  \(pending, for qa: a touch pwned b\)\n.*\n5  \(pending, for qa: \$\(touch pwned\)\)\n.*\n9\n8\n.*\n2  \(pending, for qa: Pending\)\n.*\nwf_login\nwf_login\n$`, out)
}

func TestCompletion_WorksInZsh(t *testing.T) {
	out := runInShell(newDeskWithShellCode(t), t, "zsh", `
compdef() { }
source <(handoff-process completion zsh)
_describe() { print -rl -- "${completions[@]}" }
words=(handoff-process show '') CURRENT=3; _handoff
`)
	require.Contains(t, out, "5:pending, for qa\\: $(touch pwned)\n")
}

func TestCompletion_WorksInFish(t *testing.T) {
	out := runInShell(newDeskWithShellCode(t), t, "fish", `
handoff-process completion fish | sed 's/-c handoff /-c handoff-process /' | source
complete -C 'handoff-process show '
`)
	require.Contains(t, out, "5\tpending, for qa: $(touch pwned)\n")
}

// Fish passes the words of the line without their quotes. The script must keep them words, and run none of them.
func TestCompletion_InFishRunsNoQuotedText(t *testing.T) {
	out := runInShell(newDeskWithShellCode(t), t, "fish", `
handoff-process completion fish | sed 's/-c handoff /-c handoff-process /' | source
echo untouched >keep
complete -C "handoff-process send qa 'write the notes > keep' --pri"
complete -C "handoff-process send qa 'fix the crash; touch pwned;' --pri"
complete -C "handoff-process send qa '\$(touch pwned)' --pri"
complete -C "handoff-process send qa '(touch pwned)' --pri"
complete -C "handoff-process send qa \"don't stop\" --pri"
complete -C "handoff-process sho"
cat keep
mkdir ~/shop
set -e HANDOFF_WORKSPACE
handoff-process send qa 'Sell it' --agent dev --dir ~/shop >/dev/null
complete -C "handoff-process show --dir ~/shop "
`)
	require.Equal(t, 5, strings.Count(out, "--priority\t"), out)
	require.Contains(t, out, "\nshow\tShow one handoff, or one notice in full\nuntouched\n1\tpending, for qa: Sell it\n")
}

// The examples of the help work for a person without files of the shell.
func TestCompletion_ExamplesWorkInEmptyHome(t *testing.T) {
	t.Parallel()
	completion, _, err := commandtest.Root().Find([]string{"completion"})
	require.NoError(t, err)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			for line := range strings.Lines(completion.Example) {
				if strings.Contains(line, "completion "+shell) {
					runInShell(commandtest.NewDesk(t), t, shell, strings.ReplaceAll(line, "handoff completion", commandtest.Program+" completion"))
				}
			}
		})
	}
}

// Completion does not wait for a stopped owner.
func TestCompletion_DoesNotWaitForStoppedOwner(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	s := p.StartServer("--agent", "reviewer")
	s.Request("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGSTOP))
	asked := commandtest.RunProcess(t, p.State, nil, "__complete", "show", "")
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGCONT))
	require.Zero(t, asked.Code, asked.Errs)
	require.Regexp(t, `^:\d+\n$`, asked.Out)
	s.CloseInput()
}
