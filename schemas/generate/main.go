// Command generate writes JSON Schemas from the Go types of package schemas into its folder json. Run it as go
// generate ./schemas. The files are reviewed as code.
//
// The arguments of tools, and every type within them, have a full schema each, in a file named after the type. The
// decoder of package tools enforces it, and people read it. It refers to the files of other types. Only a form
// (x-form) is repeated in each object that has it.
//
// The arguments and results of the tools for agents also have a published schema for clients. It is one line without
// combinators, references, nulls and boolean schemas, because each of these breaks some client. It leaves out
// everything that a model does not need.
//
// Descriptions are comments. A comment above a field is published: models read it, and every session pays for its
// tokens. A comment behind a field stands in the full schema only. Struct tags add rules that types cannot express.
// These tags come in addition to those from invopop/jsonschema:
//
//	x-hidden    accepted but not published, for spellings of other protocols
//	x-free      published as a free object, or as a list of them; its description explains it
//	x-any       any JSON value; published as a free object
//	x-filled    refused as an argument and not published as one: the mailbox fills it
//	x-optional  nothing within is required
//	x-gist      a text in place of the object is read as this field
//	x-clamp     a number that is too large counts as the largest one
//	x-form      the written form of the value, if its type does not show it
//
// The full schema of an object has its form as x-form, which refusals show, and the description of a free field
// begins with the form of the field.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes all files into the working directory, which must be the folder of package schemas. It removes files of
// messages that no longer exist.
func run() error {
	if _, err := os.Stat("schemas.go"); err != nil {
		return fmt.Errorf("this is not the folder of package schemas: %w", err)
	}
	files, err := Files()
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
