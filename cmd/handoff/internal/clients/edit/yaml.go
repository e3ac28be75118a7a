package edit

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// yamlText is a YAML file. Its block mappings are changed, by whole lines; what is within braces stays as it is.
type yamlText struct {
	parsed
	root *yaml.Node // nil in a text that says nothing
}

// openYAML parses a YAML text. The nodes give the lines, and the decoder finds keys that are there twice.
func openYAML(mark string, text []byte) (*yamlText, error) {
	d := &yamlText{parsed: parsed{mark, text, map[string]any{}}}
	if bytes.ContainsAny(bytes.ReplaceAll(text, []byte("\r\n"), nil), "\r\u0085\u2028\u2029") {
		return nil, errors.New("it has line ends that most programs do not know")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return d, nil
	}
	if err == nil && !errors.Is(decoder.Decode(&more), io.EOF) {
		err = errors.New("it has more than one document")
	}
	if err != nil {
		return nil, err
	}
	if d.root = doc.Content[0]; d.root.Kind != yaml.MappingNode {
		return nil, inTheWay(nil)
	}
	return d, d.root.Decode(&d.said)
}

// become replaces the text of the document, if the new text says what is meant.
func (d *yamlText) become(text []byte, meant meaning) error {
	next, err := openYAML(d.mark, text)
	if err != nil || !meant(next.said) {
		return errOtherwise
	}
	*d = *next
	return nil
}

// A member is a key of a mapping with its value.
type member struct{ in, key, value *yaml.Node }

// reach gives the members on a path, as far as there are some.
func (d *yamlText) reach(path []any) (steps []member) {
	in := d.root
	for _, step := range path {
		i := memberAt(in, step)
		if i < 0 {
			break
		}
		steps = append(steps, member{in, in.Content[i], in.Content[i+1]})
		in = in.Content[i+1]
	}
	return steps
}

// memberAt gives the place of a key in the content of a mapping; -1 if it has none, or is no mapping.
func memberAt(in *yaml.Node, key any) int {
	if in == nil || in.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i < len(in.Content); i += 2 {
		if in.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// isBlock tells a mapping whose members have lines of their own.
func isBlock(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// isVoid tells a value that holds nothing: null, or {}.
func isVoid(n *yaml.Node) bool {
	return n.ShortTag() == "!!null" || n.Kind == yaml.MappingNode && len(n.Content) == 0
}

// unit is by how much a level is indented.
func (d *yamlText) unit(in *yaml.Node) int {
	if in == nil || !isBlock(in) {
		return 2
	}
	for i := 1; i < len(in.Content); i += 2 {
		if isBlock(in.Content[i]) {
			return in.Content[i].Content[0].Column - in.Content[0].Column
		}
	}
	return 2
}

// lineAt gives where a line begins; lines count from 1.
func (d *yamlText) lineAt(number int) (at int) {
	for ; number > 1; number-- {
		at = nextLine(d.text, at)
	}
	return at
}

// nextLine gives where the line after an offset begins, or the end of the text.
func nextLine(text []byte, at int) int {
	if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(text)
}

// span gives the lines of a member: those that are indented more than its key, and of lists and brackets those that are
// indented as it. Past them, comments that are indented more may be the end of a text of several lines.
func (d *yamlText) span(key *yaml.Node) (from, to, past int) {
	from = d.lineAt(key.Line)
	to = nextLine(d.text, from)
	past = to
	for at, next := to, 0; at < len(d.text); at = next {
		next = nextLine(d.text, at)
		line := strings.TrimRight(string(d.text[at:next]), " \t\r\n")
		rest := strings.TrimLeft(line, " ")
		deep := len(line) - len(rest)
		goesOn := rest == "-" || strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "}")
		switch {
		case rest == "":
		case rest[0] == '#' && deep >= key.Column:
			past = next
		case rest[0] == '#':
		case deep >= key.Column || deep == key.Column-1 && goesOn:
			to, past = next, next
		default:
			return from, to, past
		}
	}
	return from, to, past
}

// opening matches the line of a key whose value is void: up to the colon, and to the end of the value.
var opening = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( *(?:"[^"\n]*"|'[^'\n]*'|[^\s"'#:]+)[ \t]*:)(?:[ \t]*(?:\{[ \t]*\}|null|~))?`)
})

// voided gives the text with another void value for a key, as it is written behind the colon.
func (d *yamlText) voided(key *yaml.Node, value string) []byte {
	at := d.lineAt(key.Line)
	found := opening().FindSubmatchIndex(d.text[at:])
	if found == nil {
		return d.text
	}
	return spliced(d.text, at+found[3], at+found[1], value)
}
