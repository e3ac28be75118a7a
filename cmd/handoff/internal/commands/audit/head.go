package audit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/tools/platform"
)

func checkpointCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use: "checkpoint",
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := currentHead(cmd.Context(), a)
			if err != nil {
				return err
			}
			said := map[string]any{"origin": h.Origin, "size": h.Size, "root": h.root(), "checkpoint": h.signed}
			return a.PrintValue(said, func(p *cli.Page) { p.WriteString(h.signed) })
		},
	}
}

// head is the root of the hash tree over the first events of a registry. A head that was read from a file also holds
// the signed text of that file.
type head struct {
	log.Checkpoint
	signed string
}

func (h head) root() string { return base64.StdEncoding.EncodeToString(h.Hash) }

// currentHead asks the owner of the workspace for the current head of the registry, and signs the head.
func currentHead(ctx context.Context, a *cli.App) (head, error) {
	out, _, err := cli.Call[schemas.TreeOut](ctx, a, "audit_tree", schemas.TreeIn{})
	if err != nil {
		return head{}, err
	}
	k, err := signingKey(a)
	if err != nil {
		return head{}, err
	}
	return k.signHead(out)
}

// signHead signs a tree that the owner of the workspace reported.
func (k key) signHead(out schemas.TreeOut) (head, error) {
	hash, err := base64.StdEncoding.DecodeString(out.Root)
	if err != nil || out.Size == 0 {
		none := sha256.Sum256(nil) // as RFC 6962 says
		hash = none[:]
	}
	h := head{Checkpoint: log.Checkpoint{Origin: k.Name(), Size: out.Size, Hash: hash}}
	signed, err := note.Sign(&note.Note{Text: string(h.Marshal())}, k)
	if err != nil {
		return h, schemas.InternalError(err)
	}
	h.signed = string(signed)
	return h, nil
}

// parseHead reads a checkpoint. It does not check the signature: the caller compares the root with the registry
// instead.
func parseHead(signed string) (head, error) {
	_, err := note.Open([]byte(signed), note.VerifierList())
	unverified, is := errors.AsType[*note.UnverifiedNoteError](err)
	if !is {
		return head{}, errors.New("it is no signed checkpoint")
	}
	h := head{signed: signed}
	if _, err := h.Unmarshal([]byte(unverified.Note.Text)); err != nil || len(h.Hash) != sha256.Size || h.Size > math.MaxInt64 {
		return h, errors.New("the text that was signed is no checkpoint")
	}
	return h, nil
}

// savedHead is a head that a person kept, with its name.
type savedHead struct {
	name string
	head
}

// readSavedHead reads the file of a checkpoint.
func readSavedHead(a *cli.App, path string) (e savedHead, err error) {
	const most = 1 << 20 // bytes
	text, err := platform.ReadRegular(a.AbsolutePath(path), most)
	if err != nil {
		return e, schemas.Invalidf("checkpoint", "%w", err).WithHint("Name a file that handoff audit checkpoint wrote.")
	}
	e.name = path
	if e.head, err = parseHead(string(text)); err != nil {
		return e, errMismatch("Ask for it again where it came from.", "%s: %v", path, err)
	}
	return e, nil
}

// checkRegistry returns an error if the registry does not begin with the events of the kept head. The parameter now is
// the current head of the registry.
func (e savedHead) checkRegistry(ctx context.Context, a *cli.App, now head) error {
	if err := checkSize(e.name, e.Size, now.Size); err != nil {
		return err
	}
	out, _, err := cli.Call[schemas.TreeOut](ctx, a, "audit_tree", schemas.TreeIn{Size: e.Size})
	if err != nil {
		return err
	}
	return checkRoot(e, out.Root)
}

// checkSize refuses a head with more events than the registry.
func checkSize(name string, size, events uint64) error {
	if size <= events {
		return nil
	}
	return errMismatch("The registry was cut off, or it belongs to another workspace.",
		"%s has %s, and the registry ends with event %d", name, schemas.CountNoun(size, "event"), events)
}

// checkRoot returns an error if the kept head and the registry have different roots for the same number of events.
func checkRoot(e savedHead, root string) error {
	if e.Size == 0 || e.root() == root {
		return nil
	}
	if root == "" {
		return errMismatch(verifyTells, "the registry up to event %d differs from the head %s: an event is missing", e.Size, e.name)
	}
	return errMismatch("An event was changed, left out or put in another place since then. "+verifyTells,
		"the registry up to event %d differs from the head %s: its root is %s, and was %s", e.Size, e.name, root, e.root())
}

const verifyTells = "handoff audit verify tells what was changed, if the registry contradicts itself."

// errMismatch returns the error for a head that contradicts the registry.
func errMismatch(hint, format string, args ...any) error {
	return schemas.Errorf(schemas.Conflict, "%s", schemas.EscapeHidden(fmt.Sprintf(format, args...))).WithHint("%s", hint)
}
