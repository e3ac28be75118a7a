package work

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

func workflowCommand(a *cli.App) *cobra.Command {
	return cli.AddSubcommands(&cobra.Command{
		Use:     "workflow",
		Short:   "Begin a named workflow of a file",
		Example: `  handoff workflow start factory "Detect the operating mode" --agent human`,
	}, workflowStartCommand(a))
}

func workflowStartCommand(a *cli.App) *cobra.Command {
	return configureSend(a, "workflow:", &cobra.Command{
		Use:   "start [NAME TASK…]",
		Short: "Send the first step of a workflow; the rules send the others",
		Example: `  handoff workflow start factory "Detect the operating mode" --agent human
  handoff workflow start review "the login" --agent human`,
		Long: ".handoff/agents.yaml, or your own file, declares NAME: handoff rules --help shows how. The flags are the same as for send.",
	})
}
