package git

import (
	"path/filepath"
	"strings"
	"testing"
)

// The parsers are unexported, and read files that any program may have written.

func FuzzParseGitFile(f *testing.F) {
	for _, s := range []string{"gitdir: ../.git/worktrees/a\n", "gitdir: /x/.git\r\n", "gitdir: ", "gitdir: a\nb\n", "gitdir: a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		path, ok := parseGitFile(content)
		if !ok {
			return
		}
		if path == "" || strings.ContainsAny(path, "\n\x00") {
			t.Fatalf("%q gave the path %q", content, path)
		}
		if again, ok := parseGitFile("gitdir: " + path + "\n"); !ok || again != path {
			t.Fatalf("%q is read back as %q", path, again)
		}
	})
}

func FuzzParseHead(f *testing.F) {
	for _, s := range []string{"ref: refs/heads/main\n", "ref: ../../etc/passwd\n", strings.Repeat("a", 40) + "\n", "ref: "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		ref, commit := parseHead(content)
		if ref != "" && !filepath.IsLocal(ref) {
			t.Fatalf("%q leads out of the repository: %q", content, ref)
		}
		if commit != "" && !IsObjectID(commit) {
			t.Fatalf("%q gave the commit %q", content, commit)
		}
	})
}
