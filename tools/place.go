package tools

import (
	"strconv"

	"handoff/schemas"
)

// place is where a value stands within the arguments; nil is the arguments themselves. It is spelled out
// only when something is wrong there.
type place struct {
	up    *place
	name  string // of a field, unless it is an item
	index int
	item  bool
}

func (p *place) field(name string) *place { return &place{up: p, name: name} }

func (p *place) at(index int) *place { return &place{up: p, index: index, item: true} }

// String gives the path, as context.files[0].path.
func (p *place) String() string {
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

// depth counts the objects and lists around the place, and the one that stands there.
func (p *place) depth() int {
	n := 1
	for ; p != nil; p = p.up {
		n++
	}
	return n
}

// short makes what a caller wrote fit into an error.
func short(s string) string { return schemas.Visible(schemas.Clip(s, 64)) }

func quoted(s string) string { return `"` + short(s) + `"` }
