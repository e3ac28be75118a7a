package setup

import (
	"errors"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
)

// changeable reads a file that is to be changed. The error is the reason to leave it alone.
func (w Wish) changeable(path string) (installed.File, error) {
	most := int64(installed.LargestOwn)
	if w.Scope == client.Project {
		most = installed.Largest
	}
	f, err := installed.Read(path, most)
	switch {
	case err != nil || f.Missing:
	case f.Mode&0o200 == 0:
		err = errors.New("it is read-only")
	default:
		err = notReplaced(f.Info)
	}
	return f, err
}

// errTwice says of a file that whoever reads it may take another of two entries than we do.
var errTwice = errors.New("it has the server handoff, or a key of it, more than once")

// unclear tells why a file that parses is left alone all the same.
func (w Wish) unclear(c Change, doc edit.Document, r receipt) error {
	settings, ok := doc.(*edit.JSON)
	switch {
	case !ok:
		return nil
	case c.place.has.server && settings.Twice(server(c.Client, doc)...):
		return errTwice
	case c.place.has.hooks:
		return w.oursIn(settings, c.Client, r).tooMany()
	}
	return nil
}

// Plugged says that a client has our plugin.
type Plugged struct {
	Remove []string // the client's command that takes it out, without the program
}

func (*Plugged) Error() string {
	return "it has the plugin of handoff, which brings the same: both would run"
}

// plugin gives the plugin that a client has where the wish is to come true. That of a project counts only there.
func (w Wish) plugin(c client.Client) (b installed.Brought, ok bool) {
	all := installed.Plugins(c, w.Machine)
	i := slices.IndexFunc(all, func(b installed.Brought) bool { return b.Scope == client.User || w.Scope == client.Project })
	if i < 0 {
		return b, false
	}
	return all[i], true
}

// WayOut says what a person can do about a file that was left alone.
func WayOut(c client.Client, err error) string {
	if plugged, ok := errors.AsType[*Plugged](err); ok {
		return client.Line(append([]string{c.Program}, plugged.Remove...)) + " takes it out. Then run this again."
	}
	if foreign, ok := errors.AsType[*Foreign](err); ok {
		if foreign.Remove == nil {
			return "Give that one another name, and run this again."
		}
		return "Remove it, as with " + c.Program + " " + strings.Join(foreign.Remove, " ") + ", and run this again."
	}
	if _, ok := errors.AsType[*installed.Broken](err); ok || errors.Is(err, errTwice) {
		return "Mend it and run this again."
	}
	return ""
}
