// Package schemas holds the data types of handoff: the messages of agents, the records of these messages in the
// registry, their limits, and the errors. A type is in this package only if a process sends it to another process or
// writes it to a disk. The code here never decides which actions a handoff allows; package mailbox does.
//
// A handoff is work with its context ([Handoff]): the task, the known facts, and the expected result. It ends with a
// [Completion] or a [Failure]. Each action leaves an [Event]. The other types are mainly the arguments and results of
// the tools, and are named after them, such as [SendIn] and [SendOut]. Each message has a file of its own.
//
// The generate subpackage makes a JSON Schema of every message. The generated schemas are files below the folder json.
// They are reviewed like code and embedded in the program, which sends them to clients.
//
// Package [handoff/schemas/respell] converts messages of other protocols to the form of these types.
//
// [AdviseCall] makes an [Advice] from the arguments of the advised tool as a struct, so the compiler checks their names
// and types. The sentence of an advice is a predicate whose subject is the call. So the same sentence fits JSON, texts
// and command lines.
package schemas

import (
	"embed"
)

// Version is the schema version of stored records. A record with a larger version is refused. A newer program wrote it,
// and may have given it fields that this program does not know but that change its meaning.
const Version = 1

//go:generate go run ./generate

//go:embed json
var generated embed.FS

// FullSchema returns the full JSON Schema of a type of this package: the accepted fields and their meaning. The
// parameter is the name of the type. Package tools reads the schema when it first decodes the arguments of a tool, and
// people read the file. If the value of a field is another type of this package, the schema refers to the file of that
// type, such as "Context.json". Keywords that begin with "x-" are notes for package tools; the package comment of the
// generate subpackage explains them. FullSchema returns nil if the type is not part of any arguments.
func FullSchema(name string) []byte { return readGenerated("json/" + name + ".json") }

// PublishedSchema returns the JSON Schema of the arguments or the result of a tool, in the form that clients get: one
// line without references, with only the facts that a model needs. The parameter is the name of the Go type.
// PublishedSchema returns nil for an unknown name.
func PublishedSchema(name string) []byte { return readGenerated("json/published/" + name + ".json") }

func readGenerated(path string) []byte {
	b, _ := generated.ReadFile(path) // nil for an unknown path
	return b
}
