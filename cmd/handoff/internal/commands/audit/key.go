package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/platform"
)

func keyCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use: "key",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.ConnectAsCaller(cmd.Context(), "audit_tree", func(*cli.Connection) error { return nil }); err != nil {
				return err // no key for a missing workspace
			}
			k, err := signingKey(a)
			if err != nil {
				return err
			}
			return a.PrintValue(map[string]string{"key": k.verifier}, func(p *cli.Page) { p.AddLine("%s", k.verifier) })
		},
	}
}

// key signs heads of one workspace. Its name is their origin.
type key struct {
	note.Signer
	verifier string // the public key, in the form of package note
}

// signingKey reads the key of the workspace, and makes a key if there is none. A renamed workspace keeps its key and
// the origin in the key.
func signingKey(a *cli.App) (key, error) {
	path, origin, err := keyPath(a)
	if err != nil {
		return key{}, err
	}
	k, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path, origin); err == nil {
			k, err = readKey(path)
		}
	}
	if err != nil {
		return key{}, schemas.Errorf(schemas.Unavailable, "no signing key in %s: %w", path, err).
			WithHint("Put back a copy of it, or name another file with HANDOFF_KEY.")
	}
	if a.Getenv("HANDOFF_KEY") != "" && k.Name() != origin {
		return key{}, schemas.Errorf(schemas.Conflict, "the key in HANDOFF_KEY is that of %s, and this is %s", k.Name(), origin).
			WithHint("Each workspace has a key of its own. A file that is not there yet is made.")
	}
	return k, nil
}

// keyPath returns the path of the key file, and the origin for a new key. The file may not exist yet.
func keyPath(a *cli.App) (path, origin string, err error) {
	ws, err := workspace.Find(a.WorkspaceConfig())
	path, origin = filepath.Join(ws.Dir, workspace.KeyFile), "handoff.local/"+ws.Name
	if given := a.Getenv("HANDOFF_KEY"); given != "" {
		path = a.AbsolutePath(given)
	}
	return path, origin, err
}

// keyOrigin returns the origin, which is the name under which the heads of the workspace are signed. It makes no key.
func keyOrigin(a *cli.App) (string, error) {
	path, origin, err := keyPath(a)
	if k, reading := readKey(path); reading == nil {
		origin = k.Name()
	}
	return origin, err
}

// readKey reads a key that [makeKey] made.
func readKey(path string) (key, error) {
	text, err := platform.ReadRegular(path, 4<<10)
	if err != nil {
		return key{}, err
	}
	written := strings.TrimSpace(string(text)) // PRIVATE+KEY+NAME+HASH+KEY
	signer, err := note.NewSigner(written)
	if err != nil {
		return key{}, err
	}
	parts := strings.SplitN(written, "+", 5)
	private, err := base64.StdEncoding.DecodeString(parts[len(parts)-1]) // its first byte is the algorithm
	if err != nil {
		return key{}, err
	}
	public := ed25519.NewKeyFromSeed(private[1:]).Public().(ed25519.PublicKey)
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), public)
	return key{signer, verifier}, err
}

// makeKey makes a key file. If another process makes the file first, makeKey leaves that file unchanged. The file is
// never written in part.
func makeKey(path, origin string) (err error) {
	private, _, err := note.GenerateKey(rand.Reader, origin)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // for its owner alone
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = fmt.Fprintln(f, private)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); !errors.Is(err, fs.ErrExist) {
		return errors.Join(err, platform.SyncDir(filepath.Dir(path)))
	}
	return nil
}
