package written

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// YAML writes a value as people edit it, with texts of several lines as they stand.
func YAML(value any) (string, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(value); err != nil {
		return "", fmt.Errorf("write as YAML: %w", err)
	}
	return b.String(), e.Close()
}

// ReadYAML reads into a struct what [YAML] wrote and somebody edited. A field that the struct does not have is an error.
func ReadYAML(text string, into any) error {
	d := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("not YAML as it was: %w", err)
	}
	return nil
}
