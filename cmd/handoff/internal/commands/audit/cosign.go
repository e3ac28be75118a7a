package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay/platform"
)

func cosignCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cosign FILE --witness VKEY",
		Short: "Keep what witnesses signed with a head of the registry",
		Example: `  handoff audit consistency 120 --out request   # what a witness is sent
  handoff audit cosign cosigned --witness witness.example+5e6f7a8b+BA…
  handoff audit checkpoint --cosigned`,
		Long: `FILE is a checkpoint with the lines that witnesses added (C2SP tlog-cosignature, of Ed25519 or ML-DSA). It is kept if the
workspace and each of the given witnesses signed it, and if the registry begins with its events. Signatures by others
are dropped. It takes the place of an older one.`,
		Args: cobra.ExactArgs(1),
	}
	witnesses := cmd.Flags().StringArray("witness", nil, "verifier `key` of a witness; may be repeated")
	cobra.CheckErr(cmd.MarkFlagRequired("witness"))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		k, err := signingKey(a)
		if err != nil {
			return err
		}
		keys, err := verifiers("witness", append([]string{k.verifier}, *witnesses...)...)
		if err != nil {
			return err
		}
		e, err := readEnd(a, args[0], keys)
		if err != nil {
			return err
		}
		if e.signed == "" {
			return schemas.Invalidf("file", "%s is no file", args[0]).WithHint("Name a file with a checkpoint: ./%s", args[0])
		}
		if _, _, err := k.consistency(cmd.Context(), a, e, end{}); err != nil {
			return err
		}
		kept, err := cosigned(a)
		if err == nil && kept.Size > e.Size {
			return refused("handoff audit checkpoint --cosigned prints that one.", "a head of %d events was cosigned already, and %s has %d", kept.Size, args[0], e.Size)
		}
		if err == nil && kept.note.Text == e.note.Text {
			e.note.Sigs = append(e.note.Sigs, slices.DeleteFunc(kept.note.UnverifiedSigs, func(s note.Signature) bool {
				return slices.ContainsFunc(e.note.Sigs, func(n note.Signature) bool { return n.Name == s.Name && n.Hash == s.Hash })
			})...)
		}
		if err := keepCosigned(a, k, e.note); err != nil {
			return err
		}
		said := map[string]any{"size": e.Size, "root": e.root(), "signers": signers(e.note.Sigs)}
		return a.PrintValue(said, func(p *cli.Page) {
			p.Line("kept the head of %d events, signed by %s", e.Size, p.Quote(signers(e.note.Sigs), 4))
		})
	}
	return cmd
}

// cosigned is the head that was cosigned last. It is an error that none was.
func cosigned(a *cli.App) (head, error) {
	path, err := cosignedFile(a)
	if err != nil {
		return head{}, err
	}
	text, err := platform.ReadRegular(path, largestFile)
	if err != nil {
		return head{}, err
	}
	return readHead(string(text))
}

func cosignedFile(a *cli.App) (string, error) {
	place, err := workspace.Find(a.Location())
	return filepath.Join(place.Dir, workspace.HeadFile), err
}

// keepCosigned writes a head with the signatures that were verified.
func keepCosigned(a *cli.App, k key, n *note.Note) error {
	path, err := cosignedFile(a)
	if err != nil {
		return err
	}
	signed, err := note.Sign(&note.Note{Text: n.Text, Sigs: n.Sigs}, k)
	if err != nil {
		return schemas.InternalError(err)
	}
	if err := replaceFile(path, signed, 0o600); err != nil {
		return schemas.Errorf(schemas.Unavailable, "keep the head: %w", err).WithHint("Nothing was changed.")
	}
	return nil
}

// replaceFile writes a file as a whole: who reads it finds the old text or the new one.
func replaceFile(path string, text []byte, mode fs.FileMode) error {
	err := platform.Replace(path, filepath.Base(path)+".*", text, func(f *os.File) error {
		return errors.Join(f.Chmod(mode), f.Sync())
	})
	if err != nil {
		return err
	}
	return platform.SyncDir(filepath.Dir(path))
}
