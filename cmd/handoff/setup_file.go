package main

import (
	"context"
	"fmt"

	"handoff/cmd/handoff/internal/setup"
)

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
