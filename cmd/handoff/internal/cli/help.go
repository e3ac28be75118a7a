package cli

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// NewFamily returns the commands of one package. It gives each of them, and those below, what the command does not say
// itself. Its description is in the file help_NAME.txt of texts, beside its code, and its examples are in
// help_NAME_examples.txt. The name of a subcommand follows that of its command, as in help_token_add.txt. In a
// description, {{sources}} stands for [AboutSources]. Its summary is in the table help_summaries.txt, under a name as
// "token add". A command without Args takes no arguments.
func NewFamily(texts embed.FS, commands ...*cobra.Command) []*cobra.Command {
	table, _ := readHelp(texts, "summaries")
	summaries := map[string]string{}
	for _, c := range schemas.TableRows(table, 2) {
		summaries[c[0]] = c[1]
	}
	for _, cmd := range commands {
		completeCommand(texts, summaries, cmd, cmd.Name())
	}
	return commands
}

func completeCommand(texts embed.FS, summaries map[string]string, cmd *cobra.Command, path string) {
	name := strings.ReplaceAll(path, " ", "_")
	cmd.Short = cmp.Or(cmd.Short, summaries[path])
	if cmd.Long == "" {
		long, _ := readHelp(texts, name)
		cmd.Long = strings.ReplaceAll(long, "{{sources}}", AboutSources)
	}
	if cmd.Example == "" {
		cmd.Example, _ = readHelp(texts, name+"_examples")
	}
	if cmd.Args == nil {
		cmd.Args = cobra.NoArgs
	}
	for _, below := range cmd.Commands() {
		completeCommand(texts, summaries, below, path+" "+below.Name())
	}
}

// HelpText returns a text in the help of a command outside of a family, or a text with values: the file help_NAME.txt
// in texts. The file is beside the code of the command. If there are values, they take the places of %s in the text.
// HelpText panics if the file is missing.
func HelpText(texts embed.FS, name string, values ...any) string {
	text, err := readHelp(texts, name)
	if err != nil {
		panic(err)
	}
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// readHelp returns the file help_NAME.txt without its last line break.
func readHelp(texts embed.FS, name string) (string, error) {
	file, err := texts.ReadFile("help_" + name + ".txt")
	return strings.TrimSuffix(string(file), "\n"), err
}
