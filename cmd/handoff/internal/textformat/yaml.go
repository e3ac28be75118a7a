package textformat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxValues is the largest number of values in a YAML document. The values of repeated aliases count each time, because
// a few lines with aliases can stand for billions of values.
const maxValues = 100_000

// parseYAML reads one YAML document. It keeps the digits of numbers that are valid in JSON. Dates stay texts.
func parseYAML(text string) (any, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not YAML: %w", err)
	}
	if !errors.Is(decoder.Decode(&more), io.EOF) {
		return nil, errors.New("not one YAML document: there is more after it")
	}
	d := yamlReader{left: maxValues}
	value := d.readValue(&doc)
	return value, d.err
}

// yamlReader reads the values of a document. It keeps the first error.
type yamlReader struct {
	left int // number of values that it may still read
	err  error
}

func (d *yamlReader) readValue(n *yaml.Node) any {
	if d.left--; d.left < 0 {
		d.err = cmp.Or(d.err, fmt.Errorf("more than %d values in YAML", maxValues))
		return nil
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return d.readValue(n.Content[0])
	case yaml.AliasNode:
		return d.readValue(n.Alias)
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, d.readValue(c))
		}
		return list
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if _, twice := object[key.Value]; twice || key.Kind != yaml.ScalarNode {
				d.err = cmp.Or(d.err, fmt.Errorf("line %d: %q is there twice, or no name", key.Line, key.Value))
			}
			object[key.Value] = d.readValue(n.Content[i+1])
		}
		return object
	case yaml.ScalarNode:
	}
	return decodeScalar(n)
}

func decodeScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if truth, err := strconv.ParseBool(strings.ToLower(n.Value)); err == nil {
			return truth
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

// WriteYAML writes a value as YAML that people can edit. A text of several lines keeps its lines.
func WriteYAML(value any) (string, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(value); err != nil {
		return "", fmt.Errorf("write as YAML: %w", err)
	}
	return b.String(), e.Close()
}

// ReadYAML reads edited output of [WriteYAML] into a struct. The error names a field that the struct does not have.
func ReadYAML(text string, into any) error {
	d := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("not YAML as it was: %w", err)
	}
	return nil
}
