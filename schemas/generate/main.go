// Command generate writes JSON Schemas from the Go types of package schemas into the folder json of that package. Run
// it as go generate ./schemas. The generated files are reviewed like code.
//
// There are two kinds of schemas. A full schema describes one type: the arguments of a tool, or a value inside them. It
// is a file named after the type, and refers to the files of other types. Package tools checks arguments against it,
// and people read it. Each object in a full schema also has its form (x-form), a short text that shows how to write the
// object.
//
// A published schema describes the arguments or the result of a tool for agents, and is sent to clients. It is one line
// without references, nulls and schemas without a type or alternatives, because each of these breaks some client. Of
// arguments it has the fields that the file shown.txt lists, and of results the fields and their types.
//
// The descriptions in the schemas are the comments of the Go types. A comment above a field is published: models read
// it, and it costs tokens in every session. A comment behind a field is in the full schema only. Struct tags add rules
// that Go types cannot express. The tags of invopop/jsonschema can be used, and these:
//
//	x-hidden    accepted but not published, for spellings of other protocols
//	x-any       any JSON value
//	x-filled    refused as an argument and not published as one: the mailbox fills it
//	x-optional  nothing within is required
//	x-gist      a text in place of the object is read as this field
//	x-clamp     a number that is too large counts as the largest one
//	x-form      the written form of the value, if its type does not show it
//
// Errors about a malformed object show the x-form of its full schema.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := writeSchemas(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// writeSchemas writes all schemas into the working directory, which must be the folder of package schemas. It removes
// the schema files of messages that no longer exist.
func writeSchemas() error {
	if _, err := os.Stat("schemas.go"); err != nil {
		return fmt.Errorf("this is not the folder of package schemas: %w", err)
	}
	files, err := SchemaFiles()
	if err != nil {
		return err
	}
	if err := os.RemoveAll("json"); err != nil {
		return err
	}
	for name, content := range files {
		if err := cmp.Or(os.MkdirAll(filepath.Dir(name), 0o750), os.WriteFile(name, content, 0o600)); err != nil {
			return err
		}
	}
	return nil
}
