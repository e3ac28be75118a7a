// Package schemas holds the words of handoff: the messages of agents, the records of them in the registry, their
// limits, and the errors. A type lives here only if it crosses a process or a disk boundary. No code here decides
// which steps a handoff may take.
//
// A handoff is a contract with context ([Handoff]): the task, the known facts, and the expected result. It ends with
// a [Completion] or a [Failure]. Each step leaves an [Event]. The remaining types are the arguments and results of
// the tools, named after them: [SendIn] and [SendOut], and so on. Each message has a file of its own.
//
// The generate subpackage generates the JSON Schema of every message. The schemas are reviewed files under json, and
// embedded: the server sends these files.
//
// Package [handoff/schemas/respell] brings the messages of other protocols into the form of these types.
//
// Advice holds the input struct of the tool that it advises ([Call]), so the compiler checks its names and types. Its
// sentence is a predicate whose subject is the call: one sentence then fits JSON, text and command lines.
package schemas

import (
	"embed"
)

// Version is the schema version of stored records. A record with a larger one is refused, because a newer program may
// rely on fields whose meaning this one does not know.
const Version = 1

//go:generate go run ./generate

//go:embed json
var generated embed.FS

// Full returns the JSON Schema of a type of this package by the name of the type: the accepted fields and their
// meaning. Package tools reads it when it first decodes the arguments of a tool, and people read the file. A field
// whose value is another type of this package refers to the file of that type, such as "Context.json". Keywords that
// begin with "x-" are notes for package tools; the generate subpackage explains them. The result is nil if no
// argument uses this type.
func Full(name string) []byte { return readGenerated("json/" + name + ".json") }

// Published returns the JSON Schema of the arguments or the result of a tool by the name of the Go type, in the form
// that clients get: one line without references, with the facts that a model needs. The result is nil for an unknown
// message.
func Published(name string) []byte { return readGenerated("json/published/" + name + ".json") }

func readGenerated(path string) []byte {
	b, _ := generated.ReadFile(path) // nil for an unknown path
	return b
}
