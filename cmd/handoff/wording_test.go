package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/tools"
)

// Whoever is refused on the command line is told of commands and flags, not of tools and their arguments. A
// list of the fields of a message is not translated: it is about a message.
func TestHintsSpeakOfCommands(t *testing.T) {
	names := []string{
		`argument`, `claim_token`, `handoff_id`, `wait_seconds`, `\baction [a-z]`, `with (box|view) `, `[wW]ith agent\b`, `[gG]ive agent\b`,
		`\b(options|verification|expectations|context|continuation|rollback|conditions|changes)\.[a-z]`,
	}
	for _, tool := range tools.Table {
		names = append(names, tool.Name)
	}
	toolWords := regexp.MustCompile(strings.Join(names, "|"))
	hints := 0
	for _, calls := range readBadCalls(t) {
		for _, c := range calls {
			_, hint, ok := strings.Cut(c.want, " | ")
			if !ok || strings.HasPrefix(hint, "Known: ") {
				continue
			}
			hints++
			require.NotRegexp(t, toolWords, cli.InCommands(hint), "%s: %s", c, hint)
		}
	}
	require.Greater(t, hints, 100)
}

func TestAdvice(t *testing.T) {
	anything := func(string) bool { return true }
	for hint, want := range map[string]string{
		`Call again with these added to verification.criteria, met as it is: [{"criterion":1,"met":true,"evidence":"…"},{"criterion":3,"met":true,"evidence":"…"}]`: "Add --met 1=EVIDENCE or --unmet 1=WHY, --met 3=EVIDENCE or --unmet 3=WHY.",
		"It could be taken by dev. Use options.force to send it all the same. Nothing was sent.":                                                                    "It could be taken by dev. Use --force to send it all the same. Nothing was sent.",
		"Use action cancel to end it.":                "handoff cancel ho_7 ends it.",
		"get_handoff shows where it stands.":          "handoff show ho_7 shows where it stands.",
		"list_handoffs with box notices lists yours.": "handoff list --box notices lists yours.",
	} {
		require.Equal(t, want, cli.Advice(hint, 7, anything))
	}
	require.Equal(t, "qaa is not an agent here. Nothing was sent.",
		cli.Advice("qaa is not an agent here. Nothing was sent. options.force sends to a new name.", 0, func(string) bool { return false }))
}
