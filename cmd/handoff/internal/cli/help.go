package cli

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// NewFamily returns the commands of one package. It gives each of them, and those below, what the command does not say
// itself. Its description is in the file help_NAME.txt of texts, beside its code, and its examples are in
// help_NAME_examples.txt. The name of a subcommand follows that of its command, as in help_token_add.txt. A command
// without Args takes no arguments.
func NewFamily(texts embed.FS, commands ...*cobra.Command) []*cobra.Command {
	for _, cmd := range commands {
		completeCommand(texts, cmd, cmd.Name())
	}
	return commands
}

func completeCommand(texts embed.FS, cmd *cobra.Command, name string) {
	for file, text := range map[string]*string{name: &cmd.Long, name + "_examples": &cmd.Example} {
		if content, err := texts.ReadFile("help_" + file + ".txt"); err == nil && *text == "" {
			*text = strings.TrimSuffix(string(content), "\n")
		}
	}
	if cmd.Args == nil {
		cmd.Args = cobra.NoArgs
	}
	for _, below := range cmd.Commands() {
		completeCommand(texts, below, name+"_"+below.Name())
	}
}

// HelpText returns a long text in the help of a command: the file help_NAME.txt in texts, without its last line break.
// The file is beside the code of the command. If there are values, they take the places of %s in the text. HelpText
// panics if the file is missing.
func HelpText(texts embed.FS, name string, values ...any) string {
	file, err := texts.ReadFile("help_" + name + ".txt")
	if err != nil {
		panic(err)
	}
	text := strings.TrimSuffix(string(file), "\n")
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}
