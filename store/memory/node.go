package memory

import (
	"bytes"
	"hash/maphash"

	"handoff/store"
)

// node is a treap: a search tree by key and a heap by rank. Ranks are hashes of keys, so the tree is balanced whatever
// the order of writes. Nodes never change: with and without return a new root. A nil node is an empty tree.
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
	if n == nil {
		return &node{key: key, value: value, rank: maphash.Bytes(seed, key)}
	}
	m := *n
	switch bytes.Compare(key, n.key) {
	case -1:
		m.left = n.left.with(key, value)
		if l := m.left; l.rank > m.rank { // l is new: it may change until it is returned
			m.left, l.right = l.right, &m
			return l
		}
	case +1:
		m.right = n.right.with(key, value)
		if r := m.right; r.rank > m.rank {
			m.right, r.left = r.left, &m
			return r
		}
	default:
		m.value = value
	}
	return &m
}

// without is n with key removed, and n itself if key is not there.
func (n *node) without(key []byte) *node {
	if n == nil {
		return nil
	}
	m := *n
	switch bytes.Compare(key, n.key) {
	case -1:
		m.left = n.left.without(key)
	case +1:
		m.right = n.right.without(key)
	default:
		return join(n.left, n.right)
	}
	if m.left == n.left && m.right == n.right {
		return n
	}
	return &m
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
