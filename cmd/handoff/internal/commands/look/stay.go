package look

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
)

// sight is what a command that stays on the screen found in one look.
type sight struct {
	raw   json.RawMessage // for programs
	draw  func(*cli.Page) // for people
	facts any             // that differ where something changed; the time of day does not count
}

const (
	lookEvery   = 2 * time.Second // while something is watched
	interrupted = 130             // exit status of a command that a signal ended while it watched
)

// stay shows what look finds again and again, until it is interrupted: on a terminal over what it was, elsewhere when
// it changed. Each look opens the workspace anew, because who stays long is no good owner of a store.
func stay(ctx context.Context, a *cli.App, look func() (sight, error)) error {
	for before := ""; ; cli.Sleep(ctx, lookEvery) {
		s, err := look()
		switch {
		case ctx.Err() != nil:
			return cli.Exit(interrupted)
		case err != nil:
			return err
		}
		facts, _ := json.Marshal(s.facts) // they came as JSON
		now, show := string(facts), func() error { return a.Print(s.raw, s.draw) }
		if a.Style().Terminal && !a.JSON {
			p := &cli.Page{Style: a.Style()}
			s.draw(p)
			p.Line("\n%s", p.Faint("Ctrl-C ends it."))
			now, show = p.String(), func() error { return a.Write(over(p.String())) }
		}
		if now == before {
			continue
		}
		if err := show(); err != nil {
			return err
		}
		before = now
	}
}

// over writes a page in the place of the one before: the cursor goes up, and what was there is wiped out.
func over(page string) string {
	const home, rest, below = "\x1b[H", "\x1b[K", "\x1b[J"
	return home + strings.ReplaceAll(page, "\n", rest+"\n") + below
}
