package bolt

import (
	"bytes"
	"encoding/binary"
	"io"

	"handoff/store"
)

// bbolt maps the file into memory and follows the numbers in its pages. So a damaged number can lead it out of the file,
// which ends the process. pageWalk reads the pages itself, and follows a number only if a whole page of that number is
// in the file. Numbers are in the byte order of the machine.

const (
	pageHeader    = 16 // number, kind, count of elements, count of further pages
	elementSize   = 16 // branch: position and size of the key, page; leaf: flag, position of the key, sizes of key and value
	branchPage    = 1
	leafPage      = 2
	freelistPage  = 16
	bucketElement = 1  // flag of a leaf's element whose value leads to further pages
	bucketHeader  = 16 // number of its page, sequence
)

// pageWalk walks over the pages of a file.
type pageWalk struct {
	file    io.ReaderAt
	end     uint64               // number of pages
	seen    map[uint64]bool      // pages that the tree leads to, also further ones
	keep    func(store.IndexRow) // called with each row
	loose   bool                 // keep rows of single pages, and walk to no others
	damaged []uint64             // numbers of the pages that the tree leads to and that are not whole
}

// pageElement is an element of a page. In a branch it has a key and a page, in a leaf a key and a value.
type pageElement struct {
	key, value []byte
	page       uint64
	isBucket   bool
}

// walk reads the page with a number, and all pages below it. The space is [store.Spaces] above the buckets. A page that
// is not whole proves nothing: walk keeps no row of it, and does not follow its numbers.
func (w *pageWalk) walk(id uint64, space store.Space) {
	p := w.page(id)
	all, whole := elementsOf(p)
	if !whole || w.seen[id] {
		w.damaged = append(w.damaged, id)
		return
	}
	for further := range uint64(len(p)) / pageSize {
		w.seen[id+further] = true
	}
	w.follow(all, space)
}

// follow keeps the rows of elements, and walks to the pages to which the others lead. A small bucket has its page within
// the value, behind a header.
func (w *pageWalk) follow(all []pageElement, in store.Space) {
	for _, e := range all {
		space := in
		if e.isBucket {
			space = spaceNamed(e.key)
		}
		switch {
		case e.page != 0 || e.value == nil:
			if !w.loose {
				w.walk(e.page, space)
			}
		case e.isBucket:
			rows, _ := elementsOf(e.value[bucketHeader:])
			w.follow(rows, space)
		default:
			w.keep(store.IndexRow{Space: space, Key: e.key, Value: e.value})
		}
	}
}

// page returns the page with a number and its further pages. It returns nil unless the page names its number and ends
// within the file.
func (w *pageWalk) page(id uint64) []byte {
	p := make([]byte, pageHeader)
	if id < 2 || id >= w.end {
		return nil
	}
	at := int64(id) * pageSize //nolint:gosec // in the file
	_, err := w.file.ReadAt(p, at)
	further := uint64(binary.NativeEndian.Uint32(p[12:]))
	if err != nil || binary.NativeEndian.Uint64(p) != id || further >= w.end-id {
		return nil
	}
	p = make([]byte, (1+further)*pageSize)
	if _, err = w.file.ReadAt(p, at); err != nil {
		return nil
	}
	return p
}

// elementsOf returns the elements of a branch or a leaf that lie within it. Whole reports whether all do, and are in the
// order of their keys.
func elementsOf(p []byte) (all []pageElement, whole bool) {
	if len(p) < pageHeader {
		return nil, false
	}
	kind, last := binary.NativeEndian.Uint16(p[8:]), []byte(nil)
	whole = kind == branchPage || kind == leafPage
	for i := range int(binary.NativeEndian.Uint16(p[10:])) {
		e, within := parseElement(kind == leafPage, p[min(len(p), pageHeader+i*elementSize):])
		if whole = whole && within && bytes.Compare(last, e.key) < 0; within {
			all, last = append(all, e), e.key
		}
	}
	return all, whole
}

// parseElement decodes the element at the beginning of b, which ends with its page. Within is false if the element leads
// out of b, or has a small bucket that is not whole.
func parseElement(leaf bool, b []byte) (e pageElement, within bool) {
	if len(b) < elementSize {
		return e, false
	}
	order := binary.NativeEndian
	flag, at, keySize, size := order.Uint32(b), uint64(order.Uint32(b[4:])), uint64(order.Uint32(b[8:])), uint64(order.Uint32(b[12:]))
	if !leaf {
		flag, at, keySize, size, e.page = 0, uint64(flag), at, 0, order.Uint64(b[8:])
	}
	if at+keySize+size > uint64(len(b)) {
		return e, false
	}
	if e.key = b[at:][:keySize]; leaf {
		e.value = b[at+keySize:][:size]
	}
	if e.isBucket = flag == bucketElement; !e.isBucket || size < bucketHeader {
		return e, !e.isBucket
	}
	if e.page = order.Uint64(e.value); e.page == 0 {
		_, within = elementsOf(e.value[bucketHeader:])
	}
	return e, within || e.page != 0
}

// spaceNamed returns the space of a bucket, [store.Spaces] for an unknown one.
func spaceNamed(bucket []byte) store.Space {
	for s := range store.Spaces {
		if s.String() == string(bucket) {
			return s
		}
	}
	return store.Spaces
}
