package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/store"
)

func verifyCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "verify"}
	anchored := cmd.Flags().Bool("anchor", false, "compare the registry with the heads in the ref of the workspace")
	checkpoints := cmd.Flags().StringArray("checkpoint", nil, "`file` with a head that the registry has to match; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var heads []savedHead
		if *anchored {
			at, err := findAnchor(a)
			if err != nil {
				return err
			}
			if heads, err = at.anchoredHeads(cmd.Context()); err != nil {
				return err
			}
		}
		for _, file := range *checkpoints {
			kept, err := readSavedHead(a, file)
			if err != nil {
				return err
			}
			origin, err := keyOrigin(a)
			if err != nil {
				return err
			}
			if kept.Origin != origin {
				return errMismatch("Name the head of this workspace, or another one with --workspace.", "%s is a head of %s, and this is %s", file, kept.Origin, origin)
			}
			heads = append(heads, kept)
		}
		slices.SortStableFunc(heads, func(x, y savedHead) int { return cmp.Compare(x.Size, y.Size) })
		return verifyRegistry(cmd.Context(), a, heads)
	}
	return cmd
}

// verifyResult holds the facts that the command audit verify found, and the number of compared heads.
type verifyResult struct {
	schemas.AuditOut
	Heads int `json:"heads,omitempty"`
}

func verifyRegistry(ctx context.Context, a *cli.App, heads []savedHead) error {
	in := schemas.AuditIn{Sizes: slices.Compact(schemas.Map(heads, func(e savedHead) uint64 { return e.Size }))}
	end := a.ShowProgress("verifying the registry")
	out, _, err := cli.Call[schemas.AuditOut](ctx, a, "audit_verify", in)
	end()
	if err != nil {
		return err
	}
	v := verifyResult{AuditOut: out, Heads: len(heads)}
	v.compareHeads(heads)
	return cli.ExitErrorUnless(v.OK, schemas.Internal, a.PrintValue(v, v.print))
}

// compareHeads compares the kept heads with the recomputed roots, the smallest head first. It reports only the first
// head that disagrees, because then all larger heads disagree too.
func (v *verifyResult) compareHeads(heads []savedHead) {
	held := uint64(0)
	for i, e := range heads {
		err := cmp.Or(checkSize(e.name, e.Size, v.Events), checkRoot(e, v.Roots[e.Size]))
		if err == nil {
			held = e.Size
			continue
		}
		v.OK = false
		v.Problems = append(v.Problems, fmt.Sprintf("%v. Heads that do not hold: %d of %d, and the last that holds has %s",
			err, len(heads)-i, len(heads), schemas.CountNoun(held, "event")))
		break
	}
	v.Roots = nil
}

func (v *verifyResult) print(p *cli.Page) {
	p.AddLine("%s of %s", schemas.CountNoun(v.Events, "event"), schemas.CountNoun(v.Handoffs, "handoff"))
	p.AddLine("root %s", v.Root)
	if v.Heads > 0 {
		p.AddLine("held against %s", schemas.CountNoun(v.Heads, "head"))
	}
	p.AddProblems(v.Problems)
	if v.OK {
		p.AddLine("%s", p.Green("OK"))
		return
	}
	p.AddLine("%s", p.Faint(store.DamageRemedy))
}
