package setup

import (
	"errors"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
)

// changeable reads a file that is to be changed. The error is the reason to leave it alone.
func (d Desired) changeable(path string) (installed.File, error) {
	most := int64(installed.LargestOwn)
	if d.Scope == client.Project {
		most = installed.Largest
	}
	f, err := installed.Read(path, most)
	switch {
	case d.leadsOut(path, f.Resolved):
		return installed.File{Path: path}, &Outside{f.Resolved}
	case err != nil || f.Missing:
	case f.Info.Mode()&0o200 == 0:
		err = errors.New("it is read-only")
	default:
		err = notReplaced(f.Info)
	}
	return f, err
}

// leadsOut tells whether a path of a project leads out of it by links. Whoever wrote the project made them, and files
// elsewhere are not theirs to change, nor to be shown as a part of the project.
func (d Desired) leadsOut(path, resolved string) bool {
	project := d.Machine.Project
	return d.Scope == client.Project && isAbove(project, path) && !client.Within(project, resolved)
}

// Outside says that a file of a project is elsewhere.
type Outside struct{ Path string }

func (o *Outside) Error() string { return "a link leads out of the project, to " + o.Path }

// Plugged says that a client has our plugin.
type Plugged struct {
	Remove []string // the client's command that takes it out, without the program
}

func (*Plugged) Error() string {
	return "it has the plugin of handoff, which brings the same: both would run"
}

// plugin gives the plugin that a client has in the scope. For a user only the user's plugins count.
func (d Desired) plugin(c client.Client) (b installed.Brought, ok bool) {
	all := installed.Plugins(c, d.Machine)
	i := slices.IndexFunc(all, func(b installed.Brought) bool {
		return b.Scope == client.User || d.Scope == client.Project
	})
	if i < 0 {
		return b, false
	}
	return all[i], true
}

// Hint says what a person can do about a file that was left alone.
func Hint(c client.Client, err error) string {
	if plugged, ok := errors.AsType[*Plugged](err); ok {
		return shell.Line(append([]string{c.Program}, plugged.Remove...)) + " takes it out. Then run this again."
	}
	if foreign, ok := errors.AsType[*Foreign](err); ok {
		if foreign.Remove == nil {
			return "Give that one another name, and run this again."
		}
		return "Remove it, as with " + c.Program + " " + strings.Join(foreign.Remove, " ") + ", and run this again."
	}
	if _, ok := errors.AsType[*Outside](err); ok {
		return "Put a file or a directory in the place of the link, or set up your own with --scope user."
	}
	if _, ok := errors.AsType[*installed.Broken](err); ok {
		return "Mend it and run this again."
	}
	return ""
}
