package completion

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// evaluated is the line with which cobra's script for fish asks for completions. Fish gives the words of a command
// line without their quotes, and the script has it evaluate them: of a task in quotes, ">" would write over a file
// and "; rm" be run, by pressing a key.
var evaluated = regexp.MustCompile(`(?m)^( +set -l requestComp ".* )\$args\[2\.\.-1\]( \$lastArg")$`)

// quotedAgain has each of these words be one word again, with the home directory in the place of its sign, which
// means nothing in quotes.
const quotedAgain = `    set -l quoted (string escape -- (string replace -r '^~/' "$$HOME/" -- $$args[2..-1]))
${1}$$quoted$2`

// fishCompletion is the script for fish. It is refused when cobra's is not the one that is mended here.
func fishCompletion(root *cobra.Command) (string, error) {
	var script strings.Builder
	if err := root.GenFishCompletion(&script, true); err != nil {
		return "", err
	}
	return mendFish(script.String())
}

func mendFish(script string) (string, error) {
	if len(evaluated.FindAllString(script, -1)) != 1 || strings.Count(script, "eval ") != 1 {
		return "", errors.New("the script for fish is not the one whose words are known to stay quoted")
	}
	return evaluated.ReplaceAllString(script, quotedAgain), nil
}
