package place

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/output"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func exportCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "export [FILE|-]", Args: cobra.MaximumNArgs(1)}
	salvage := cmd.Flags().Bool("salvage", false, "read what can be read of a damaged workspace")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		w, err := workspace.Find(a.WorkspaceConfig())
		if err != nil {
			return err
		}
		if *salvage {
			return salvageToFile(cmd.Context(), a, w, given)
		}
		if !a.UsesDatabase() && !w.HasStore() {
			return schemas.Errorf(schemas.NotFound, "there is no workspace %s", w.Name).WithHint("handoff workspace list shows which there are.")
		}
		in := schemas.ExportIn{Workspace: w.Name}
		if len(given) == 0 && a.IsTerminal(a.Stdout) {
			return schemas.Errorf(schemas.Invalid, "an export is for a file or another program, not for a terminal").
				WithHint("Name a file: handoff export %s.jsonl", w.Name)
		}
		if len(given) == 0 || given[0] == "-" {
			return exportToStdout(cmd.Context(), a, in)
		}
		var head schemas.ExportHeading
		err = writeNewFile(a, given[0], func(to io.Writer) (err error) {
			head, err = writeExport(cmd.Context(), a, in, to)
			return err
		})
		if err != nil {
			return err
		}
		return a.PrintValue(map[string]any{"file": given[0], "heading": head}, func(p *cli.Page) {
			printExported(p, "exported", given[0], head)
			p.AddLine("root %s", head.Root)
		})
	}
	return cmd
}

// exportToStdout writes the export to standard output. If the reader of the output leaves, it removes its temporary
// file. The exit status is then the status that shells give to a program that SIGPIPE ended.
func exportToStdout(ctx context.Context, a *cli.App, in schemas.ExportIn) error {
	ctx, out := output.StartWriter(ctx, a.Stdout)
	defer out.Close()
	_, err := writeExport(ctx, a, in, out)
	if errors.Is(context.Cause(ctx), output.ErrReaderLeft) {
		return cli.ExitStatus(128 + int(syscall.SIGPIPE))
	}
	return explainIncompleteExport("standard output", err)
}

// salvageToFile writes what can be read of a damaged workspace to a new file, and says what cannot.
func salvageToFile(ctx context.Context, a *cli.App, w workspace.Workspace, given []string) error {
	if err := refuseInDatabase(a, "export --salvage"); err != nil {
		return err
	}
	if !w.HasStore() {
		return errNoWorkspace(w, "on this machine")
	}
	if len(given) == 0 || given[0] == "-" {
		return schemas.Invalidf("FILE", "--salvage writes to a file, and none is named").WithHint("Name a new one: handoff export FILE --salvage")
	}
	var head schemas.ExportHeading
	err := withStoreLock(w, func() error {
		return writeNewFile(a, given[0], func(to io.Writer) (err error) {
			head, err = open.Salvage(ctx, w, schemas.Event{At: a.Now().UTC()}, to)
			return err
		})
	})
	if err != nil {
		return err
	}
	return a.PrintValue(map[string]any{"file": given[0], "heading": head}, func(p *cli.Page) {
		printExported(p, "salvaged", given[0], head)
		if len(head.Lost) > 0 {
			p.AddLine("Agents, messages and files sent along that only damaged pages have, or that may have been redacted, are not counted.")
		}
		p.AddLine("The registry begins anew: earlier roots and signed heads do not match it. Tokens, claims, limits of workflows and keys of sends are not in the file.")
		p.AddLine("%s", p.Faint("handoff import FILE --workspace NAME makes a new workspace of it."))
	})
}

func printExported(p *cli.Page, done, file string, head schemas.ExportHeading) {
	p.AddLine("%s %s to %s: %s with %s", done, p.Bold(head.Workspace), schemas.EscapeHidden(file),
		schemas.CountNoun(head.Lines["handoff"], "handoff"), schemas.CountNoun(head.Lines["event"], "event"))
	printLost(p, head)
}

// printLost prints how much of a damaged workspace is not in its export.
func printLost(p *cli.Page, head schemas.ExportHeading) {
	for _, what := range slices.Sorted(maps.Keys(head.Lost)) {
		p.AddLine("%s %d × %s", p.Yellow("lost:"), head.Lost[what], schemas.EscapeHidden(what))
	}
}

// writeNewFile makes a file, which write fills. After an error it leaves no file.
func writeNewFile(a *cli.App, path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(a.AbsolutePath(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return schemas.Errorf(schemas.Conflict, "there is a file %s already", schemas.EscapeHidden(path)).
			WithHint("It was not touched. Give another name, or remove it.")
	}
	if err != nil {
		return schemas.Errorf(schemas.Unavailable, "%w", err).WithHint("Name a file in a directory that you may write to.")
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		return nil
	}
	_ = os.Remove(a.AbsolutePath(path)) // it is incomplete
	return explainIncompleteExport(schemas.EscapeHidden(path), err)
}

// explainIncompleteExport returns the error for an export that ended too early.
func explainIncompleteExport(name string, err error) error {
	if _, coded := errors.AsType[*schemas.Error](err); err == nil || coded {
		return err
	}
	return schemas.Errorf(schemas.Unavailable, "write %s: %w", name, err).WithHint("Is there space left on its disk?")
}

// writeExport asks the owner of the workspace for an export, and copies the export part by part.
func writeExport(ctx context.Context, a *cli.App, in schemas.ExportIn, to io.Writer) (head schemas.ExportHeading, err error) {
	by, err := a.Caller(false)
	if err != nil {
		return head, err
	}
	defer a.ShowProgress("exporting the workspace")()
	const tool = "workspace_export"
	err = a.ConnectForTool(ctx, by, tool, func(conn *cli.Connection) error {
		var begun schemas.ExportOut
		if _, err := conn.Call(ctx, tool, in, &begun); err != nil {
			return err
		}
		defer func() { // also after an interruption of the copy
			_, _ = conn.Call(context.WithoutCancel(ctx), tool, schemas.ExportIn{File: begun.File, Done: true}, nil)
		}()
		head = *begun.Heading
		for read := int64(0); read < begun.Size; {
			var out schemas.ExportOut
			if _, err := conn.Call(ctx, tool, schemas.ExportIn{File: begun.File, Offset: read}, &out); err != nil {
				return err
			}
			part, err := base64.StdEncoding.DecodeString(out.Data)
			if err == nil && len(part) == 0 {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return schemas.InternalError(err)
			}
			if _, err := to.Write(part); err != nil {
				return err
			}
			read += int64(len(part))
		}
		return nil
	})
	return head, err
}
