package setup_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// A config is a configuration file of a possible user: testdata/configs/CLIENT/servers or hooks/NAME.
type config struct {
	name   string
	client client.Client
	files  client.ConfigPaths
	text   string
	alone  string // why it is left alone; empty: it is changed
}

func configs(t *testing.T) (all []config) {
	t.Helper()
	alone := leftAlone(t)
	root := filepath.Join("testdata", "configs")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		parts := strings.Split(name, "/")
		c := config{name: name, client: known(t, parts[0]), text: string(text), alone: alone[name]}
		if c.files = c.client.Servers; parts[1] == "hooks" {
			c.files = c.client.Hooks.ConfigPaths
		}
		delete(alone, name)
		all = append(all, c)
		return err
	}))
	require.Empty(t, alone, "testdata/left-alone.txt names files that are not there")
	require.Greater(t, len(all), 60)
	return all
}

func leftAlone(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "left-alone.txt"))
	require.NoError(t, err)
	alone := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, why, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			alone[name] = why
		}
	}
	return alone
}

// place puts a file where its client looks for it.
func (w *world) place(c config) string {
	path := c.files.PathFor(client.User, w.desired.Machine)
	w.write(path, c.text, 0o640)
	return path
}

func TestApplyUndo_RestoresEveryConfiguration(t *testing.T) {
	for _, c := range configs(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // each waits for the disk most of the time
			w := newWorld(t)
			path := w.place(c)
			change := of(t, w.PlanSetup(c.client, w.desired), path)
			if c.alone != "" {
				require.ErrorContains(t, change.Err, c.alone)
				_, err := w.Apply(change)
				require.Error(t, err)
				w.requireText(c.text, path)
				return
			}
			require.NoError(t, change.Err)
			require.False(t, change.IsUnchanged())
			w.apply(c.client)
			require.NotEqual(t, c.text, w.read(path))
			requireNothingLost(t, c, w.read(path))
			require.True(t, of(t, w.PlanSetup(c.client, w.desired), path).IsUnchanged(), "a second run changes nothing")
			w.revert(c.client)
			w.requireText(c.text, path)
			requireMode(t, path, 0o640)
			require.Equal(t, []string{filepath.Base(path)}, beside(t, path), "no copies stay")
		})
	}
}

// afterSetup tests each configuration that setup has changed.
func afterSetup(t *testing.T, test func(t *testing.T, w *world, c config, path string)) {
	t.Helper()
	for _, c := range configs(t) {
		if c.alone != "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // each waits for the disk most of the time
			w := newWorld(t)
			path := w.place(c)
			w.apply(c.client)
			test(t, w, c, path)
		})
	}
}

// Another author wrote the file after setup. Then removal takes our parts out of the new text.
func TestApplyUndo_KeepsLaterChanges(t *testing.T) {
	afterSetup(t, func(t *testing.T, w *world, c config, path string) {
		w.write(path, w.read(path)+"\n", 0o640)
		undo := of(t, w.PlanUndo(c.client, w.desired), path)
		require.NoError(t, undo.Err)
		require.False(t, undo.Exact)
		w.revert(c.client)
		require.Equal(t, meaning(t, c, c.text), meaning(t, c, w.read(path)))
		requireNothingOfOurs(t, c, w.read(path))
		requireNothingLost(t, c, w.read(path))
		require.Greater(t, len(beside(t, path)), 1, "the copies stay")
	})
}

// Without a receipt, as after a setup by hand, removal finds our parts all the same.
func TestApplyUndo_WithoutReceiptRemovesOurParts(t *testing.T) {
	afterSetup(t, func(t *testing.T, w *world, c config, path string) {
		require.NoError(t, os.RemoveAll(w.Dir))
		w.revert(c.client)
		require.Equal(t, meaning(t, c, c.text), meaning(t, c, w.read(path)))
		requireNothingOfOurs(t, c, w.read(path))
		c.text = strings.Replace(c.text, `"Stop": []`, "", 1) // may have been ours
		requireNothingLost(t, c, w.read(path))
	})
}

// requireNothingLost fails if a character of the original is missing, in its order, comments included. It ignores
// commas and blanks, and changes of an older entry of ours.
func requireNothingLost(t *testing.T, c config, now string) {
	t.Helper()
	if !strings.Contains(c.name, "ours") && !strings.Contains(c.name, "null") {
		require.Empty(t, lost(strings.Map(written, c.text), strings.Map(written, now)), now)
	}
	require.Equal(t, strings.HasPrefix(c.text, "\uFEFF"), strings.HasPrefix(now, "\uFEFF"))
	if strings.Contains(c.text, "\r\n") {
		now = strings.TrimSuffix(now, "\n")
		require.Equal(t, strings.Count(now, "\n"), strings.Count(now, "\r\n"), "all lines end alike")
	}
}

// lost returns the rest of a text from its first character that another text does not have.
func lost(text, in string) string {
	for i := 0; i < len(text); i++ {
		at := strings.IndexByte(in, text[i])
		if at < 0 {
			return text[i:]
		}
		in = in[at+1:]
	}
	return ""
}

func written(r rune) rune {
	if strings.ContainsRune(", \t\r\n", r) {
		return -1
	}
	return r
}

// meaning returns the values of a file without ours. Objects and lists that only our parts needed count as missing.
func meaning(t *testing.T, c config, text string) any {
	t.Helper()
	doc, err := edit.ParseDocument(c.files.Syntax, []byte(text))
	require.NoError(t, err)
	v, ok := doc.Lookup()
	require.True(t, ok)
	return without(v)
}

func requireNothingOfOurs(t *testing.T, c config, now string) {
	t.Helper()
	doc, err := edit.ParseDocument(c.files.Syntax, []byte(now))
	require.NoError(t, err)
	_, there := doc.Lookup("mcpServers", "handoff")
	require.False(t, there)
	_, there = doc.Lookup("mcp_servers", "handoff")
	require.False(t, there)
	_, there = doc.Lookup("extensions", "handoff")
	require.False(t, there)
	require.NotRegexp(t, `handoff'? hook`, now)
}

func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, value := range v {
			if value = without(value); key != "handoff" && !empty(value) {
				kept[key] = value
			}
		}
		return kept
	case []any:
		var kept []any
		for _, value := range v {
			if o, ok := value.(map[string]any); ok {
				command, _ := o["command"].(string)
				if _, ok := client.ParseHookLine(command); ok {
					continue
				}
			}
			if value = without(value); !empty(value) {
				kept = append(kept, value)
			}
		}
		return kept
	}
	return v
}

func empty(v any) bool {
	r := reflect.ValueOf(v)
	return v == nil || (r.Kind() == reflect.Map || r.Kind() == reflect.Slice) && r.Len() == 0
}

func requireMode(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // modes of files mean nothing there
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, mode, info.Mode().Perm())
}

// beside lists the file and its copies.
func beside(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)) {
			names = append(names, e.Name())
		}
	}
	return names
}
