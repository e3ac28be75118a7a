package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup"
	"handoff/schemas"
)

// setting is one run of setup.
type setting struct {
	*app
	flags   setupFlags
	wish    setup.Wish
	setter  setup.Setter
	named   bool // the clients were, by the user
	clients []*clientSetup
}

// clientSetup is what becomes of one client.
type clientSetup struct {
	client.Client `json:"-"`

	Name  string       `json:"client"`
	Found bool         `json:"found"`
	Files []*fileSetup `json:"files"`
	Live  *liveness    `json:"server,omitempty"`
}

// fileSetup is what becomes of one file.
type fileSetup struct {
	change setup.Change

	Path    string         `json:"path"`
	State   fileState      `json:"state"`
	Reason  string         `json:"reason,omitempty"` // why it was left alone
	Hint    string         `json:"hint,omitempty"`   // the way out of that
	Snippet *setup.Snippet `json:"snippet,omitempty"`
	Command []string       `json:"command,omitempty"` // of the client, which does it
	Note    string         `json:"note,omitempty"`
	Unread  string         `json:"unread,omitempty"` // why the client does not read the file
	Diff    string         `json:"diff,omitempty"`
	Backup  string         `json:"backup,omitempty"`
}

type fileState string

const (
	fileSame    fileState = "unchanged"
	fileTodo    fileState = "to be changed"
	fileChanged fileState = "changed"
	fileRestore fileState = "restored"
	fileRemoved fileState = "removed"
	fileCleared fileState = "cleared"
	fileAlone   fileState = "left alone"
)

// plan finds out what is to be done.
func (s *setting) plan(clients []client.Client, how func(client.Client, setup.Wish) []setup.Change) {
	for _, c := range clients {
		all := &clientSetup{Client: c, Name: c.Name, Found: c.Detect(s.wish.Machine).Here()}
		for _, change := range how(c, s.wish) {
			f := planned(change)
			if s.flags.check {
				f.Diff = "" // it is asked whether, not what
			}
			all.Files = append(all.Files, f)
		}
		s.clients = append(s.clients, all)
	}
}

// checked plans what a client lacks of what was wished last, unless it is said how it should be.
func (s *setting) checked(c client.Client, w setup.Wish) []setup.Change {
	if !s.flags.particular {
		w = s.setter.AsBefore(c, w)
	}
	return s.setter.Plan(c, w)
}

func planned(change setup.Change) *fileSetup {
	f := &fileSetup{change: change, Path: change.File.Path, State: fileTodo, Command: change.Own, Diff: change.Diff()}
	switch {
	case change.Err != nil:
		f.leave(change.Err)
	case change.Same():
		f.State = fileSame
	}
	if change.Foreign != nil {
		f.Note = change.Foreign.Error() + ", which stays"
	}
	if change.Unread != nil {
		f.Unread = fmt.Sprintf("%s reads nothing of this file, as %v: take that out", change.Client.Title, change.Unread)
	}
	return f
}

// leave notes why a file is left alone, and the way out.
func (f *fileSetup) leave(err error) {
	f.State, f.Reason = fileAlone, err.Error()
	if snippet, err := f.change.Snippet(); err == nil && snippet.Text != "" {
		f.Snippet = &snippet
	}
	f.Hint = setup.WayOut(f.change.Client, err)
}

// forgetUntouched leaves out the clients that have nothing of ours, when none was named.
func (s *setting) forgetUntouched() {
	if s.named {
		return
	}
	s.clients = slices.DeleteFunc(s.clients, func(c *clientSetup) bool {
		return !slices.ContainsFunc(c.Files, func(f *fileSetup) bool { return f.State == fileTodo || f.Note != "" })
	})
}

// carryOut shows what is to be done, asks, does it, and tells what became of it.
func (s *setting) carryOut(ctx context.Context, do func(context.Context, *fileSetup)) error {
	if !s.json {
		if err := s.print(nil, s.showPlan); err != nil {
			return err
		}
	}
	if s.flags.dryRun {
		return s.end()
	}
	if s.anything(fileTodo) {
		if err := s.agreed(); err != nil {
			return err
		}
	}
	for _, c := range s.clients {
		for _, f := range c.Files {
			if f.State == fileTodo || s.flags.remove && f.State == fileSame {
				do(ctx, f)
			}
		}
	}
	if !s.flags.remove {
		s.try(ctx)
	}
	return s.report()
}

func (s *setting) unread() bool {
	return slices.ContainsFunc(s.clients, func(c *clientSetup) bool {
		return slices.ContainsFunc(c.Files, func(f *fileSetup) bool { return f.Unread != "" })
	})
}

func (s *setting) anything(state fileState) bool {
	return slices.ContainsFunc(s.clients, func(c *clientSetup) bool {
		return slices.ContainsFunc(c.Files, func(f *fileSetup) bool { return f.State == state })
	})
}

// agreed asks whether to go on. Where nobody can be asked, --yes says so.
func (s *setting) agreed() error {
	if s.flags.yes {
		return nil
	}
	if !s.isTerminal(s.stdin) {
		return schemas.Errorf(schemas.Invalid, "nobody is there to ask whether that is to be done").
			WithHint("Add --yes to do it, or --dry-run to see it only.")
	}
	fmt.Fprint(s.stderr, "Do it? [y/N] ")
	answer, _ := bufio.NewReader(s.stdin).ReadString('\n') // none is no
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return schemas.Errorf(schemas.Conflict, "nothing was changed").WithHint("It was not agreed to.")
	}
	return nil
}

func (s *setting) apply(ctx context.Context, f *fileSetup) {
	done, err := s.setter.Apply(ctx, f.change)
	if f.Backup = done.Backup; err != nil {
		f.leave(err)
		return
	}
	f.State = fileChanged
	if done.OwnErr != nil {
		f.Note = fmt.Sprintf("%s did not do it, so the file was written: %v", f.change.Client.Program, done.OwnErr)
	}
}

func (s *setting) revert(_ context.Context, f *fileSetup) {
	nothing := f.change.Same()
	done, err := s.setter.Revert(f.change)
	f.Backup = done.Backup
	switch {
	case err != nil:
		f.leave(err)
	case nothing:
	case f.change.Gone:
		f.State = fileRemoved
	case f.change.Exact:
		f.State = fileRestore
	default:
		f.State = fileCleared
		if f.Note == "" {
			f.Note = "others changed it since, so that only what is of handoff was taken out"
		}
	}
}

// report prints what became of everything.
func (s *setting) report() error {
	if err := s.print(s.raw(), s.showDone); err != nil {
		return err
	}
	return s.status()
}

func (s *setting) end() error {
	if s.json {
		if err := s.write(inert(s.raw()) + "\n"); err != nil {
			return err
		}
	}
	return s.status()
}

func (s *setting) raw() json.RawMessage {
	raw, err := json.Marshal(map[string]any{"scope": s.wish.Scope, "clients": s.clients})
	if err != nil {
		panic(err) // it is made of texts
	}
	return raw
}

// status is 1 when something needs a person.
func (s *setting) status() error {
	if s.anything(fileAlone) || s.unread() || s.flags.check && s.anything(fileTodo) ||
		slices.ContainsFunc(s.clients, func(c *clientSetup) bool { return c.Live != nil && c.Live.Problem != "" }) {
		return status(1)
	}
	return nil
}
