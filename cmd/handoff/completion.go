package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print what lets a shell complete commands, flags, ids and names",
		Example: `  source <(handoff completion bash)                        # in this bash only
  handoff completion bash >~/.local/share/bash-completion/completions/handoff
  handoff completion zsh >"${fpath[1]}/_handoff"
  handoff completion fish >~/.config/fish/completions/handoff.fish
  handoff completion powershell >>$PROFILE`,
		Long: `SHELL is bash, zsh, fish or powershell. In bash it needs the package bash-completion, and in zsh compinit.

The shell is offered what is in the workspace: the handoffs that a command can act on, with their titles, agents,
workflows and tokens. Asking changes nothing and marks nothing as read. A workspace that cannot be read within
0.3 s is left out without a word.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error { return a.completion(cmd.Root(), given[0]) },
	}
}

// completion prints the script of a shell.
func (a *app) completion(root *cobra.Command, shell string) error {
	var script bytes.Buffer
	var err error
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&script, true)
	case "zsh":
		err = root.GenZshCompletion(&script)
	case "fish":
		err = root.GenFishCompletion(&script, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&script)
	default:
		err = schemas.Invalidf("SHELL", "%q is not a shell that handoff knows", schemas.Visible(shell)).WithKnown(shells...)
	}
	if err != nil {
		return err
	}
	return a.write(script.String())
}

var shells = []string{"bash", "zsh", "fish", "powershell"}
