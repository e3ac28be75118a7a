package place

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

func checkCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "check"}
	mend := cmd.Flags().Bool("mend", false, "compute derived rows again")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *mend {
			return mendStore(cmd.Context(), a)
		}
		end := a.ShowProgress("checking the store")
		out, raw, err := cli.Call[schemas.CheckOut](cmd.Context(), a, "store_check", cli.Arguments{})
		end()
		if err != nil {
			return err
		}
		err = a.Print(raw, func(p *cli.Page) {
			printCheck(p, out)
			if out.Mendable > 0 {
				p.AddLine("%s", p.Faint("handoff check --mend mends "+schemas.CountNoun(out.Mendable, "fault")+" once nobody else has the workspace open."))
			}
			if out.Mendable < out.Found {
				p.AddLine("%s", p.Faint(unmendable))
			}
		})
		return cli.ExitErrorUnless(out.OK, schemas.Internal, err)
	}
	return cmd
}

const unmendable = "Faults that cannot be mended stay: make the call that a fault names. Else: " + store.DamageRemedy

func printCheck(p *cli.Page, out schemas.CheckOut) {
	p.AddLine("%s of %s", schemas.CountNoun(out.Events, "event"), schemas.CountNoun(out.Handoffs, "handoff"))
	if out.Root != "" {
		p.AddLine("root %s", out.Root)
	}
	for _, fault := range out.Faults {
		how := "cannot be mended"
		if fault.Mends {
			how = "can be mended"
		}
		p.AddLine("%s %s (%s)", p.Red("fault:"), schemas.EscapeHidden(fault.What), how)
	}
	if more := out.Found - len(out.Faults); more > 0 {
		p.AddLine("and %d more", more)
	}
	if out.OK {
		p.AddLine("%s", p.Green("OK"))
	}
}

func mendStore(ctx context.Context, a *cli.App) error {
	w, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return err
	}
	var done audit.MendResult
	to := filepath.Join(w.Dir, workspace.KeptFile+"-mend-"+a.Now().UTC().Format("20060102-150405.000"))
	end := a.ShowProgress("mending workspace " + w.Name)
	err = withOwnedStore(ctx, a, w, func(rows store.Backend) (err error) {
		done, err = open.Mend(ctx, rows, to)
		return err
	})
	end()
	if err != nil {
		return err
	}
	err = a.PrintValue(done, func(p *cli.Page) {
		printCheck(p, done.Before)
		if done.Backup == "" {
			p.AddLine("nothing was changed")
		} else {
			p.AddLine("mended %s, in %s", schemas.CountNoun(done.Before.Found-done.After.Found, "fault"), schemas.CountNoun(done.Rows, "row"))
			p.AddField("as it was before", done.Backup)
		}
		if done.After.Found > 0 {
			p.AddLine("%s left. %s", schemas.CountNoun(done.After.Found, "fault"), unmendable)
		}
	})
	return cli.ExitErrorUnless(done.After.OK, schemas.Internal, err)
}

// withOwnedStore opens a workspace, in files or in a database, while fn runs. No other process can open the workspace
// in that time.
func withOwnedStore(ctx context.Context, a *cli.App, w workspace.Workspace, fn func(store.Backend) error) error {
	if !a.UsesDatabase() && !w.HasStore() {
		return errNoWorkspace(w, "on this machine")
	}
	return withNodeOrLock(ctx, a, w, func(node *cluster.Node) error {
		if node != nil {
			known, err := node.HasWorkspace(ctx, w.Name)
			if err == nil && !known {
				err = errNoWorkspace(w, "in "+node.String())
			}
			if err != nil {
				return err
			}
		}
		return open.WithStore(ctx, w, node, fn)
	})
}

// withNodeOrLock joins the nodes of the database while fn runs. If there is no database, it locks the files of the
// workspace, and the node is nil.
func withNodeOrLock(ctx context.Context, a *cli.App, w workspace.Workspace, fn func(*cluster.Node) error) error {
	if a.UsesDatabase() {
		return withDatabaseNode(ctx, a, fn)
	}
	return withStoreLock(w, func() error { return fn(nil) })
}
