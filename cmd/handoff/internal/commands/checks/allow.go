package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/consent"
	"handoff/schemas"
)

// permission is a list of checks, or the rules of a file, that a person may allow. If Allowed is false, it holds the
// reason why a person must allow it. Allowed checks run, and allowed rules send work, without further questions.
type permission struct {
	Kind    string `json:"kind"`
	File    string `json:"file"`
	Commit  string `json:"commit,omitempty"` // the commit of the file; empty for a file that is read in place
	Digest  string `json:"digest"`
	Does    string `json:"does"`
	Allowed bool   `json:"allowed"`
	Why     string `json:"why,omitempty"`  // why it is not allowed
	Path    string `json:"path,omitempty"` // the PATH for the commands of checks, from the time of the permission

	Checks []checks.Check `json:"checks,omitempty"`
}

func allowCommand(a *cli.App, kind string) *cobra.Command {
	var base string
	var look bool
	cmd := &cobra.Command{
		Use: "allow", Long: cli.HelpText(helpTexts, "allow"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showPermissions(cmd.Context(), a, kind, base, look)
		},
	}
	cmd.Flags().StringVar(&base, "base", "", "the `commit` with the list of checks (default: HEAD)")
	cmd.Flags().BoolVar(&look, "list", false, "only look")
	if kind == "" {
		a.DefineAgentsFlag(cmd.Flags())
	}
	return cmd
}

func listCommand(a *cli.App) *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use: "list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showPermissions(cmd.Context(), a, consent.Checks, base, true)
		},
	}
	cmd.Flags().StringVar(&base, "base", "", "the `commit` with the list (default: HEAD)")
	return cmd
}

// showPermissions shows the lists of checks and the rules of the project. Unless look is true, it first asks a person
// to allow them.
func showPermissions(ctx context.Context, a *cli.App, kind, base string, look bool) error {
	all, problems, err := findPermissions(ctx, a, kind, base)
	if err == nil && !look {
		err = askForPermissions(ctx, a, all)
	}
	if err != nil {
		return err
	}
	err = a.PrintValue(map[string]any{"leave": all, "problems": problems}, func(p *cli.Page) { printPermissions(p, all, problems, look) })
	return cli.ExitErrorUnless(len(problems) == 0, schemas.Invalid, err)
}

// findPermissions returns the lists of checks and the rules of the project that a person can allow. If kind is not
// empty, it returns only that kind. Problems are sentences about files that cannot be read.
func findPermissions(ctx context.Context, a *cli.App, kind, base string) (all []permission, problems []string, err error) {
	if kind == "" {
		book := a.Permissions()
		for _, f := range a.AgentsFiles() {
			said, wrong := f.Read()
			problems = append(problems, wrong...)
			if digest, rules := agentsfile.CanonicalRules(said); digest != "" && !f.Own && len(wrong) == 0 {
				why, waits := f.LacksPermission(said, book)
				all = append(all, permission{Kind: consent.Rules, File: f.Name, Digest: digest, Does: agentsfile.FormatRules(rules), Allowed: !waits, Why: why})
			}
		}
	}
	h, at, list, err := readList(ctx, a, base)
	switch e := schemas.AsError(err); {
	case e == nil:
		of := permission{Kind: consent.Checks, File: checks.File, Commit: at, Digest: list.Digest, Checks: list.Checks}
		of.Does = strings.Join(schemas.Map(list.Checks, func(c checks.Check) string { return strings.ReplaceAll(c.String(), "\n", "\n    ") }), "\n")
		if given, _ := h.Runner.Permissions(h.repository).Find(consent.Checks, list.Digest); given != nil {
			of.Allowed, of.Path = true, given.Path
		} else {
			of.Why = schemas.AsError(h.Runner.CheckPermission(h.repository, list)).Message
		}
		return append(all, of), problems, nil
	case e.Code == schemas.Invalid:
		return all, append(problems, strings.Split(e.Message, "\n")...), nil
	case kind == "" && base == "" && (e.Code == schemas.NotFound || e.Code == schemas.Unavailable):
		return all, problems, nil
	}
	return all, problems, err
}

// askForPermissions asks a person one question about all missing permissions. If the person agrees, it stores the
// permissions.
func askForPermissions(ctx context.Context, a *cli.App, all []permission) error {
	what := map[string]string{consent.Checks: "run commands as you, whenever work is completed", consent.Rules: "send work by themselves"}
	book := a.Permissions()
	var waiting strings.Builder
	for _, of := range all {
		if !of.Allowed {
			does := strings.ReplaceAll(strings.TrimSpace(of.Does), "\n", "\n  ")
			fmt.Fprintf(&waiting, "the %s of %s, SHA-256 %s, %s:\n  %s\n", of.Kind, of.File, of.Digest, what[of.Kind], does)
		}
	}
	if waiting.Len() == 0 {
		return nil
	}
	refused := schemas.Errorf(schemas.Denied, "%sFor %s a person alone allows that", waiting.String(), book.IDDir)
	if _, err := a.ConfirmPerson(ctx, refused); err != nil {
		return err
	}
	for i, of := range all {
		if of.Allowed {
			continue
		}
		err := book.Allow(of.Kind, of.Digest, consent.Permission{Path: a.Getenv("PATH"), Home: a.Getenv("HOME")})
		if err != nil {
			return schemas.Errorf(schemas.Internal, "store the permission: %w", err)
		}
		all[i].Allowed, all[i].Why = true, ""
	}
	return nil
}

func printPermissions(p *cli.Page, all []permission, problems []string, does bool) {
	p.AddProblems(problems)
	if len(all)+len(problems) == 0 {
		p.AddLine("nothing that needs leave is here")
	}
	for _, of := range all {
		state, next := p.Green("allowed"), ""
		if !of.Allowed {
			state, next = p.Yellow("waits"), "handoff allow"
		}
		p.AddLine("%s %s: %s of %s", state, of.Digest[:12], of.Kind, schemas.EscapeHidden(of.File))
		p.AddField("why", of.Why)
		p.AddField("to allow it", next)
		if does {
			p.AddField("commit", schemas.ShortCommit(of.Commit))
			p.AddField("PATH", of.Path)
			p.AddLine("    %s", p.Quote(strings.TrimSpace(of.Does), 4))
		}
	}
}

func denyCommand(a *cli.App, kind string) *cobra.Command {
	return &cobra.Command{
		Use: "deny", Short: "Withdraw leave from the checks and rules of this repository",
		Long: cli.HelpText(helpTexts, "deny"), Example: cli.HelpText(helpTexts, "deny_examples"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			were, err := a.Permissions().Deny(kind)
			if err != nil {
				return schemas.Errorf(schemas.Internal, "take back the permission: %w", err)
			}
			if kind == "" {
				if err := a.RedeclareAgentsFiles(cmd.Context()); err != nil {
					return err
				}
			}
			return a.PrintValue(map[string]bool{"denied": were > 0}, func(p *cli.Page) {
				if were == 0 {
					p.AddLine("nothing was allowed")
				} else {
					p.AddLine("%s is allowed any more", map[bool]string{true: "nothing", false: "no check"}[kind == ""])
				}
			})
		},
	}
}
