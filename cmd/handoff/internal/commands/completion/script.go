package completion

import (
	"embed"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.HelpText].
//
//go:embed help_*.txt
var helpTexts embed.FS

// Command returns the command completion.
func Command(a *cli.App) *cobra.Command {
	return cli.NewFamily(helpTexts, &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script with which a shell completes commands, flags, ids and names",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			script, err := completionScript(cmd.Root(), given[0])
			if err != nil {
				return err
			}
			return a.Write(script)
		},
	})[0]
}

func completionScript(root *cobra.Command, shell string) (string, error) {
	var script strings.Builder
	var err error
	mend := func(script string) (string, error) { return script, nil }
	switch shell {
	case "bash":
		mend, err = fixBashScript, root.GenBashCompletionV2(&script, true)
	case "zsh":
		err = root.GenZshCompletion(&script)
	case "fish":
		mend, err = fixFishScript, root.GenFishCompletion(&script, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&script)
	default:
		err = schemas.Invalidf("SHELL", "%q is not a shell that handoff knows", schemas.EscapeHidden(shell)).WithChoices(shells...)
	}
	if err != nil {
		return "", err
	}
	return mend(script.String())
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

// splitting is the line in cobra's script for bash that splits the command line into words. It needs the package
// bash-completion.
const splitting = "    _get_comp_words_by_ref \"$@\" cur prev words cword\n"

// splitHere replaces the line in the constant splitting, so that the script also works without bash-completion. It
// joins words that bash splits at = and :, because words of handoff may contain these characters.
//
//go:embed split.bash
var splitHere string

// fixBashScript changes cobra's script for bash so that it works without bash-completion. It fails if the script does
// not contain the text of the constant splitting, because then cobra has changed the script.
func fixBashScript(script string) (string, error) {
	before, after, ok := strings.Cut(script, splitting)
	if !ok {
		return "", errors.New("the script for bash does not split the line where it is mended")
	}
	return before + splitHere + after, nil
}

// evaluated is the pattern of the line in cobra's script for fish that asks handoff for completions. Fish removes the
// quotes from the words of the command line, and this line then evaluates the words. So a task with "; rm" in it would
// run rm on a key press.
var evaluated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^( +set -l requestComp ".* )\$args\[2\.\.-1\]( \$lastArg")$`)
})

// quotedAgain replaces the line that the pattern `evaluated` matches. It puts each word of the command line into quotes
// before fish evaluates the words. It also replaces ~ at the start of a word by the home directory, because fish keeps
// a quoted ~ unchanged.
const quotedAgain = `    set -l quoted (string escape -- (string replace -r '^~/' "$$HOME/" -- $$args[2..-1]))
${1}$$quoted$2`

// fixFishScript changes cobra's script for fish so that the words of the command line stay quoted. It fails if the
// script has no line that the pattern `evaluated` matches, because then cobra has changed the script.
func fixFishScript(script string) (string, error) {
	if len(evaluated().FindAllString(script, -1)) != 1 || strings.Count(script, "eval ") != 1 {
		return "", errors.New("the script for fish is not the one whose words are known to stay quoted")
	}
	return evaluated().ReplaceAllString(script, quotedAgain), nil
}
