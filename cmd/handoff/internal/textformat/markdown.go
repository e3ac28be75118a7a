package textformat

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// sectionTarget is the argument that gets the text of a section. The argument is a list or a text, and path leads to
// it.
type sectionTarget struct {
	path string
	list bool
}

//go:embed sections.txt
var sectionsText string

// sections has the targets of sections.txt, which explains them, by their headings and first words.
var sections = sync.OnceValue(func() map[string]sectionTarget {
	all := map[string]sectionTarget{}
	for row := range strings.Lines(sectionsText) {
		words, target, isRow := strings.Cut(strings.TrimSpace(row), ": ")
		if !isRow { // a comment
			continue
		}
		path, list := strings.CutSuffix(target, "[]")
		for word := range strings.SplitSeq(words, ", ") {
			all[word] = sectionTarget{path, list}
		}
	}
	return all
})

// patterns returns the patterns for lines and texts in Markdown. It compiles them at the first use, because most
// commands read no Markdown.
var patterns = sync.OnceValue(func() (f struct{ heading, bullet, label, fence, failed *regexp.Regexp }) {
	f.heading = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	f.bullet = regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$`)
	f.label = regexp.MustCompile(`^\**([A-Za-z][A-Za-z' ]+?)\**:\**\s*(.*)$`)
	f.failed = regexp.MustCompile(`(?i)\b(?:[1-9]\d* (?:tests? )?fail|fail(?:s|ed|ing)?$|red$|broken)`)
	f.fence = regexp.MustCompile("^\\s*(?:```|~~~)")
	return f
})

// sectionInLine returns the section whose heading is this line, or "".
func sectionInLine(line string) string {
	if m := patterns().heading.FindStringSubmatch(line); m != nil && sections()[normaliseHeading(m[1])].path != "" {
		return normaliseHeading(m[1])
	}
	return ""
}

func normaliseHeading(s string) string {
	return strings.ToLower(strings.Trim(strings.ReplaceAll(s, "’", "'"), " *:"))
}

// isMarkdown reports whether a text has a section of the template.
func isMarkdown(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return sectionInLine(line) != "" })
}

// AddMarkdown adds a text in Markdown to the arguments of a tool. It splits the text only if body is "task" and the
// text has a section with a known heading. Then each such section goes to its argument, the remaining text goes to the
// detail, and a first heading that is no section becomes the title. Any other text stays whole and goes to the argument
// called body or, if that argument is already filled, to the argument called rest.
func AddMarkdown(said map[string]any, text, body, rest string) {
	if body != "task" || !isMarkdown(text) {
		if said[body] != nil {
			body = rest
		}
		if body == "task" && len(text) > maxTask {
			var whole string
			text, whole = splitLongTask(text)
			addText(said, sectionTarget{rest, false}, whole)
		}
		addText(said, sectionTarget{body, false}, text)
		if body == "summary" {
			addEndFields(said, text)
		}
		return
	}
	addSections(said, text)
}

// maxTask is the largest task in bytes.
const maxTask = 4 << 10

// splitLongTask splits a text that is too long for a task: its heading and first paragraph are the task, and the
// remaining text is the detail.
func splitLongTask(text string) (task, detail string) {
	parts := strings.SplitAfterN(text, "\n\n", 3)
	n := 1
	if len(parts) > 1 && patterns().heading.MatchString(strings.TrimSpace(parts[0])) {
		n = 2
	}
	return strings.TrimSpace(strings.Join(parts[:n], "")), strings.TrimSpace(strings.Join(parts[n:], ""))
}

// addEndFields searches a text about the end of work for lines like "Status: …", and for sections with the same names.
// A value of at most three words becomes a field of this name. For names of checks, such as "Tests", only a value that
// reports a failure becomes a field.
func addEndFields(said map[string]any, text string) {
	fenced, section := false, ""
	for line := range strings.SplitSeq(text, "\n") {
		if patterns().fence.MatchString(line) {
			fenced = !fenced
		}
		name, value := section, strings.Trim(strings.TrimSpace(line), "*_ ")
		if m := patterns().bullet.FindStringSubmatch(value); m != nil {
			value = m[1]
		}
		if m := patterns().heading.FindStringSubmatch(line); m != nil {
			section = normaliseHeading(m[1])
			continue
		} else if m := patterns().label.FindStringSubmatch(value); m != nil {
			name, value = normaliseHeading(m[1]), strings.Trim(m[2], "*_ ")
		}
		if value == "" || fenced {
			continue
		}
		short := len(strings.Fields(value)) <= 3 && slices.Contains(endNames, name)
		failed := slices.Contains(checkNames, name) && patterns().failed.MatchString(value)
		switch {
		case short && (name == "status" || name == "outcome"):
			addText(said, sectionTarget{"status", false}, value)
		case short || failed:
			addText(said, sectionTarget{"data." + name, false}, value)
		}
		section = ""
	}
}

// endNames are the names of lines and sections that say how work ended. checkNames are the names of lines and sections
// that say how the work was verified.
var (
	endNames   = []string{"status", "state", "outcome", "verdict", "conclusion"}
	checkNames = []string{"tests", "test", "checks", "build", "ci", "lint"}
)

func addSections(said map[string]any, text string) {
	var rest, lines []string
	section, fenced := "", false
	end := func() {
		addSection(said, section, lines)
		lines = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if patterns().fence.MatchString(line) {
			fenced = !fenced
		}
		switch m := patterns().heading.FindStringSubmatch(line); {
		case fenced || m == nil:
		case sectionInLine(line) != "":
			end()
			section = sectionInLine(line)
			continue
		case section == "" && len(rest) == 0 && said["title"] == nil:
			if name := strings.TrimSpace(m[1]); normaliseHeading(name) != "handoff package" {
				said["title"] = name
			}
			continue
		case section == "" || strings.Count(strings.Fields(line)[0], "#") <= 2:
			end()
			section = ""
		}
		if section == "" {
			rest = append(rest, line)
		} else {
			lines = append(lines, line)
		}
	}
	end()
	addText(said, sectionTarget{"detail", false}, strings.TrimSpace(strings.Join(rest, "\n")))
}

// addSection adds the lines of a section to its target. If the first words of a list item name another section, the
// item goes to the target of that section.
func addSection(said map[string]any, section string, lines []string) {
	at := sections()[section]
	var prose []string
	to := at
	for _, line := range lines {
		text := strings.TrimSpace(line)
		m := patterns().bullet.FindStringSubmatch(text)
		nested := m != nil && line != strings.TrimLeft(line, " \t")
		if m != nil {
			text = m[1]
			if !nested {
				to = at
			}
			if named := patterns().label.FindStringSubmatch(text); named != nil {
				if target := sections()["*"+normaliseHeading(named[1])]; target.path != "" {
					to, text = target, named[2]
				}
			}
		}
		switch {
		case text == "" && (m != nil || to.list):
		case to != at || m != nil && at.list && !nested:
			addText(said, to, text)
		case at.list:
			extendLastText(said, at, text)
		default:
			prose = append(prose, line)
		}
	}
	addText(said, at, strings.TrimSpace(strings.Join(prose, "\n")))
}

// addText adds a text at a target, after the text or list that the target already has. It ignores an empty text.
func addText(said map[string]any, at sectionTarget, text string) {
	if text == "" {
		return
	}
	object, name := parentObject(said, at.path)
	if have, ok := object[name].(string); ok && !at.list {
		text = have + "\n\n" + text
	}
	if !at.list {
		object[name] = text
		return
	}
	list, ok := object[name].([]any)
	if !ok && object[name] != nil {
		list = []any{object[name]}
	}
	object[name] = append(list, text)
}

// extendLastText appends a text to the last text of a list. If the list is empty, the text becomes the first one.
func extendLastText(said map[string]any, at sectionTarget, text string) {
	object, name := parentObject(said, at.path)
	list, _ := object[name].([]any)
	if len(list) == 0 {
		addText(said, at, text)
		return
	}
	if last, ok := list[len(list)-1].(string); ok {
		list[len(list)-1] = last + "\n" + text
	}
}

// parentObject returns the object that contains the last name of a path, and that name. It makes missing objects on the
// path.
func parentObject(said map[string]any, path string) (object map[string]any, name string) {
	head, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return said, head
	}
	inside, ok := said[head].(map[string]any)
	if !ok {
		inside = map[string]any{}
		said[head] = inside
	}
	return parentObject(inside, rest)
}
