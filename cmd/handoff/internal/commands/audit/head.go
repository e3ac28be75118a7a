package audit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/tools/relay/platform"
)

func checkpointCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Print the head of the registry, signed",
		Example: `  handoff audit checkpoint > head
  handoff audit consistency head`,
		Long: `Prints the origin, the number of events and the root of the tree over them, as a signed note (C2SP tlog-checkpoint).
Whoever keeps it can tell later whether the registry still begins with these events: give it to somebody who cannot
write the store.`,
		Args: cobra.NoArgs,
	}
	witnessed := cmd.Flags().Bool("cosigned", false, "the newest head that witnesses cosigned, with their lines")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, _, err := current(cmd.Context(), a, schemas.TreeIn{})
		if err == nil && *witnessed {
			h, err = cosigned(a)
			if errors.Is(err, fs.ErrNotExist) {
				err = schemas.Errorf(schemas.NotFound, "no head was cosigned yet").WithHint("handoff audit cosign --help says how.")
			}
		}
		if err != nil {
			return err
		}
		said := map[string]any{"origin": h.Origin, "size": h.Size, "root": h.root(), "checkpoint": h.signed}
		return a.PrintValue(said, func(p *cli.Page) { p.WriteString(h.signed) })
	}
	return cmd
}

// head is the tree over the first events of a registry. One that was read has the signed note it came from.
type head struct {
	log.Checkpoint
	signed string
	note   *note.Note // with the signatures, where it was read
}

func (h head) root() string { return base64.StdEncoding.EncodeToString(h.Hash) }

func (h head) tree() tlog.Hash { return tlog.Hash(h.Hash) }

// size is that of the tree as package tlog counts.
func (h head) size() int64 { return int64(h.Size) } //nolint:gosec // it was checked, see [readHead]

// current asks the owner of the workspace for the head of the registry, and what else in says, and signs it. Witnesses
// that cosigned this very head are in it.
func current(ctx context.Context, a *cli.App, in schemas.TreeIn) (h head, out schemas.TreeOut, err error) {
	if out, _, err = cli.Call[schemas.TreeOut](ctx, a, "audit_tree", in); err != nil {
		return h, out, err
	}
	k, err := signingKey(a)
	if err != nil {
		return h, out, err
	}
	if h, err = k.sign(out); err != nil {
		return h, out, schemas.InternalError(err)
	}
	if kept, err := cosigned(a); err == nil && string(kept.Marshal()) == string(h.Marshal()) {
		h = kept
	}
	return h, out, nil
}

func (k key) sign(out schemas.TreeOut) (head, error) {
	h := head{Checkpoint: headOf(out)}
	h.Origin = k.Name()
	signed, err := note.Sign(&note.Note{Text: string(h.Marshal())}, k)
	h.signed = string(signed)
	return h, err
}

// headOf is what the owner of the workspace said, without an origin.
func headOf(out schemas.TreeOut) log.Checkpoint {
	hash, err := base64.StdEncoding.DecodeString(out.Root)
	if err != nil || out.Size == 0 {
		none := sha256.Sum256(nil) // as RFC 6962 says
		hash = none[:]
	}
	return log.Checkpoint{Size: out.Size, Hash: hash}
}

// readHead reads a checkpoint. All of the keys have to have signed it; the first is that of its log. Without a key the
// signatures are not looked at. The error says what does not hold.
func readHead(signed string, keys ...note.Verifier) (head, error) {
	n, err := note.Open([]byte(signed), note.VerifierList(keys...))
	if changed, is := errors.AsType[*note.InvalidSignatureError](err); is {
		return head{}, fmt.Errorf("the signature of %s does not fit: the checkpoint or the signature was changed", changed.Name)
	}
	unverified, is := errors.AsType[*note.UnverifiedNoteError](err)
	if is {
		n = unverified.Note
	} else if err != nil {
		return head{}, errors.New("it is no signed checkpoint")
	}
	for _, k := range keys {
		if !slices.ContainsFunc(n.Sigs, func(s note.Signature) bool { return s.Name == k.Name() && s.Hash == k.KeyHash() }) {
			return head{}, fmt.Errorf("the checkpoint is signed by %s, and not by %s", signers(slices.Concat(n.Sigs, n.UnverifiedSigs)), signerName(k.Name(), k.KeyHash()))
		}
	}
	h, err := readText(n.Text)
	if err != nil {
		return head{}, err
	}
	h.signed, h.note = signed, n
	if len(keys) > 0 && h.Origin != keys[0].Name() {
		return head{}, fmt.Errorf("the checkpoint is of %s, and the key of %s", h.Origin, keys[0].Name())
	}
	return h, nil
}

// readText reads a checkpoint without its signatures.
func readText(text string) (h head, err error) {
	if _, err := h.Unmarshal([]byte(text)); err != nil || len(h.Hash) != sha256.Size || h.size() < 0 {
		return h, errors.New("the text that was signed is no checkpoint")
	}
	return h, nil
}

func signers(signatures []note.Signature) string {
	return strings.Join(schemas.Map(signatures, func(s note.Signature) string { return signerName(s.Name, s.Hash) }), ", ")
}

func signerName(name string, hash uint32) string { return fmt.Sprintf("%s+%08x", name, hash) }

// largestFile is how much is read of a proof or a checkpoint, in bytes.
const largestFile = 1 << 20

func readFile(a *cli.App, path string) (string, error) {
	b, err := platform.ReadRegular(a.Path(path), largestFile)
	if err != nil {
		return "", schemas.Invalidf("file", "%w", err).WithHint("Name a file that handoff audit wrote.")
	}
	return string(b), nil
}

// emit prints what others check, or writes it to a new file and says so.
func emit(a *cli.App, file, what, text, said string) error {
	result := map[string]any{"said": said, what: text}
	if file == "" {
		return a.PrintValue(result, func(p *cli.Page) { p.WriteString(text) })
	}
	f, err := os.OpenFile(a.Path(file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return schemas.Invalidf("out", "%w", err).WithHint("Name a file that is not there yet.")
	}
	result["file"] = file
	return a.PrintValue(result, func(p *cli.Page) { p.Line("%s: %s", said, p.Quote(file, len(said)+2)) })
}

// refused is the error of what does not hold.
func refused(hint, format string, args ...any) error {
	return schemas.Errorf(schemas.Conflict, "%s", schemas.Visible(fmt.Sprintf(format, args...))).WithHint("%s", hint)
}
