package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

// Nothing that agents wrote, and nothing that an error repeats, reaches the terminal as more than text.
func TestOutput_TextOfAgentsRepaintsNothing(t *testing.T) {
	d := commandtest.NewHostileDesk(t)
	for _, args := range [][]string{
		{"status"},
		{"status", "--json"},
		{"list"},
		{"list", "--all"},
		{"list", "--all", "--json"},
		{"list", "--box", "notices"},
		{"show", "1"},
		{"show", "1", "--full"},
		{"show", "1", "--brief"},
		{"show", "1", "--events"},
		{"show", "1", "--outcome"},
		{"show", "1", "--checkpoint"},
		{"show", "1", "--json"},
		{"show", "2", "--full"},
		{"show", "no_1"},
		{"show", "no_1", "--json"},
		{"history"},
		{"history", "--rows"},
		{"history", "--mermaid"},
		{"history", "--json"},
		{"wait", "1"},
		{"wait", "2"},
		{"agents"},
		{"agents", "--json"},
		{"audit", "verify"},
		{"claim", "3", "--full"},
		{"call", "get_handoff", `{"handoff_id": 1}`},
		{commandtest.HostileText},
		{"show", commandtest.HostileText},
		{"show", "no_" + commandtest.HostileText},
		{"wait", "no_" + commandtest.HostileText},
		{"send", commandtest.HostileText, "x"},
		{"send", "--" + commandtest.HostileText},
		{"send", "qa", "x", "--data", commandtest.HostileText},
		{"send", "qa", "x", "--file", commandtest.HostileText},
		{"send", "qa", "x", "--priority", commandtest.HostileText},
		{"list", "--limit", commandtest.HostileText},
		{"list", "--status", commandtest.HostileText},
		{"list", "--dir", commandtest.HostileText},
		{"list", "--workspace", commandtest.HostileText},
		{"list", "--json", "--status", commandtest.HostileText},
		{"claim", "--wait", commandtest.HostileText},
		{"call", commandtest.HostileText},
		{"call", "get_handoff", commandtest.HostileText},
		{"call", "get_handoff", commandtest.AsJSON(t, map[string]string{"view": commandtest.HostileText, commandtest.HostileText: commandtest.HostileText})},
		{"complete", "3", "--unmet", commandtest.HostileText},
		{"show", "\x9b31m"},
		{"history", commandtest.HostileText},
		{"agents", "register", commandtest.HostileText},
		{"update", "1", "--cancel", "--to", commandtest.HostileText},
		{"retry", commandtest.HostileText},
	} {
		for _, terminal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%.60q", args), func(t *testing.T) {
				out, errs := plain(d, terminal, args...)
				require.NotEmpty(t, out+errs)
				require.Equal(t, schemas.EscapeHidden(out), out)
				require.Equal(t, schemas.EscapeHidden(errs), errs)
				for line := range strings.Lines(withoutMail(out) + errs) {
					require.False(t, strings.HasPrefix(line, commandtest.ForgedLine), "%s", out+errs)
				}
			})
		}
	}
}

// plain returns the output for qa without colour, on a terminal or elsewhere.
func plain(d commandtest.Desk, terminal bool, args ...string) (out, errs string) {
	e := d.Env()
	e.IsTerminal = func(any) bool { return terminal }
	_, out, errs = commandtest.Execute(d.Context(), e, d.Vars("qa", "NO_COLOR"), args...)
	return out, errs
}

// withoutMail removes the text between the tags of a brief, which no agent can forge.
func withoutMail(out string) string {
	before, mail, _ := strings.Cut(out, "<handoff ho_")
	_, after, _ := strings.Cut(mail, "</handoff tag=")
	return before + after
}
