package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// newTestRelease makes a release to fill every template. It invents the results of builds.
func newTestRelease(t *testing.T) *release {
	t.Helper()
	s, err := readSettings("../..")
	require.NoError(t, err)
	r := newRelease("", t.TempDir(), platforms)
	r.Settings, r.Version, r.Notes, r.Unreleased = s, "1.2.3", "- A\n", true
	for _, b := range r.Platforms {
		require.NoError(t, b.addArtifact(t.Context(), "archive", b.platform, b.archiveName()+".tar.gz", []byte(b.String())))
		require.NoError(t, b.addArtifact(t.Context(), "bundle", b.platform, b.archiveName()+".mcpb", []byte(b.String())))
	}
	require.NoError(t, r.addManifests(t.Context()))
	return r
}

func TestServerJSON_FitsSchemaOfRegistry(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/server.schema.json")
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(newTestRelease(t).out, "server.json"))
	require.NoError(t, err)
	server, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(server))
	server.(map[string]any)["name"] = "handoff"
	require.Error(t, schema.Validate(server))
}

func TestManifests_Parse(t *testing.T) {
	r := newTestRelease(t)
	for _, name := range []string{"scoop/handoff.json", "latest.json"} {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		require.NoError(t, err)
		require.True(t, json.Valid(data), name)
	}
	require.NoError(t, exec.Command("sh", "-n", filepath.Join(r.out, "publish.sh")).Run())
}

func TestChangelog_HasVersionsAndSections(t *testing.T) {
	const changelog = "# Changelog\n\n## [Unreleased]\n\n- C\n\n## [1.2.0] - 2026-01-31\n\n- B\n\n## [1.1.0] - 2026-01-01\n\n- A\n"
	require.Equal(t, "1.2.0", newestVersion(changelog))
	require.Equal(t, "0.0.0", newestVersion("## [Unreleased]\n"))
	require.Equal(t, "1.2.1", nextVersion("1.2.0"))
	require.Equal(t, "2.0.0-rc.1", nextVersion("2.0.0-rc.1"))
	require.Equal(t, "- C\n", changelogSection(changelog, "Unreleased"))
	require.Equal(t, "- B\n", changelogSection(changelog, "1.2.0"))
	require.Equal(t, "- A\n", changelogSection(changelog, "1.1.0"))
}

func TestPrepare_RefusesSameVersionTwice(t *testing.T) {
	root := t.TempDir()
	changelog := filepath.Join(root, "CHANGELOG.md")
	require.NoError(t, writeFile(changelog, []byte("# Changelog\n\n## [Unreleased]\n\n- A\n"), modeText))
	for _, name := range versionedFiles {
		require.NoError(t, writeFile(filepath.Join(root, name), []byte(`{"version": "0.0.0"}`), modeText))
	}
	day := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	require.NoError(t, prepareVersion(root, "1.2.0", day))
	written, err := os.ReadFile(changelog)
	require.NoError(t, err)
	require.Equal(t, "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n- A\n", string(written))
	for _, name := range versionedFiles {
		manifest, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.JSONEq(t, `{"version": "1.2.0"}`, string(manifest))
	}
	require.ErrorContains(t, prepareVersion(root, "1.2.0", day), "does not come after")
	require.ErrorContains(t, prepareVersion(root, "v2", day), "no version")
	require.ErrorContains(t, prepareVersion(root, "", day), "no version")
	last := filepath.Join(root, versionedFiles[len(versionedFiles)-1])
	require.NoError(t, writeFile(last, []byte(`{}`), modeText))
	require.ErrorContains(t, prepareVersion(root, "1.3.0", day), "has no")
	kept, err := os.ReadFile(changelog)
	require.NoError(t, err)
	require.Equal(t, written, kept)
	require.NoError(t, writeFile(changelog, []byte("# Changelog\n"), modeText))
	require.ErrorContains(t, prepareVersion(root, "1.3.0", day), "has no")
}

func TestNotices_AreOfOnePlatform(t *testing.T) {
	r := newRelease("", t.TempDir(), platforms)
	for i, b := range r.Platforms {
		b.Modules = []dependency{{b.String(), "v1.0.0", "MIT\n"}}
		require.NoError(t, b.addBillOfMaterials(t.Context()))
		bill, err := os.ReadFile(filepath.Join(r.out, r.Artifacts[i].Name))
		require.NoError(t, err)
		notices, err := b.fillTemplate("notices.tmpl", b)
		require.NoError(t, err)
		for _, text := range []string{string(bill), string(notices)} {
			for _, other := range platforms {
				require.Equal(t, b.platform == other, strings.Contains(text, other.String()))
			}
		}
	}
}

func TestOutFolder_RefusesOtherFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a b")
	require.NoError(t, writeFile(filepath.Join(root, "mine", "work"), nil, modeText))
	require.NoError(t, writeFile(filepath.Join(root, "old", "checksums.txt"), nil, modeText))
	for out, refused := range map[string]string{
		"": "", root + "/old": "", root + "/new": "", root + "/mine": "no checksums.txt",
		root: "holds the repository", filepath.Dir(root): "holds the repository", root + "/mine/work": "not a directory",
	} {
		_, err := outFolder(root, out)
		if refused == "" {
			require.NoError(t, err, out)
		} else {
			require.ErrorContains(t, err, refused)
		}
	}
}

func TestSetAddress_AgainChangesNothing(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	root := t.TempDir()
	git := func(args ...string) {
		_, err := runCommand(t.Context(), root, nil, "git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		require.NoError(t, err)
	}
	files := map[string][2]string{ // before and after
		"go.mod":        {"module old\n", "module example.com/Ann/new/v2\n"},
		"tools/go.mod":  {"module old/tools\n", "module example.com/Ann/new/v2/tools\n"},
		".golangci.yml": {"  local-prefixes: [old]\n", "  local-prefixes: [example.com/Ann/new/v2]\n"},
		"README.md": {
			"git clone ADDRESS old  # ADDRESS is\nhttps://example.com/x/old/issues\n",
			"git clone https://example.com/Ann/new old\nhttps://example.com/Ann/new/issues\n",
		},
		"tools/a.go": {
			"import (\n\ta \"old/tools\"\n\t\"old/store/bolt\"\n)\n// [old/store.Tx] state/old/store old/other \"old\"\n",
			"import (\n\ta \"example.com/Ann/new/v2/tools\"\n\t\"example.com/Ann/new/v2/store/bolt\"\n)\n" +
				"// [example.com/Ann/new/v2/store.Tx] state/old/store old/other \"old\"\n",
		},
		"store/a.go": {"package store\n", "package store\n"},
		settingsFile: {
			"module: old # a\nrepository: https://example.com/x/old\nimage: host/x/old\ntap: x/tap\n",
			"module: example.com/Ann/new/v2 # a\nrepository: https://example.com/Ann/new\nimage: host/ann/old\ntap: Ann/tap\n",
		},
	}
	for name, text := range files {
		require.NoError(t, writeFile(filepath.Join(root, name), []byte(text[0]), modeText))
	}
	git("init", "-q")
	require.ErrorContains(t, setAddress(t.Context(), root, "example.com/Ann/new/v2"), "git commit")
	git("add", ".")
	git("commit", "-qm", "as it was")
	require.ErrorContains(t, setAddress(t.Context(), root, "new"), "as github.com/owner/handoff")
	for range 2 {
		require.NoError(t, setAddress(t.Context(), root, "example.com/Ann/new/v2"))
		for name, text := range files {
			after, err := os.ReadFile(filepath.Join(root, name))
			require.NoError(t, err)
			require.Equal(t, text[1], string(after), name)
		}
		git("add", ".")
		git("commit", "-q", "--allow-empty", "-m", "at its address")
	}
}

func TestSettings_NameModule(t *testing.T) {
	s, err := readSettings("../..")
	require.NoError(t, err)
	text, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	require.Equal(t, s.Module, modfile.ModulePath(text))
}

func TestCheckFlags_RefusesContradictions(t *testing.T) {
	require.Error(t, checkFlags(nil, []string{"two"}))
	require.Error(t, checkFlags(map[string]bool{"prepare": true, "snapshot": true}, nil))
	require.NoError(t, checkFlags(map[string]bool{"prepare": true}, nil))
}

func TestPrerelease_IsNotPublishedAsNewest(t *testing.T) {
	for version, candidate := range map[string]bool{"1.2.0": false, "1.2.0-rc.1": true} {
		r := newRelease("", "", platforms[:1])
		r.Version, r.Artifacts = version, []artifact{{Kind: "npm", Name: "a.tgz"}}
		script, err := r.fillTemplate("manifests/publish.sh.tmpl", r)
		require.NoError(t, err)
		for _, says := range []string{" --prerelease ", "npm publish --tag next "} {
			require.Equal(t, candidate, bytes.Contains(script, []byte(says)), version)
		}
		require.NotContains(t, string(script), ".zip")
	}
}
