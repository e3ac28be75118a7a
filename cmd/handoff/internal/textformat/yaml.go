package textformat

import (
	"bytes"
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
	left := maxValues
	return decodeValue(&doc, &left)
}

func decodeValue(n *yaml.Node, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, fmt.Errorf("more than %d values in YAML", maxValues)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return decodeValue(n.Content[0], left)
	case yaml.AliasNode:
		return decodeValue(n.Alias, left)
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			v, err := decodeValue(c, left)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		return decodeObject(n, left)
	case yaml.ScalarNode:
	}
	return decodeScalar(n), nil
}

func decodeObject(n *yaml.Node, left *int) (any, error) {
	object := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, twice := object[key.Value]; twice || key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: %q is there twice, or no name", key.Line, key.Value)
		}
		v, err := decodeValue(n.Content[i+1], left)
		if err != nil {
			return nil, err
		}
		object[key.Value] = v
	}
	return object, nil
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
