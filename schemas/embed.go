package schemas

import "embed"

//go:generate go run ./generate

//go:embed json
var generated embed.FS

// Full gives the JSON Schema of a message by the name of its Go type, with every nested field: what is
// accepted in it, and what it means. Keywords that begin with "x-" are notes for package tools. It gives
// nil when there is no such message.
func Full(name string) []byte { return kept("json/" + name + ".json") }

// Published gives the JSON Schema of the arguments or the result of a tool as clients see it: one line
// that says what a model needs. It gives nil when there is no such message.
func Published(name string) []byte { return kept("json/published/" + name + ".json") }

func kept(path string) []byte {
	b, err := generated.ReadFile(path)
	if err != nil {
		return nil
	}
	return b
}
