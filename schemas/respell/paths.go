package respell

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"handoff/schemas"
)

// FieldPaths returns the paths at which the tool's arguments have a field of this name, the shortest path first. A path
// through a list is written as context.files[].path. For a foreign name of one of our fields, it returns the paths of
// our field, and for an unclear name the paths of all fields that it may mean. It returns nil for an unknown name or
// tool. Errors about a misplaced field list these paths.
func FieldPaths(tool, name string) (all []string) {
	t := tableOfTool(tool)
	if t == nil {
		return nil
	}
	if all = t.paths.findByName(schemas.SnakeCase(name)); all == nil {
		for _, meant := range unclearNames()[schemas.SnakeCase(name)] {
			all = append(all, t.paths.pathsOfField(meant)...)
		}
	}
	return all
}

// ReadAs returns a text about the arguments that [Normalise] reads as fields of other names, such as "due as deadline",
// about a type of work that it reads as a message, and about fields that it keeps in the state of a context, because
// changes and joins have no origin. It returns "" if there are none. It looks for synonyms at the top only.
func ReadAs(tool string, args map[string]any) string {
	var told []string
	t := tableOfTool(tool)
	if t == nil {
		return ""
	}
	args = t.messageOf(args, reading{})
	for _, key := range slices.Sorted(maps.Keys(args)) {
		if name, field := t.fields.findField(key); field == nil && synonyms()[name] != nil {
			if to, ok := t.paths.findProperPath(name); ok && to != name {
				unit := ""
				if strings.HasSuffix(to, "timeout") && strings.Trim(valueText(args[key]), "0123456789.") == "" {
					unit = " in minutes"
				}
				told = append(told, key+" as "+to+unit)
			}
		}
	}
	told = append(told, t.readAsState(args)...)
	kind := valueText(cmp.Or(args["type"], args["kind"]))
	if ours, known := ourWord("types", kind); known && ours != kind && tool == "send_handoff" {
		told = append(told, "type "+kind+" as message")
	}
	return strings.Join(told, ", ")
}

// readAsState returns the part of [ReadAs] about the state of a context.
func (t *aliasTable) readAsState(args map[string]any) (told []string) {
	for name, table := range t.inner { // at most one is no message
		v, _ := valueAt(args, name)
		if inside, ok := cloneJSON(v).(map[string]any); ok && !table.isMessage() {
			moved, _ := table.normalise(inside, "", reading{}) // as far as it could be read
			for _, to := range slices.Sorted(maps.Keys(moved)) {
				if strings.HasPrefix(to, "context.state.") {
					told = append(told, name+"."+moved[to]+" as "+name+"."+to)
				}
			}
		}
	}
	return told
}

// IsForeignObject reports whether a name is the name of an object that only other protocols have. The known fields of
// this object become arguments, so all fields that remain in it are unknown.
func IsForeignObject(tool, name string) bool {
	t := tableOfTool(tool)
	return t != nil && t.fields.fields[name] != nil && t.fields.fields[name].foreign
}

// fieldPaths maps the name of a field to all paths at which an object, or an object inside it, has a field of this
// name.
type fieldPaths map[string][]string

// fieldPathsOf returns the paths of all fields of a shape. It leaves out the arguments whose paths are in without. They
// are objects that hold another message, and a misplaced field never belongs into that other message.
func fieldPathsOf(s *shape, without ...string) fieldPaths {
	found := fieldPaths{}
	found.addFields(s, "", without)
	for _, all := range found {
		slices.SortStableFunc(all, func(a, b string) int { return strings.Count(a, ".") - strings.Count(b, ".") })
	}
	return found
}

func (p fieldPaths) addFields(s *shape, at string, without []string) {
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
		p.addFields(field, path, without)
	}
}

// findByName returns the paths of the field with this name, or else of the first field for which the name is a synonym.
func (p fieldPaths) findByName(name string) []string {
	for _, meant := range fieldsMeantBy(name) {
		if found := p.pathsOfField(meant); found != nil {
			return found
		}
	}
	return nil
}

// pathsOfField returns the paths of a field. The parameter meant may also be a path into a free map. Then pathsOfField
// returns this path, if its first name is an argument of the tool.
func (p fieldPaths) pathsOfField(meant string) []string {
	root, _, within := strings.Cut(meant, ".")
	if !within {
		return p[meant]
	}
	if slices.Contains(p[root], root) {
		return []string{meant}
	}
	return nil
}

// findProperPath returns the right path of a misplaced field. This is the argument of the same name, or else the only
// path that has such a field and does not lead through a list. If there is no such path or more than one, ok is false.
func (p fieldPaths) findProperPath(name string) (place string, ok bool) {
	for _, meant := range fieldsMeantBy(name) {
		if slices.Contains(p[meant], meant) {
			return meant, true
		}
	}
	for _, meant := range fieldsMeantBy(name) {
		if all := p.pathsOfField(meant); len(all) == 1 && !strings.Contains(all[0], "[]") {
			return all[0], true
		}
	}
	return "", false
}

// fieldsMeantBy returns the name itself and then our fields for which it is a synonym.
func fieldsMeantBy(name string) []string { return append([]string{name}, synonyms()[name]...) }

// relocateMisplaced moves each misplaced field of an object to its right place, if there is exactly one right place. It
// skips objects without known fields, because they may have any fields. It also skips fields in the items of a list.
// A source describes the sender, so its unknown fields never become arguments.
func (n *normalisation) relocateMisplaced(s *shape, object map[string]any, at string) error {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		var err error
		path := fieldPath(at, key)
		if name, field := s.findField(key); field == nil && at != "source" {
			err = n.relocateField(name, object, key, path)
		} else if field != nil && !field.isList() {
			err = n.relocateWithin(field, object[key], path, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// relocateField moves one misplaced field of an object. If its value is an object, relocateField first moves the
// misplaced fields in it.
func (n *normalisation) relocateField(name string, object map[string]any, key, path string) error {
	to, ok := n.paths.findProperPath(name)
	if !ok {
		return nil
	}
	if field := n.fields.fieldAt(to); field != nil {
		object[key] = unwrapJSON(object[key], field.brackets)
		if err := cmp.Or(field.renameFields(object[key], path), n.relocateWithin(field, object[key], path, to)); err != nil {
			return err
		}
	}
	return n.applyRow(aliasRow{path, to, conversion{}})
}

// relocateWithin calls relocateMisplaced for the object v at a path, if its shape, the parameter `field`, has known
// fields. The parameter `to` is the right path of the object. An object with an alias table of its own is skipped,
// because it is converted later with that table.
func (n *normalisation) relocateWithin(field *shape, v any, path, to string) error {
	inside, ok := v.(map[string]any)
	if !ok || field.fields == nil || n.inner[to] != nil {
		return nil
	}
	return n.relocateMisplaced(field, inside, path)
}
