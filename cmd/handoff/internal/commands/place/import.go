package place

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
)

func importCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:  "import FILE|-",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			file := openExport(cmd.Context(), a, given[0])
			defer func() { _ = file.Close() }() // only for reading
			return importWorkspace(cmd.Context(), a, given[0], file)
		},
	}
}

// openExport opens a file, or standard input for "-". It opens and reads in a goroutine, because a pipe without a
// writer blocks. The returned reader fails when ctx is done.
func openExport(ctx context.Context, a *cli.App, name string) io.ReadCloser {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() { in.CloseWithError(copyInput(in, a, name)) }()
	return out
}

func copyInput(to io.Writer, a *cli.App, name string) error {
	from := a.Stdin
	if name != "-" {
		f, err := a.OpenFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return schemas.Errorf(schemas.NotFound, "%w", err).WithHint(hintExport)
		} else if err != nil {
			return schemas.Invalidf("FILE", "%w", err).WithHint("Nothing was changed. " + hintExport)
		}
		defer func() { _ = f.Close() }() // only for reading
		from = f
	}
	if _, err := io.Copy(to, from); err != nil {
		return schemas.Invalidf("FILE", "%w", err).WithHint("Nothing was changed. " + hintExport)
	}
	return nil
}

const hintExport = "handoff export FILE makes one."

func importWorkspace(ctx context.Context, a *cli.App, name string, file io.Reader) error {
	w, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return err
	}
	by, err := a.Caller(false)
	if err != nil {
		return err
	}
	signed := schemas.Event{
		At: a.Now().UTC(), Agent: cmp.Or(by.Agent, schemas.Human), AgentID: by.AgentID, Via: schemas.ViaCLI, Proof: by.Proof,
	}
	var done open.ImportResult
	var head schemas.ExportHeading
	end := a.ShowProgress("importing into workspace " + w.Name)
	err = open.ReadExport(ctx, file, signed, func(i open.VerifiedExport) error {
		head = i.Heading
		return withNodeOrLock(ctx, a, w, func(node *cluster.Node) error {
			return open.WithStore(ctx, w, node, func(to store.Backend) (err error) {
				done, err = i.CopyInto(ctx, to, name, open.Config{Name: w.Name, Dir: w.Dir, Cluster: node})
				return err
			})
		})
	})
	end()
	if err != nil {
		return err
	}
	if !a.UsesDatabase() {
		_ = workspace.RecordProject(w) // after an error, lists for people lack the project
	}
	said := map[string]any{"workspace": w.Name, "from": head, "imported": done}
	return a.PrintValue(said, func(p *cli.Page) {
		p.AddLine("imported %s from %s into %s, and %s", schemas.CountNoun(done.Added, "handoff"), head.Workspace, p.Bold(w.Name),
			schemas.CountNoun(done.Notices, "notice"))
		printLost(p, head)
		p.AddLine("root %s", done.Root)
		if done.Open > 0 {
			p.AddLine("%s", p.Faint(schemas.CountNoun(done.Open, "handoff")+" open. Where the other workspace is used on, they go on there as well."))
		}
	})
}
