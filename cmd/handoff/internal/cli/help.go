package cli

import (
	"embed"
	"fmt"
	"strings"
)

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
