package edit

// Delete removes the value at a path, with its key and the comma that is not needed any more. It fails if the key is
// there more than once. Comments before the value stay, as they may be about more than the value.
func (d *JSON) Delete(path ...any) error {
	if len(path) == 0 {
		return inTheWay(nil)
	}
	above, deep := d.reach(path[:len(path)-1])
	if deep < len(path)-1 {
		return nil
	}
	l := d.list(above)
	i := find(l.items, path[len(path)-1])
	if i < 0 {
		return nil
	}
	it := l.items[i]
	kept := blankEnd(d.text[it.from:it.start])
	from, to := it.from+len(kept), it.end
	if it.comma > 0 {
		to = it.comma + 1
	}
	if len(l.items) == 1 && len(kept) == 0 && len(blankEnd(d.text[to:l.close])) == 0 {
		to = l.close
	}
	text := spliced(d.text, from, to, "")
	if it.comma == 0 && i > 0 {
		comma := l.items[i-1].comma
		text = spliced(text, comma, comma+1, "")
	}
	return d.become(text, withDeleted(d.said, path))
}
