package respell

import (
	"maps"
	"slices"
	"strings"
)

// FieldPaths gives the paths of the arguments of a tool at which a field of this name stands, the shortest first; within
// the rows of a list they are written as context.files[].path. A name that others use for a field of ours has the
// places of that field. There are none for a name that nobody uses, and for a tool without an alias table. Refusals
// name the places.
func FieldPaths(tool, name string) []string {
	if t := tableOf(tool); t != nil {
		return t.paths.find(snake(name))
	}
	return nil
}

// IsForeign tells whether a name is that of an object of other protocols, whose fields become arguments of the tool. What
// is left of such an object is what the tool does not know.
func IsForeign(tool, name string) bool {
	t := tableOf(tool)
	return t != nil && t.fields.fields[name] != nil && t.fields.fields[name].foreign
}

// fieldPaths are the paths at which the fields of an object and of the objects within it stand, by the name of the field.
type fieldPaths map[string][]string

// pathsIn gives the places of a shape. The arguments named in without are objects of other messages: what stands there
// is not meant by a field that stands elsewhere.
func pathsIn(s *shape, without ...string) fieldPaths {
	found := fieldPaths{}
	found.add(s, "", without)
	for _, all := range found {
		slices.SortStableFunc(all, func(a, b string) int { return strings.Count(a, ".") - strings.Count(b, ".") })
	}
	return found
}

func (p fieldPaths) add(s *shape, at string, without []string) {
	for _, name := range slices.Sorted(maps.Keys(s.fields)) {
		field := s.fields[name]
		path := fieldPath(at, name)
		if field.foreign || field.unpublished || slices.Contains(without, path) {
			continue
		}
		p[name] = append(p[name], path)
		if field.isList() {
			path += "[]"
		}
		p.add(field, path, without)
	}
}

// of gives the places of a name, or else of what others mean by it.
func (p fieldPaths) find(name string) []string {
	for _, meant := range meanings(name) {
		if found := p.lookup(meant); found != nil {
			return found
		}
	}
	return nil
}

// at gives the places of a name, or the one of a path whose beginning there is.
func (p fieldPaths) lookup(meant string) []string {
	root, _, within := strings.Cut(meant, ".")
	if !within {
		return p[meant]
	}
	if slices.Contains(p[root], root) {
		return []string{meant}
	}
	return nil
}

// one gives the place that is meant by a name where no field has it: the argument of the name, or else the only place
// of it outside of the rows of lists. Else nobody can know which place is meant, and it is false.
func (p fieldPaths) findOne(name string) (place string, ok bool) {
	for _, meant := range meanings(name) {
		if slices.Contains(p[meant], meant) {
			return meant, true
		}
	}
	for _, meant := range meanings(name) {
		if all := p.lookup(meant); len(all) == 1 && !strings.Contains(all[0], "[]") {
			return all[0], true
		}
	}
	return "", false
}

// meanings are a name, and what others mean by it.
func meanings(name string) []string { return append([]string{name}, synonyms()[name]...) }

// relocate moves the fields of an object that stand where no such field is to the one place that takes them. An object
// without fields is a free map, and what stands in the rows of a list stays, also in one that stands for the list.
func (n *normalisation) relocate(s *shape, object map[string]any, at string) error {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		var err error
		path := fieldPath(at, key)
		if name, field := s.find(key); field == nil {
			err = n.relocateField(name, object, key, path)
		} else if !field.isList() {
			err = n.relocateWithin(field, object[key], path, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// relocateField moves one field of an object that stands where no such field is, with what stands within it.
func (n *normalisation) relocateField(name string, object map[string]any, key, path string) error {
	to, ok := n.paths.findOne(name)
	if !ok {
		return nil
	}
	if field := n.fields.at(to); field != nil {
		object[key] = unwrapJSON(object[key], field.opens)
		if err := field.rename(object[key], path); err != nil {
			return err
		}
		if err := n.relocateWithin(field, object[key], path, to); err != nil {
			return err
		}
	}
	return n.apply(alias{path, to, reading{}})
}

// relocateWithin is replace for the object v at a path, if field has fields; to is where it belongs. An object with an
// alias table of its own comes later.
func (n *normalisation) relocateWithin(field *shape, v any, path, to string) error {
	inside, ok := v.(map[string]any)
	if !ok || field.fields == nil || n.inner[to] != nil {
		return nil
	}
	return n.relocate(field, inside, path)
}
