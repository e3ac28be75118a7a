package edit

import (
	"bytes"

	"handoff/schemas"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlText is a TOML file.
type tomlText struct {
	parsedText
	lines []tomlLine
}

// A tomlLine is a key with its value, or the header of a table. An inline table is one value: its fields have no
// tomlLines.
type tomlLine struct {
	path   []string // from the root, the table's included
	header bool
	array  bool // of an element of an array of tables
	from   int  // of the key, or of the bracket of a header
	value  int  // where the value begins
	end    int  // of the value or header
}

// openTOML parses a TOML text twice: a parser returns the offsets of keys and values, and a decoder finds faults such
// as a table that is defined twice.
func openTOML(mark string, text []byte) (*tomlText, error) {
	d := &tomlText{parsedText: parsedText{mark, text, map[string]any{}}}
	if err := toml.Unmarshal(text, &d.values); err != nil {
		return nil, err
	}
	p := unstable.Parser{}
	p.Reset(text)
	var table []string
	inArray := false
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			l := keyValueLine(&p, table, e)
			l.array = inArray
			d.lines = append(d.lines, l)
			continue
		}
		table = keysFrom(e.Key())
		inArray = e.Kind == unstable.ArrayTable
		d.lines = append(d.lines, headerLine(&p, table, e, inArray))
	}
	return d, p.Error()
}

func keysFrom(it unstable.Iterator) (path []string) {
	for it.Next() {
		path = append(path, string(it.Node().Data))
	}
	return path
}

// headerLine finds the brackets around the key of a table.
func headerLine(p *unstable.Parser, path []string, e *unstable.Node, array bool) tomlLine {
	l := tomlLine{path: path, header: true, array: array}
	first, end := true, 0
	for it := e.Key(); it.Next(); first = false {
		raw := it.Node().Raw
		if first {
			l.from = bytes.LastIndexByte(p.Data()[:raw.Offset], '\n') + 1
		}
		end = int(raw.Offset + raw.Length)
	}
	l.end = end + bytes.IndexByte(p.Data()[end:], ']') + 1
	if array {
		l.end++
	}
	return l
}

// keyValueLine finds the value of a key.
func keyValueLine(p *unstable.Parser, table []string, e *unstable.Node) tomlLine {
	l := tomlLine{from: int(e.Raw.Offset), end: int(e.Raw.Offset + e.Raw.Length)}
	l.path = append(append(l.path, table...), keysFrom(e.Key())...)
	at := 0
	for it := e.Key(); it.Next(); {
		at = int(it.Node().Raw.Offset + it.Node().Raw.Length)
	}
	data := p.Data()
	at += bytes.IndexByte(data[at:l.end], '=') + 1
	for data[at] == ' ' || data[at] == '\t' {
		at++
	}
	l.value = at
	return l
}

// stringKeys returns the keys of a path.
func stringKeys(path []any) []string {
	return schemas.Map(path, func(step any) string { return step.(string) })
}
