package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func runCommand(a *cli.App) *cobra.Command {
	var commit, base string
	var supervise bool
	cmd := &cobra.Command{
		Use:  "run [CHECK…|ID]",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			if supervise {
				return checks.Supervise(cmd.Context(), a.Stdin, a.Stdout)
			}
			if id, ok := onlyHandoffID(names); ok && commit+base == "" { // otherwise the commits of the work count
				return runForHandoff(cmd.Context(), a, id)
			}
			h, at, list, err := readList(cmd.Context(), a, base)
			if err != nil {
				return err
			}
			if err := h.Runner.CheckPermission(h.repository, list); err != nil {
				return err
			}
			if len(names) == 0 {
				names = list.Names()
			}
			job := checks.Job{Repository: h.repository, Base: at, Names: names}
			if job.Commit, err = h.resolveCommit(cmd.Context(), "commit", commit); err != nil {
				return err
			}
			job.Uncommitted, job.Unknown = h.uncommittedFiles(cmd.Context())
			end := a.ShowProgress("looking at " + schemas.EscapeHidden(strings.Join(names, ", ")))
			seen, err := h.Runner.Run(cmd.Context(), job)
			end()
			if err != nil {
				return err
			}
			return recordReport(a, seen)
		},
	}
	cmd.Flags().StringVar(&commit, "commit", "", "the `commit` at which the checks run (default: HEAD)")
	cmd.Flags().StringVar(&base, "base", "", "the `commit` at which the work began (default: HEAD)")
	cmd.Flags().BoolVar(&supervise, checks.SuperviseFlag, false, "run the command that is ordered on standard input")
	cmd.Flags().Lookup(checks.SuperviseFlag).Hidden = true
	return cmd
}

// onlyHandoffID returns the id of a handoff if this id is the only argument. Otherwise ok is false.
func onlyHandoffID(names []string) (id string, ok bool) {
	if len(names) != 1 || !strings.HasPrefix(names[0], "ho_") {
		return "", false
	}
	_, ok = schemas.ParseID(names[0])
	return names[0], ok
}

// runForHandoff runs the checks of completed work, and keeps their results.
func runForHandoff(ctx context.Context, a *cli.App, id string) error {
	h, err := findChecks(a)
	if err != nil {
		return err
	}
	var seen schemas.CheckReport
	end := a.ShowProgress("looking at the checks of " + id)
	err = a.Connect(ctx, systemCaller, func(conn *cli.Connection) (err error) {
		seen, err = h.RunLater(ctx, conn.Invoker(), systemCaller, id)
		return err
	})
	end()
	if err != nil {
		return err
	}
	return recordReport(a, seen)
}

// systemCaller is the caller that records the results of checks. It names no agent and no person, because the program
// itself found the results.
var systemCaller = schemas.Caller{Via: schemas.ViaCLI}

// recordReport prints the results, and returns the exit status.
func recordReport(a *cli.App, seen schemas.CheckReport) error {
	err := a.PrintValue(seen, func(p *cli.Page) { printReport(p, seen) })
	failed := func(o schemas.Observation) bool { return !o.Passed }
	if err == nil && slices.ContainsFunc(seen.Observed, failed) {
		return cli.ExitStatus(1)
	}
	return cli.ExitErrorUnless(len(seen.Unobserved) == 0 && seen.Unread == "", schemas.Invalid, err)
}

func (h repositoryChecks) uncommittedFiles(ctx context.Context) (files []string, unknown string) {
	if h.repository.Root == "" {
		return nil, "there is no working tree"
	}
	files, err := h.repository.UncommittedFiles(ctx)
	if err != nil {
		return nil, err.Error()
	}
	return files, ""
}

const maxLines = 20 // of the output of a failed check; --json has 4 KiB

// The states of a check in the report.
const (
	statePassed = "passed"
	stateFailed = "failed"
	stateUnseen = "not seen"
)

func printReport(p *cli.Page, seen schemas.CheckReport) {
	var rows [][]string
	for _, o := range seen.Observed {
		state := statePassed
		if !o.Passed {
			state = stateFailed
		}
		rows = append(rows, []string{o.Check, state, fmt.Sprintf("%.1f s", float64(o.Millis)/1000), schemas.EscapeHidden(o.Why)})
	}
	for _, name := range slices.Sorted(maps.Keys(seen.Unobserved)) {
		rows = append(rows, []string{schemas.EscapeHidden(name), stateUnseen, "", seen.Unobserved[name]})
	}
	if seen.Unread != "" {
		rows = append(rows, []string{"", stateUnseen, "", seen.Unread})
	}
	colours := map[string]func(string) string{statePassed: p.Green, stateFailed: p.Red, stateUnseen: p.Yellow}
	p.AddTable("There is no check.", []string{"check", "state", "time", "why"}, rows, colours)
	for _, o := range seen.Observed {
		if !o.Passed && o.Tail != "" {
			p.AddLine("\n%s", p.Faint("the end of what "+o.Check+" printed:"))
			lines := strings.Split(strings.TrimSpace(o.Tail), "\n")
			p.AddLine("    %s", p.Quote(strings.Join(lines[max(0, len(lines)-maxLines):], "\n"), 4))
		}
	}
}
