package clients

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay"
)

// examineTimeout is the time that all examinations may take together.
const examineTimeout = 18 * time.Second

// serverTimeout is the time that a server has to answer doctor. It is shorter than the timeouts of the clients.
const serverTimeout = 5 * time.Second

// DoctorCommand returns the command handoff doctor, which examines this machine and changes nothing. Its exit status is
// 0 without warnings and errors, 1 if the worst finding is a warning, and 2 if the worst finding is an error.
func DoctorCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor [CLIENT...]",
		Short:   "Find faults that keep agents from their work here, and commands that mend them",
		Example: cli.HelpText(helpTexts, "doctor_examples"),
		Long:    cli.HelpText(helpTexts, "doctor"),
		RunE:    func(cmd *cobra.Command, names []string) error { return examineMachine(cmd.Context(), a, names) },
	}
}

func examineMachine(ctx context.Context, a *cli.App, names []string) error {
	machine, homeless := describeMachine(a)
	clients, err := selectClients(machine, names, false)
	if err != nil && len(names) > 0 { // otherwise no client is here, which is a finding
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	bench := newClientEnv(ctx, a, machine)
	bench.NamedByUser = len(names) > 0
	end := a.ShowProgress("examining this machine, its clients and the workspace")
	findings := runExaminations(listExaminations(ctx, a, clients, homeless, bench))
	end()
	worst := doctor.WorstSeverity(findings)
	about := map[string]any{"state": worst, "findings": findings}
	if err := a.PrintValue(about, func(p *cli.Page) { printFindings(p, findings) }); err != nil {
		return err
	}
	if status := statuses[worst]; status > 0 {
		return cli.ExitStatus(status)
	}
	return nil
}

// statuses maps the worst of the findings to the exit status.
var statuses = map[doctor.Severity]int{doctor.Warning: 1, doctor.Error: 2}

// newClientEnv collects the facts and connections that all examinations share.
func newClientEnv(ctx context.Context, a *cli.App, m client.Machine) doctor.ClientEnv {
	return doctor.ClientEnv{
		CommandBuilder: doctor.CommandBuilder{
			Program: doctor.FindProgram(ctx, a.Executable, a.Release.Version, m),
			DirFlag: a.FlagUnlessInEnvironment("dir", a.Dir), WorkspaceFlags: a.WorkspaceFlags(),
		},
		Machine: m, Timeout: serverTimeout,
	}
}

// listExaminations returns the examinations to run. Without a home directory it returns no examinations of clients,
// because their files cannot be found.
func listExaminations(
	ctx context.Context, a *cli.App, clients []client.Client, homeless error, b doctor.ClientEnv,
) (all []func() []doctor.Finding) {
	one := func(f doctor.Finding) []doctor.Finding { return []doctor.Finding{f} }
	all = append(all,
		func() []doctor.Finding { return examineWorkspace(ctx, a, b.CommandBuilder) },
		func() []doctor.Finding { return one(doctor.ExamineVersion(b.Program)) })
	if homeless != nil {
		return append(all, func() []doctor.Finding { return one(doctor.NoHomeDir(homeless)) })
	}
	for _, c := range clients {
		of := b
		of.Web = newHTTPClient(b.Machine, c)
		all = append(all, func() []doctor.Finding { return doctor.ExamineClient(ctx, c, of) })
	}
	return append(all, func() []doctor.Finding { return doctor.NoClientSetUp(clients, b) })
}

// runExaminations runs all examinations at the same time, because most of them wait for other processes.
func runExaminations(examinations []func() []doctor.Finding) []doctor.Finding {
	found := make([][]doctor.Finding, len(examinations))
	var all sync.WaitGroup
	for i, examine := range examinations {
		all.Go(func() { found[i] = examine() })
	}
	all.Wait()
	return slices.Concat(found...)
}

// examineWorkspace examines the workspace of this directory. It creates no workspace. If the store does not open, it
// returns the finding about the store and does not examine the content.
func examineWorkspace(ctx context.Context, a *cli.App, sh doctor.CommandBuilder) []doctor.Finding {
	self, err := doctor.FindCaller(a.Agent, a.Getenv, a.AtTerminal())
	if err != nil {
		return []doctor.Finding{doctor.InvalidName(err, a.Agent == a.Getenv("HANDOFF_AGENT"))}
	}
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return []doctor.Finding{doctor.NoWorkspace(err, a.WorkspaceConfig()), doctor.ExamineIdentity(ctx, self, nil)}
	}
	if a.UsesDatabase() {
		return examineDatabase(ctx, a, ws, self, sh)
	}
	findings, opens := doctor.ExamineFiles(ws, sh)
	findings = append(findings, doctor.ExamineOwner(ws.Dir, a.Now(), sh))
	findings = append(findings, doctor.FindOtherWorkspaces(ws, a.Getenv)...)
	findings = append(findings, doctor.ExamineAgentFiles(a.AgentsFiles(), a.Permissions(), sh)...)
	if !opens {
		return append(findings, doctor.ExamineIdentity(ctx, self, nil))
	}
	boxes, err := openWorkspace(ctx, a, ws, nil)
	if err != nil {
		return append(findings, doctor.StoreNotOpened(err, sh))
	}
	return append(findings, examineContent(ctx, a, boxes, schemas.ValueOrZero(ws.StoreFile()), self, sh)...)
}

// examineDatabase examines the workspace in the database that HANDOFF_STORE names. It creates no workspace.
func examineDatabase(
	ctx context.Context, a *cli.App, ws workspace.Workspace, self doctor.CallerFacts, sh doctor.CommandBuilder,
) []doctor.Finding {
	findings := doctor.ExamineAgentFiles(a.AgentsFiles(), a.Permissions(), sh)
	node, err := cluster.Join(ctx, cluster.Config{Store: a.Getenv("HANDOFF_STORE"), Now: a.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(findings, doctor.DatabaseUnreachable(err), doctor.ExamineIdentity(ctx, self, nil))
	}
	defer node.Close()
	found, err := node.Workspaces(ctx, ws.Name)
	if err != nil {
		return append(findings, doctor.DatabaseUnreachable(err), doctor.ExamineIdentity(ctx, self, nil))
	}
	findings = append(doctor.ExamineDatabase(node.String(), found, a.Now(), sh), findings...)
	if len(found) == 0 {
		return append(findings, doctor.ExamineIdentity(ctx, self, nil))
	}
	boxes, err := openWorkspace(ctx, a, ws, node)
	if err != nil {
		return append(findings, doctor.DatabaseUnreachable(err), doctor.ExamineIdentity(ctx, self, nil))
	}
	return append(findings, examineContent(ctx, a, boxes, workspace.File{}, self, sh)...)
}

// examineContent examines the content of a workspace, and closes it.
func examineContent(
	ctx context.Context, a *cli.App, boxes *relay.Relay, file workspace.File, self doctor.CallerFacts, sh doctor.CommandBuilder,
) []doctor.Finding {
	findings := doctor.ExamineStore(ctx, boxes, file, sh)
	if doctor.WorstSeverity(findings) == doctor.Error {
		findings = append(findings, doctor.ExamineIdentity(ctx, self, nil))
	} else {
		spell := func(next schemas.Advice) string { return a.CommandLine(next, a.WorkspaceFlags()) }
		findings = append(findings, doctor.ExamineIdentity(ctx, self, boxes))
		findings = append(findings, doctor.ExamineSharedNames(ctx, self.By, boxes)...)
		findings = append(findings, doctor.ExamineHandoffs(ctx, boxes, SetUpNames(a), sh, spell)...)
	}
	if err := boxes.Close(); err != nil {
		findings = append(findings, doctor.StoreNotOpened(err, sh))
	}
	return findings
}

func printFindings(p *cli.Page, findings []doctor.Finding) {
	paint := map[doctor.Severity]func(string) string{
		doctor.OK: p.Green, doctor.Skipped: p.Faint, doctor.Warning: p.Yellow, doctor.Error: p.Red,
	}
	count := map[doctor.Severity]int{}
	for _, f := range findings {
		count[f.State]++
		state := string(f.State)
		if p.Terminal {
			state = fmt.Sprintf("%-7s", state)
		}
		p.AddLine("%s %s: %s", paint[f.State](state), f.Subject, schemas.EscapeHidden(f.Message))
		p.AddField("  try", f.Remedy)
	}
	if doctor.WorstSeverity(findings) != doctor.Error && doctor.WorstSeverity(findings) != doctor.Warning {
		p.AddLine("all is well")
		return
	}
	p.AddLine("errors: %d, warnings: %d", count[doctor.Error], count[doctor.Warning])
}
