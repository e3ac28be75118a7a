package main

import (
	"cmp"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// typeComments holds the comments of package schemas on its types and their fields. A comment on the line above a field
// is published to clients, and models read it. A comment behind a field, on the same line, is not published: people
// find it in the full schema.
type typeComments struct {
	types         map[string]string // the first sentence, by the name of the type
	above, behind map[string]string // by type and field, such as SendIn.To
}

// readComments reads the comments from the Go files in the working directory, which must be the folder of package
// schemas.
func readComments() (*typeComments, error) {
	c := &typeComments{types: map[string]string{}, above: map[string]string{}, behind: map[string]string{}}
	files, err := filepath.Glob("*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				c.addDeclaration(d)
			}
		}
	}
	return c, nil
}

// addDeclaration stores the comments of the structs in a declaration.
func (c *typeComments) addDeclaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		spec := spec.(*ast.TypeSpec)
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		c.types[spec.Name.Name] = oneLine(new(doc.Package).Synopsis(d.Doc.Text()))
		for _, f := range fields.Fields.List {
			for _, name := range f.Names {
				c.above[spec.Name.Name+"."+name.Name] = oneLine(f.Doc.Text())
				c.behind[spec.Name.Name+"."+name.Name] = oneLine(f.Comment.Text())
			}
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// description returns the comment of a field, or the first sentence of the comment of a type if field is empty.
func (c *typeComments) description(t reflect.Type, field string) string {
	if field == "" {
		return c.types[t.Name()]
	}
	return cmp.Or(c.behind[t.Name()+"."+field], c.publishedComment(t, field))
}

// publishedComment returns the comment of a field that is published to clients, or "".
func (c *typeComments) publishedComment(t reflect.Type, field string) string {
	return c.above[t.Name()+"."+field]
}
