package plugin_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/plugin"
	"handoff/tools"
)

const (
	root     = "../../../../../"
	examples = root + "examples/"
)

var update = flag.Bool("update", false, "write the plugins into examples")

func source(t *testing.T) plugin.Source {
	t.Helper()
	return plugin.Source{Version: plugin.Version(read(t, root+"CHANGELOG.md")), License: read(t, root+"LICENSE"), Prompts: prompts(t)}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

func TestPluginsAreWhatTheTablesSay(t *testing.T) {
	written := map[string]bool{}
	for _, file := range plugin.Files(source(t)) {
		written[file.Path] = true
		if *update {
			require.NoError(t, os.MkdirAll(path.Dir(examples+file.Path), 0o755))
			require.NoError(t, os.WriteFile(examples+file.Path, []byte(file.Text), 0o644))
		}
		require.Equal(t, file.Text, read(t, examples+file.Path), "%s is stale: go test ./cmd/handoff/internal/clients/plugin -update", file.Path)
	}
	for _, there := range present(t) {
		if *update && !written[there] {
			require.NoError(t, os.Remove(examples+there))
			continue
		}
		require.True(t, written[there], "nobody writes %s: go test ./cmd/handoff/internal/clients/plugin -update removes it", there)
	}
}

// present lists the files of the plugins that are there.
func present(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, dir := range plugin.Dirs() {
		require.NoError(t, fs.WalkDir(os.DirFS(examples), dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files = append(files, p)
			}
			return err
		}))
	}
	return files
}

func TestVersionIsTheNewestRelease(t *testing.T) {
	require.Equal(t, "0.0.0", plugin.Version("# Changelog\n\n## [Unreleased]\n\n- A\n"))
	require.Equal(t, "1.2.0", plugin.Version("## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n## [1.1.0] - 2026-01-01\n"))
	require.Equal(t, "2.0.0-rc.1", plugin.Version("## [2.0.0-rc.1]\n"))
}

// A prompt that is added to the server is added to the plugins, or nothing is written.
func TestEveryPromptNeedsWords(t *testing.T) {
	s := source(t)
	s.Prompts = append(s.Prompts, plugin.Prompt{Name: "dance"})
	require.PanicsWithValue(t, "plugin: no words for the prompt dance", func() { plugin.Files(s) })
}

var shown = regexp.MustCompile("`([a-z]+_[a-z]+)(?: (\\{.*?\\}))?`")

// The calls that the skill shows are understood as they stand.
func TestSkillShowsCallsThatWork(t *testing.T) {
	var calls int
	skill := strings.ReplaceAll(read(t, examples+"claude-plugin/skills/handoff/SKILL.md"), "\n   ", " ")
	for _, call := range shown.FindAllStringSubmatch(skill, -1) {
		if call[2] == "" {
			continue
		}
		tool, err := tools.Find(call[1])
		require.NoError(t, err, call[0])
		_, err = tool.Canonical(json.RawMessage(call[2]))
		require.NoError(t, err, call[0])
		calls++
	}
	require.Greater(t, calls, 8)
}

var joined = regexp.MustCompile(`[a-z]+(?:_[a-z]+)+`)

// What a command may call without asking is what it speaks of, so a tool under a wrong name would be neither.
func TestCommandsSpeakOfToolsThatThereAre(t *testing.T) {
	files, err := filepath.Glob(examples + "claude-plugin/commands/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		head, body, found := strings.Cut(read(t, file), "\n---\n")
		require.True(t, found, file)
		spoken := joined.FindAllString(body, -1)
		require.NotEmpty(t, spoken, file)
		for _, name := range spoken {
			_, err := tools.Find(name)
			require.NoError(t, err, file)
			require.Contains(t, head, "mcp__plugin_handoff_handoff__"+name, file)
		}
	}
}
