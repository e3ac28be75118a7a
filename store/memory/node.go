package memory

import (
	"bytes"
	"hash/maphash"

	"handoff/store"
)

// node is a treap: a search tree by key and a heap by rank. Ranks are hashes of keys, so the tree is balanced whatever
// the order of writes. Nodes never change: split and join make new ones on their path. A nil node is an empty tree.
type node struct {
	key, value  []byte
	rank        uint64
	left, right *node
}

var seed = maphash.MakeSeed()

// find is the value of key, or nil.
func (n *node) find(key []byte) []byte {
	for n != nil {
		switch bytes.Compare(key, n.key) {
		case -1:
			n = n.left
		case +1:
			n = n.right
		default:
			return n.value
		}
	}
	return nil
}

// with is n with value under key.
func (n *node) with(key, value []byte) *node {
	before, _, after := n.split(key)
	return join(join(before, &node{key: key, value: value, rank: maphash.Bytes(seed, key)}), after)
}

// without is n with key removed, and n itself if key is not there.
func (n *node) without(key []byte) *node {
	before, at, after := n.split(key)
	if at == nil {
		return n
	}
	return join(before, after)
}

// split is the tree of the nodes before key, the node of key, nil for none, and the tree of those after.
func (n *node) split(key []byte) (before, at, after *node) {
	if n == nil {
		return nil, nil, nil
	}
	m := *n
	switch bytes.Compare(key, n.key) {
	case -1:
		before, at, m.left = n.left.split(key)
		return before, at, &m
	case +1:
		m.right, at, after = n.right.split(key)
		return &m, at, after
	}
	return n.left, n, n.right
}

// join is the tree of all nodes of a and b. Every key of a is before b.
func join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.rank > b.rank:
		m := *a
		m.right = join(a.right, b)
		return &m
	default:
		m := *b
		m.left = join(a, b.left)
		return &m
	}
}

// walk calls each for the nodes with from <= key < to, first to last or in reverse, until it returns false. It reports
// whether each never did.
func (n *node) walk(r store.Range, each func(*node) bool) bool {
	if n == nil {
		return true
	}
	toLeft := bytes.Compare(n.key, r.From) >= 0
	toRight := r.To == nil || bytes.Compare(n.key, r.To) < 0
	first, last := n.left, n.right
	toFirst, toLast := toLeft, toRight
	if r.Reverse {
		first, last = last, first
		toFirst, toLast = toLast, toFirst
	}
	return (!toFirst || first.walk(r, each)) && (!toLeft || !toRight || each(n)) && (!toLast || last.walk(r, each))
}
