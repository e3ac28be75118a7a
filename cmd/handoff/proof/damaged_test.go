//go:build unix

package proof_test

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/cmd/handoff/internal/root"
	"handoff/schemas"
	"handoff/store"
)

//go:embed testdata/damaged.txt
var damagedCommands string

// damageFile returns forty damaged contents of a file, by their name. The name has the kind of the page, as bbolt
// numbers it: 1 branch, 2 leaf, 4 meta, 16 list of free pages.
func damageFile(whole []byte) map[string][]byte {
	const page = 4096
	random := rand.New(rand.NewPCG(38, 40))
	damages := map[string][]byte{"cut after a third": whole[:len(whole)/3], "cut after two thirds": whole[:len(whole)*2/3]}
	for what, damage := range map[string]func(p []byte){
		"zeros": func(p []byte) { clear(p) },
		"random": func(p []byte) {
			copy(p, bytes.Repeat(binary.NativeEndian.AppendUint64(nil, random.Uint64()), len(p)/8))
		},
		"header": func(p []byte) { binary.NativeEndian.PutUint32(p[8:], random.Uint32()) },
		"bits": func(p []byte) {
			for range len(p) / 100 {
				p[random.IntN(len(p))] ^= 1 << random.IntN(8)
			}
		},
	} {
		for i := range 9 {
			content, at := bytes.Clone(whole), 2+i*(len(whole)/page-2)/9
			damage(content[at*page:][:page])
			damages[fmt.Sprintf("%s in page %d of kind %d", what, at, binary.NativeEndian.Uint16(whole[at*page+8:]))] = content
		}
		if what != "header" && what != "random" {
			damages[what+" in both pages of kind 4"] = bytes.Clone(whole)
			damage(damages[what+" in both pages of kind 4"][:2*page])
		}
	}
	return damages
}

// commandPaths returns the paths of all commands that have no others below them.
func commandPaths(of *cobra.Command) (paths []string) {
	for _, below := range of.Commands() {
		paths = append(paths, commandPaths(below)...)
	}
	if !of.HasSubCommands() && of.IsAvailableCommand() {
		paths = append(paths, strings.TrimPrefix(of.CommandPath(), "handoff "))
	}
	return paths
}

// Each command over a damaged store has the same status and names the same remedy, and the remedy works. A command may
// not meet the damage. Without checksums, a damaged branch can also lead to no row: then check tells of it, and names
// the remedy or the mend. HANDOFF_DAMAGED is the number of damaged places: make damaged plays all forty.
func TestDamage_EachCommandNamesRemedyThatWorks(t *testing.T) {
	d := commandtest.NewDesk(t)
	for i := range 30 {
		d.Must("dev", "send", "qa", fmt.Sprintf("Test %d", i), "--detail", strings.Repeat(fmt.Sprint(i), 1500))
	}
	d.Must("qa", "claim", "1")
	d.Must("qa", "complete", "1", "--summary", "Done")
	d.Must("qa", "claim", "6")
	backup := filepath.Join(t.TempDir(), "whole.backup")
	d.Must("dev", "backup", backup)
	whole, err := os.ReadFile(backup)
	require.NoError(t, err)
	lines := slices.DeleteFunc(strings.Split(damagedCommands, "\n"), func(line string) bool { return line == "" || line[0] == '#' })
	for _, path := range commandPaths(root.Command(root.NewApp(cli.Env{}, ""))) {
		require.True(t, slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(strings.TrimPrefix(line, "- ")+" ", path+" ")
		}), "testdata/damaged.txt lacks %s", path)
	}
	commands := slices.DeleteFunc(lines, func(line string) bool { return line[0] == '-' })
	run := func(t *testing.T, content []byte, line string) commandtest.ProcessResult {
		t.Helper()
		state := t.TempDir()
		writeStore(t, state, content)
		defer os.RemoveAll(state)
		return commandtest.RunProcess(t, state, func(cmd *exec.Cmd) {
			cmd.Dir, cmd.Env = filepath.Join(state, "handoff"), append(cmd.Env, "EDITOR=true", "HOME="+state)
			cmd.Stdin = strings.NewReader(commandtest.Hello + commandtest.ToolCall(1, "list_handoffs", `{"box":"all"}`))
		}, strings.Fields(line)...)
	}
	sound := map[string]int{}
	for _, line := range commands {
		sound[line] = run(t, whole, line).Code
	}
	damages := damageFile(whole)
	require.Len(t, damages, 40)
	names := slices.Sorted(maps.Keys(damages))
	places, err := strconv.Atoi(cmp.Or(os.Getenv("HANDOFF_DAMAGED"), "8"))
	require.NoError(t, err)
	for i := 0; i < len(names); i += len(names) / places {
		name, content := names[i], damages[names[i]]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told, unmet, misled := 0, 0, []string{}
			for _, line := range commands {
				have := run(t, content, line)
				said, own := have.Out+have.Errs, strings.HasPrefix(line, "mcp") || strings.HasPrefix(line, "doctor") // own statuses
				switch met := strings.Contains(said, store.DamageRemedy); {
				case met && (have.Code == 1 || own):
					told++
				case !met && have.Code == sound[line]:
					unmet++
				default:
					misled = append(misled, fmt.Sprintf("%s: %d: %s", line, have.Code, said))
				}
				require.NotContains(t, said, "goroutine ", line)
			}
			if len(misled) > 0 {
				check := run(t, content, "check")
				require.Regexp(t, regexp.QuoteMeta(store.DamageRemedy)+"|handoff check --mend", check.Out+check.Errs, "%s", misled)
			}
			requireRestore(t, content, backup)
			t.Logf("%d told, %d did not meet it, %q; %s", told, unmet, misled, requireSalvage(t, content))
		})
	}
}

// requireSalvage salvages a damaged store into a new workspace, and returns what was saved. Each of the thirty handoffs
// and each of their texts is there, or counted as lost.
func requireSalvage(t *testing.T, content []byte) string {
	t.Helper()
	state := t.TempDir()
	defer os.RemoveAll(state)
	path, file := writeStore(t, state, content), filepath.Join(state, "saved.jsonl")
	saved := commandtest.RunProcess(t, state, nil, "export", file, "--salvage")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content, after), "salvage changes nothing")
	if saved.Code != 0 {
		require.NoFileExists(t, file)
		require.Contains(t, saved.Errs, "nothing of workspace w can be read")
		return "salvage: status " + strconv.Itoa(saved.Code) + ", nothing can be read"
	}
	for _, args := range [][]string{{"import", file}, {"list", "--all"}, {"check"}, {"audit", "verify"}} {
		have := commandtest.RunProcess(t, state, nil, append(args, "--workspace", "saved")...)
		require.Zero(t, have.Code, "%v: %s%s", args, have.Out, have.Errs)
	}
	exported, err := os.ReadFile(file)
	require.NoError(t, err)
	var head schemas.ExportHeading
	require.NoError(t, json.Unmarshal(bytes.SplitN(exported, []byte("\n"), 2)[0], &head))
	texts, handoffs := 0, head.Lines["handoff"]
	for i := range 30 {
		texts += min(1, bytes.Count(exported, []byte(`"detail":"`+strings.Repeat(fmt.Sprint(i), 1500)+`"`)))
	}
	require.GreaterOrEqual(t, handoffs+head.Lost["handoff"]+head.Lost["event"], 30)
	require.GreaterOrEqual(t, texts+head.Lost["task"], handoffs)
	return fmt.Sprintf("salvage: status 0, %d handoffs, %d texts, lost %v", handoffs, texts, head.Lost)
}

// requireRestore restores a backup over a damaged store.
func requireRestore(t *testing.T, content []byte, backup string) {
	t.Helper()
	state := t.TempDir()
	defer os.RemoveAll(state)
	writeStore(t, state, content)
	for _, args := range [][]string{{"restore", backup, "--replace"}, {"check"}} {
		have := commandtest.RunProcess(t, state, nil, args...)
		require.Zero(t, have.Code, "%v: %s%s", args, have.Out, have.Errs)
	}
}
