package audit

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func proveCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prove {ID | EVENT}",
		Short: "Prove to others that an event is in the registry",
		Example: `  handoff audit prove ho_7 --out 7.tlog-proof   # its last event
  handoff audit prove 42                        # the event of this number, as handoff audit log prints it
  handoff audit check 7.tlog-proof --key "$(handoff audit key)"`,
		Long: `Writes one file with the event, the hashes from it to the root, and the signed checkpoint (C2SP tlog-proof; the event is
its extra data). Whoever has the verifier key checks it on any machine, without the workspace.`,
		Args: cobra.ExactArgs(1),
	}
	out := cmd.Flags().String("out", "", "write it to this new `file`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in := schemas.TreeIn{HandoffID: args[0]}
		if n, err := strconv.ParseUint(args[0], 10, 64); err == nil {
			in = schemas.TreeIn{Event: n}
			if n == 0 {
				return schemas.Invalidf("event", "events are counted from 1").WithHint("handoff audit log lists them.")
			}
		}
		text, n, err := prove(cmd.Context(), a, in)
		if err != nil {
			return err
		}
		return emit(a, *out, "proof", text, fmt.Sprintf("event %d is proved", n))
	}
	return cmd
}

// prove gives the proof of one event, and its number. What it gives was checked.
func prove(ctx context.Context, a *cli.App, in schemas.TreeIn) (string, uint64, error) {
	h, out, err := current(ctx, a, in)
	if err != nil {
		return "", 0, err
	}
	p := proof.TLogProof{Index: out.Event - 1, Checkpoint: []byte(h.signed), ExtraData: out.Bytes}
	hashes, err := pathOf(out.Inclusion)
	if err == nil {
		err = tlog.CheckRecord(hashes, h.size(), h.tree(), int64(p.Index), tlog.RecordHash(out.Bytes)) //nolint:gosec // events are counted
	}
	if err != nil {
		return "", 0, refused(verifyTells, "event %d is not that of the tree", out.Event)
	}
	for _, hash := range hashes {
		p.Hashes = append(p.Hashes, hash)
	}
	return string(p.Marshal()), out.Event, nil
}

func pathOf(texts []string) (path []tlog.Hash, err error) {
	for _, text := range texts {
		h, err := tlog.ParseHash(text)
		if err != nil {
			return nil, err
		}
		path = append(path, h)
	}
	return path, nil
}

// checkProof checks a proof with keys alone, and gives the event and the head in which it is.
func checkProof(text string, keys ...note.Verifier) (event []byte, h head, err error) {
	var p proof.TLogProof
	if err := p.Unmarshal([]byte(text)); err != nil {
		return nil, h, fmt.Errorf("it is no proof: %w", err)
	}
	if h, err = readHead(string(p.Checkpoint), keys...); err != nil {
		return nil, h, err
	}
	var path tlog.RecordProof
	for _, hash := range p.Hashes {
		path = append(path, hash)
	}
	if p.Index >= h.Size {
		return nil, h, fmt.Errorf("event %d is not one of the %d of the checkpoint", p.Index+1, h.Size)
	}
	if tlog.CheckRecord(path, h.size(), h.tree(), int64(p.Index), tlog.RecordHash(p.ExtraData)) != nil { //nolint:gosec // as above
		return nil, h, errors.New("the event or the hashes do not lead to the root of the checkpoint: one of them was changed")
	}
	return p.ExtraData, h, nil
}

// proofHeader is the first line of a proof.
const proofHeader = "c2sp.org/tlog-proof@v1\n"
