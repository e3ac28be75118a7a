package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

const verifyTells = "handoff audit verify tells what was changed, if the registry contradicts itself."

func consistencyCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "consistency OLD [NEW]",
		Short: "Prove that the registry still begins with the events of an older head",
		Example: `  handoff audit consistency head           # the file that handoff audit checkpoint wrote
  handoff audit consistency 120 180 --out request`,
		Long: `OLD and NEW are files with checkpoints, or numbers of events; NEW is the registry now if it is left out. Checkpoints
have to be signed by the key of the workspace, or by that of --key. What is printed is the proof (RFC 6962) and the
checkpoint, as witnesses take it (the request add-checkpoint of C2SP tlog-witness). Exit status 5: it does not hold.`,
		Args: cobra.RangeArgs(1, 2),
	}
	out := cmd.Flags().String("out", "", "write it to this new `file`")
	given := cmd.Flags().String("key", "", "verifier `key` that signed the checkpoints")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		k, err := signingKey(a)
		if err != nil {
			return err
		}
		if *given == "" {
			*given = k.verifier
		}
		keys, err := verifiers("key", *given)
		if err != nil {
			return err
		}
		ends := make([]end, 2)
		for i, arg := range args {
			if ends[i], err = readEnd(a, arg, keys); err != nil {
				return err
			}
		}
		text, said, err := k.consistency(cmd.Context(), a, ends[0], ends[1])
		if err != nil {
			return err
		}
		return emit(a, *out, "request", text, said)
	}
	return cmd
}

// end is one of both trees that are compared. Of one that was given as a number only the size is known, and nothing of
// the registry as it is now.
type end struct {
	name string
	head
}

func readEnd(a *cli.App, arg string, keys []note.Verifier) (end, error) {
	e := end{name: arg}
	size, err := strconv.ParseUint(arg, 10, 63)
	if e.Size = size; err == nil {
		return e, nil
	}
	text, err := readFile(a, arg)
	if err != nil {
		return e, err
	}
	if e.head, err = readHead(text, keys...); err != nil {
		return e, refused("Ask for it again where it came from. --key names another key than that of the workspace.", "%s: %v", arg, err)
	}
	return e, nil
}

// consistency proves that old is the beginning of now, and that both are of the registry.
func (k key) consistency(ctx context.Context, a *cli.App, old, now end) (text, said string, err error) {
	all, _, err := cli.Call[schemas.TreeOut](ctx, a, "audit_tree", schemas.TreeIn{})
	if err != nil {
		return "", "", err
	}
	if now.name == "" {
		now.Size = all.Size
	}
	for _, e := range []end{old, now} {
		if err := truncated(e.name, e.Size, all.Size); err != nil {
			return "", "", err
		}
	}
	if old.Size > now.Size {
		return "", "", refused("Name the older one first.", "%s has %d events, and %s %d", old.name, old.Size, now.name, now.Size)
	}
	out, _, err := cli.Call[schemas.TreeOut](ctx, a, "audit_tree", schemas.TreeIn{Size: now.Size, Old: old.Size})
	if err != nil {
		return "", "", err
	}
	if err := cmp.Or(changed(old, out.OldRoot), changed(now, out.Root)); err != nil {
		return "", "", err
	}
	signed, err := k.sign(out)
	if now.signed != "" {
		signed = now.head
	}
	if err != nil {
		return "", "", schemas.InternalError(err)
	}
	lines := append([]string{fmt.Sprintf("old %d", old.Size)}, out.Consistency...)
	text = strings.Join(lines, "\n") + "\n\n" + signed.signed
	before := head{Checkpoint: headOf(schemas.TreeOut{Size: old.Size, Root: out.OldRoot})}
	if _, err := checkRequest(text, before); err != nil {
		return "", "", refused(verifyTells, "the tree of the registry contradicts itself: %v", err)
	}
	return text, fmt.Sprintf("the first %d of %d events are those of %s", old.Size, now.Size, old.name), nil
}

// held refuses a head with which the registry does not begin. Now is how it stands.
func (e end) held(ctx context.Context, a *cli.App, now head) error {
	if err := truncated(e.name, e.Size, now.Size); err != nil {
		return err
	}
	out, _, err := cli.Call[schemas.TreeOut](ctx, a, "audit_tree", schemas.TreeIn{Size: e.Size})
	if err != nil {
		return err
	}
	return changed(e, out.Root)
}

// truncated refuses a head of more events than there are.
func truncated(name string, size, events uint64) error {
	if size <= events {
		return nil
	}
	return refused("The registry was cut off, or is that of another workspace.",
		"%s has %d events, and the registry ends with event %d", name, size, events)
}

// changed refuses a head whose root is not that which the registry has at its size.
func changed(e end, root string) error {
	if e.Hash == nil || e.Size == 0 || e.root() == root {
		return nil
	}
	if root == "" {
		return refused(verifyTells, "the first %d events of the registry are not those of %s: one of them is missing", e.Size, e.name)
	}
	return refused("Something among them was changed, left out or put in another place since then. "+verifyTells,
		"the first %d events of the registry are not those of %s: their root is %s, and was %s", e.Size, e.name, root, e.root())
}

// checkRequest checks what consistency printed against the older head, with keys alone.
func checkRequest(text string, old head, keys ...note.Verifier) (head, error) {
	lines, signed, _ := strings.Cut(text, "\n\n")
	first, rest, _ := strings.Cut(lines, "\n")
	h, err := readHead(signed, keys...)
	if err != nil {
		return h, err
	}
	if first != "old "+strconv.FormatUint(old.Size, 10) {
		return h, fmt.Errorf("it begins with %q, and the older head has %d events", first, old.Size)
	}
	path, err := pathOf(strings.Fields(rest))
	switch {
	case err != nil:
		return h, errors.New("its hashes cannot be read")
	case old.Size == 0 && len(path) == 0:
		return h, nil
	case old.Size > h.Size || tlog.CheckTree(path, h.size(), h.tree(), old.size(), old.tree()) != nil:
		return h, errors.New("the hashes do not lead from the older root to that of the checkpoint")
	}
	return h, nil
}
