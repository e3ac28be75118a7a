package tools

import (
	"strconv"

	"handoff/schemas"
)

// path says where a value stands within the arguments; nil is the path of the arguments themselves. Decoding makes a
// path for every value, and writes it out only for an error.
type path struct {
	up    *path
	name  string // of a field, unless it is an item
	index int
	item  bool
}

func (p *path) field(name string) *path { return &path{up: p, name: name} }

func (p *path) at(index int) *path { return &path{up: p, index: index, item: true} }

// String gives the path, as context.files[0].path.
func (p *path) String() string {
	switch {
	case p == nil:
		return ""
	case p.item:
		return p.up.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.up == nil:
		return short(p.name)
	}
	return p.up.String() + "." + short(p.name)
}

// depth counts the objects and lists around the value, and the value itself.
func (p *path) depth() int {
	n := 1
	for ; p != nil; p = p.up {
		n++
	}
	return n
}

// short makes a text that a caller wrote fit into an error: at most 64 bytes, nothing hidden.
func short(s string) string { return schemas.Visible(schemas.Clip(s, 64)) }

func quoted(s string) string { return `"` + short(s) + `"` }
