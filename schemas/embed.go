package schemas

import "embed"

//go:generate go run ./generate

//go:embed json
var generated embed.FS

// Full gives the JSON Schema of a type of this package by the name of the type: which fields are accepted, and what
// they mean. Package tools reads it when it first decodes the arguments of a tool, and people read the file. A field
// whose value is another type of this package refers to the file of that type, as "Context.json". Keywords that begin
// with "x-" are notes for package tools, which the generate subpackage explains. The result is nil when no message
// uses such a type.
func Full(name string) []byte { return kept("json/" + name + ".json") }

// Published gives the JSON Schema of the arguments or the result of a tool by the name of the Go type, as clients are
// sent it: one line without references that says what a model needs. Package tools reads it at start. The result is
// nil when there is no such message.
func Published(name string) []byte { return kept("json/published/" + name + ".json") }

func kept(path string) []byte {
	b, err := generated.ReadFile(path)
	if err != nil {
		return nil
	}
	return b
}
