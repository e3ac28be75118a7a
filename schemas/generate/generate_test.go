package main

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

var update = flag.Bool("update", false, "rewrite the files")

func TestGenerate_FilesMatchTypes(t *testing.T) {
	t.Chdir("..")
	if *update {
		require.NoError(t, writeSchemas())
	}
	want, err := SchemaFiles()
	require.NoError(t, err)
	have := map[string]string{}
	require.NoError(t, filepath.WalkDir("json", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		have[filepath.ToSlash(path)] = string(b)
		return err
	}))
	for name, content := range want {
		require.Equal(t, string(content), have[name], "%s is stale: go generate ./schemas", name)
		delete(have, name)
	}
	require.Empty(t, have, "files of messages that are gone: go generate ./schemas")
}

func TestPublished_OmitsFieldsThatMailboxFills(t *testing.T) {
	t.Chdir("..")
	files, err := SchemaFiles()
	require.NoError(t, err)
	require.Equal(t, 5, strings.Count(string(files["json/Context.json"]), `"x-filled": true`))
	for _, field := range []string{"questions", "answers", "remarks", "partial_progress", "checkpoint"} {
		require.Contains(t, string(files["json/Context.json"]), `"`+field+`"`)
		require.NotContains(t, string(files["json/published/SendIn.json"]), `"`+field+`"`)
	}
}

func TestSchema_TagOfFieldNarrowsChoicesOfType(t *testing.T) {
	t.Chdir("..")
	files, err := SchemaFiles()
	require.NoError(t, err)
	require.Contains(t, string(files["json/published/FailIn.json"]), `"enum":["failed","rejected"]`)
	require.Contains(t, string(files["json/CompleteIn.json"]), `"enum": ["success", "partial"]`)
}

func TestPublished_OmitsHiddenArguments(t *testing.T) {
	t.Chdir("..")
	files, err := SchemaFiles()
	require.NoError(t, err)
	require.Contains(t, string(files["json/SendIn.json"]), `"origin"`)
	require.NotContains(t, string(files["json/published/SendIn.json"]), `"origin"`)
	for name, content := range files {
		published := strings.HasPrefix(name, "json/published/")
		require.False(t, published && strings.Contains(string(content), `"x-`), name)
	}
}
