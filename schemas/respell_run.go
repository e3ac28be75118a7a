package schemas

import "reflect"

// A respelling is one object on its way into canonical form.
type respelling struct {
	*dialect
	args   map[string]any
	at     string            // path of args with a final dot, for errors
	filled map[string]string // canonical path to the foreign one that filled it
}

// respell changes args in place.
func (d *dialect) respell(args map[string]any, at string) error {
	if err := d.fields.rename(args, at); err != nil {
		return err
	}
	r := &respelling{dialect: d, args: args, at: at, filled: map[string]string{}}
	hinted := r.listen()
	if d.start != nil {
		if err := d.start(r); err != nil {
			return err
		}
	}
	for _, s := range d.rows {
		if err := r.apply(s); err != nil {
			return err
		}
	}
	for i, s := range d.hints {
		if have, _ := lookAt(args, s.to); isEmpty(have) && !isEmpty(hinted[i]) {
			putAt(args, s.to, hinted[i])
		}
	}
	if d.finish != nil {
		if err := d.finish(r); err != nil {
			return err
		}
	}
	for name, inner := range d.inner {
		if inside, ok := args[name].(map[string]any); ok {
			if err := inner.respell(inside, at+name+"."); err != nil {
				return err
			}
		}
	}
	return nil
}

// listen takes down what the hints say, before the rows carry their sources away.
func (r *respelling) listen() []any {
	said := make([]any, len(r.hints))
	for i, s := range r.hints {
		if v, ok := lookAt(r.args, s.from); ok {
			if read, ok := s.read.of(v); ok {
				said[i] = read
			}
		}
	}
	return said
}

// apply moves the value of one foreign field, if it is there and of the kind that the row reads.
func (r *respelling) apply(s spelling) error {
	v, ok := lookAt(r.args, s.from)
	if !ok {
		return nil
	}
	if s.from == s.to {
		if read, ok := s.read.of(v); ok && !isEmpty(v) {
			putAt(r.args, s.to, read)
		}
		return nil
	}
	placed := isEmpty(v)
	if !placed {
		var err error
		if placed, err = r.place(s, v); err != nil {
			return err
		}
	}
	if placed {
		removeAt(r.args, s.from)
	}
	return nil
}

// place reads a foreign value and puts it where it belongs. False means that it cannot be read or that
// something in the way is no object: then the decoder says more.
func (r *respelling) place(s spelling, v any) (bool, error) {
	read, ok := s.read.of(v)
	if !ok {
		return false, nil
	}
	have, _ := lookAt(r.args, s.to)
	rival := r.filled[s.to]
	switch {
	case s.to == "", s.read.joins && rival == "":
		return r.setAside(s.from, v)
	case isEmpty(have) && putAt(r.args, s.to, read):
		r.filled[s.to] = s.from
		return true, nil
	case isEmpty(have):
		return false, nil
	case s.read.same(have, read):
		return true, nil
	case rival != "" && s.read.with != nil:
		return putAt(r.args, s.to, s.read.with(have, read)), nil
	case s.read.yields, rival != "" && s.read.aside:
		return r.setAside(s.from, v)
	case rival == "":
		rival = s.to
	}
	return false, r.contradiction(s.from, rival, s.to)
}

// setAside keeps a value that has no place of its own, or whose place is taken.
func (r *respelling) setAside(from string, v any) (bool, error) {
	to := r.spare(from)
	have, there := lookAt(r.args, to)
	if there && !reflect.DeepEqual(have, v) {
		return false, r.contradiction(from, to, to)
	}
	return putAt(r.args, to, v), nil
}

func (r *respelling) contradiction(from, rival, to string) error {
	return Invalidf(r.at+from, "%s%s and %s%s say different things", r.at, from, r.at, rival).
		WithHint("Give only %s%s.", r.at, to)
}
