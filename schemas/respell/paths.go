package respell

import (
	"maps"
	"slices"
	"strings"
)

// FieldPaths returns the paths of the tool's arguments that have a field of this name, the shortest first. Rows of a
// list are written as context.files[].path. A foreign name for a field of ours has the paths of that field. The
// result is empty for an unknown name, and for a tool without an alias table. Refusals name the paths.
func FieldPaths(tool, name string) []string {
	if t := tableOf(tool); t != nil {
		return t.paths.find(snake(name))
	}
	return nil
}

// IsForeign tells whether a name is an object of other protocols, whose fields become arguments of the tool. Fields
// that stay in this object are unknown to the tool.
func IsForeign(tool, name string) bool {
	t := tableOf(tool)
	return t != nil && t.fields.fields[name] != nil && t.fields.fields[name].foreign
}

// fieldPaths maps the name of a field to its paths in an object and in the objects within it.
type fieldPaths map[string][]string

// pathsIn returns the paths of a shape. It skips the arguments in without, which are objects of other messages: a
// misplaced field never means a field in them.
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

// find returns the paths of a name, or else of its meanings.
func (p fieldPaths) find(name string) []string {
	for _, meant := range meanings(name) {
		if found := p.lookup(meant); found != nil {
			return found
		}
	}
	return nil
}

// lookup returns the paths of a name, or the given path if its first name exists.
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

// findOne returns the place for a field that stands in a wrong place: the argument of the same name, or else its only
// place outside of the rows of lists. Otherwise the place is ambiguous, and ok is false.
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

// meanings returns a name and its synonyms among our fields.
func meanings(name string) []string { return append([]string{name}, synonyms()[name]...) }

// relocate moves misplaced fields of an object to the one place that takes them. An object without fields is a free
// map. Fields in the rows of a list stay, also in a single row without its list.
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

// relocateField moves one misplaced field of an object, with all fields within it.
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

// relocateWithin calls relocate for the object v at a path, if field has fields; to is the object's proper place.
// Objects with an alias table of their own come later.
func (n *normalisation) relocateWithin(field *shape, v any, path, to string) error {
	inside, ok := v.(map[string]any)
	if !ok || field.fields == nil || n.inner[to] != nil {
		return nil
	}
	return n.relocate(field, inside, path)
}
