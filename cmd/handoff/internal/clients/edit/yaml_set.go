package edit

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"handoff/cmd/handoff/internal/clients/client"
)

// Set puts a value at a path of keys. A null on the way counts as nothing.
func (d *yamlText) Set(value any, path ...any) error {
	if err := d.become(d.with(path, value), withSet(d.said, path, value)); err != nil {
		return fmt.Errorf("there is no place for %s: %w", strings.Join(keysOf(path), "."), err)
	}
	return nil
}

// with gives the text with a value: in the place of the one at the path, or after the last member of the mapping to
// which it belongs. Where it cannot, the text stays, and so does not say what is meant.
func (d *yamlText) with(path []any, value any) []byte {
	steps := d.reach(path)
	deep := len(steps)
	switch {
	case deep == len(path):
		return d.replaced(steps[deep-1], value)
	case d.root == nil:
		return d.inserted(len(d.text), 0, path, value)
	case deep == 0 && isBlock(d.root):
		return d.after(d.root, path, value)
	case deep == 0:
		return d.text
	}
	last := steps[deep-1]
	switch {
	case isBlock(last.value):
		return d.after(last.value, path[deep:], value)
	case isVoid(last.value) && isBlock(last.in):
		open := yamlText{parsed: parsed{text: d.voided(last.key, "")}, root: d.root}
		return open.inserted(nextLine(open.text, open.lineAt(last.key.Line)), last.key.Column-1+d.unit(d.root), path[deep:], value)
	}
	return d.text
}

// after gives the text with a value after the last member of a mapping.
func (d *yamlText) after(in *yaml.Node, path []any, value any) []byte {
	_, _, past := d.span(in.Content[len(in.Content)-2])
	return d.inserted(past, in.Content[0].Column-1, path, value)
}

// inserted gives the text with a value in lines of its own. A text without an end of its last line gets none.
func (d *yamlText) inserted(at, indent int, path []any, value any) []byte {
	lines := d.lines(path[0].(string), nested(value, path[1:]), indent)
	if at > 0 && d.text[at-1] != '\n' {
		nl := lineEnd(d.text)
		lines = nl + strings.TrimSuffix(lines, nl)
	}
	return spliced(d.text, at, at, lines)
}

// replaced gives the text with another value for a member. A comment behind a value of one line stays.
func (d *yamlText) replaced(m member, value any) []byte {
	if !isBlock(m.in) {
		return d.text
	}
	from, to, _ := d.span(m.key)
	lines := d.lines(m.key.Value, value, m.key.Column-1)
	old := d.text[from:to]
	rest := lineRest(old, 0)
	if i := bytes.LastIndex(old[:rest], []byte(m.value.LineComment)); m.value.LineComment != "" && i >= 0 {
		first := lineRest([]byte(lines), 0)
		lines = lines[:first] + string(old[len(blankEnd(old[:i])):rest]) + lines[first:]
	}
	if !bytes.HasSuffix(old, []byte("\n")) {
		lines = strings.TrimSuffix(lines, lineEnd(d.text))
	}
	return spliced(d.text, from, to, lines)
}

// lines writes a key with its value, objects over several lines.
func (d *yamlText) lines(key string, value any, indent int) string {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(d.unit(d.root))
	if err := encoder.Encode(yamlNode(client.Object{{Key: key, Value: value}})); err != nil {
		panic(err) // values are ours
	}
	var all strings.Builder
	for line := range strings.Lines(b.String()) {
		all.WriteString(strings.Repeat(" ", indent) + strings.TrimSuffix(line, "\n") + lineEnd(d.text))
	}
	return all.String()
}

func yamlNode(value any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	object, ok := value.(client.Object)
	if !ok {
		if err := n.Encode(value); err != nil {
			panic(err) // values are ours
		}
		n.Style |= yaml.FlowStyle
		return n
	}
	for _, f := range object {
		n.Content = append(n.Content, yamlNode(f.Key), yamlNode(f.Value))
	}
	return n
}

// Delete removes a member of a mapping with its lines. A mapping without others stays, as {}. Comments after the
// member stay.
func (d *yamlText) Delete(path ...any) error {
	if len(path) == 0 {
		return inTheWay(nil)
	}
	if _, there := d.Look(path...); !there {
		return nil
	}
	steps := d.reach(path)
	if len(steps) < len(path) || !isBlock(steps[len(path)-1].in) {
		return errOtherwise // it comes from another place of the text, or stands in braces
	}
	m := steps[len(path)-1]
	next := *d
	from, to, _ := d.span(m.key)
	if to == len(d.text) && !bytes.HasSuffix(d.text, []byte("\n")) {
		from = len(bytes.TrimSuffix(bytes.TrimSuffix(d.text[:from], []byte("\n")), []byte("\r")))
	}
	next.text = spliced(d.text, from, to, "")
	if len(path) > 1 && len(m.in.Content) == 2 {
		next.text = next.voided(steps[len(path)-2].key, " {}")
	}
	return d.become(next.text, withDeleted(d.said, path))
}
