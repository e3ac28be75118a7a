package tools_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools/toolstest"
)

func TestNext_TableHasGoodAdviceForEveryAction(t *testing.T) {
	text, err := os.ReadFile("next.txt")
	require.NoError(t, err)
	filled := strings.NewReplacer("{id}", "ho_1", "{ids}", "ho_1 ho_2", "{reader}", "qa").Replace(string(text))
	for line := range strings.Lines(filled) {
		if c := append(strings.Split(strings.TrimSpace(line), " | "), ""); len(c) > 2 && line[0] != '#' {
			tool, args, _ := strings.Cut(c[2], " ")
			require.Empty(t, toolstest.AdviceFaults([]schemas.Advice{{Say: c[1], Tool: tool, Args: json.RawMessage(args)}}), line)
		}
	}
	for _, action := range schemas.Actions {
		if action != schemas.ActAccept && action != schemas.ActRefuse { // they end the exchange
			require.Contains(t, filled, "action:"+string(action)+" ")
		}
	}
}
