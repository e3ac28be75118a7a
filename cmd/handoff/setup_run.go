package main

import (
	"bufio"
	"context"
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
