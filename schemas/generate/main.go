// Command generate writes JSON Schemas from the Go types of package schemas into the folder json beside it. Run it as
// go generate ./schemas. The files are reviewed as code.
//
// The arguments of tools, and every type within them, have a full schema each, in a file named after the type. The
// decoder of package tools enforces it, and people read it. It refers to the files of other types. Only a form (x-form)
// is repeated in each object that has it.
//
// The arguments and results of the tools that agents are offered also have a published schema, which clients are sent:
// one line without combinators, references, nulls and boolean schemas, because some client stumbles over each of these,
// and without what a model does not need.
//
// Descriptions are comments. A comment above a field is published: models read it, and every session pays for its
// tokens. A comment behind a field stands in the full schema only. Struct tags say what types cannot. Beside those of
// invopop/jsonschema:
//
//	x-hidden    accepted but not published, for spellings of other protocols
//	x-free      published as a free object, or as a list of them, that its description explains
//	x-any       any JSON value; published as a free object
//	x-filled    refused as an argument and not published as one: the mailbox fills it
//	x-optional  nothing within is required
//	x-gist      a text that stands where the object should is this field of it
//	x-clamp     a number that is too large counts as the largest one
//	x-form      how the value is written in a form, where its type does not say it
//
// The full schema of an object has its form as x-form, which refusals show, and the description of a free field begins
// with the form of the field.
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

// run writes all files into the working directory, which is that of package schemas, and removes those of messages that
// are gone.
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
