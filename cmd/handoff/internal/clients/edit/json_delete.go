package edit

// Delete removes the value at a path, with its key and the comma that is not needed any more. It removes all values
// of that key. Comments before the value stay, as they may be about more than the value.
func (d *JSON) Delete(path ...any) error {
	if len(path) == 0 {
		return inTheWay(nil)
	}
	text, found := d.cut(path)
	if !found {
		return nil
	}
	_, ofList := path[len(path)-1].(int)
	for n := 0; found && !ofList; n++ {
		if n == mostCuts {
			return errCuts
		}
		next, err := openJSON(d.mark, text)
		if err != nil {
			return err
		}
		var shorter []byte
		if shorter, found = next.cut(path); found {
			text = shorter
		}
	}
	return d.become(text, withDeleted(d.said, path))
}

// cut gives the text without the item at a path. Of several items with that key it cuts the last.
func (d *JSON) cut(path []any) (text []byte, found bool) {
	above, deep := d.reach(path[:len(path)-1])
	if deep < len(path)-1 {
		return nil, false
	}
	l := d.list(above)
	i := find(l.items, path[len(path)-1])
	if i < 0 {
		return nil, false
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
	text = spliced(d.text, from, to, "")
	if it.comma == 0 && i > 0 {
		comma := l.items[i-1].comma
		text = spliced(text, comma, comma+1, "")
	}
	return text, true
}
