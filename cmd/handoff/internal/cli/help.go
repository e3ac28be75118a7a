package cli

import (
	"embed"
	"fmt"
)

// HelpText returns the description of a command. The description is the file help_COMMAND.txt in texts, which is beside
// the code of the command. The values take the places of %s in it. HelpText panics if the file is missing.
func HelpText(texts embed.FS, command string, values ...any) string {
	text, err := texts.ReadFile("help_" + command + ".txt")
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(string(text), values...)
}
