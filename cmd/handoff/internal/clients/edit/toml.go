package edit

import (
	"bytes"
	"slices"

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
	from   int  // of the key, or of the line of a header
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
		keys, from, end := keysOf(e)
		if e.Kind == unstable.KeyValue {
			value := end + bytes.IndexByte(text[end:], '=') + 1
			value += len(text[value:]) - len(bytes.TrimLeft(text[value:], " \t"))
			end = int(e.Raw.Offset + e.Raw.Length)
			d.lines = append(d.lines, tomlLine{slices.Concat(table, keys), false, inArray, from, value, end})
			continue
		}
		table, inArray = keys, e.Kind == unstable.ArrayTable
		from = bytes.LastIndexByte(text[:from], '\n') + 1
		end += bytes.IndexByte(text[end:], ']') + 1
		if inArray {
			end++
		}
		d.lines = append(d.lines, tomlLine{table, true, inArray, from, 0, end})
	}
	return d, p.Error()
}

// keysOf returns the keys of a line, and the offsets of the first and after the last of them.
func keysOf(line *unstable.Node) (path []string, from, end int) {
	for it := line.Key(); it.Next(); {
		raw := it.Node().Raw
		if path == nil {
			from = int(raw.Offset)
		}
		path, end = append(path, string(it.Node().Data)), int(raw.Offset+raw.Length)
	}
	return path, from, end
}

// stringKeys returns the keys of a path.
func stringKeys(path []any) []string {
	return schemas.Map(path, func(step any) string { return step.(string) })
}
