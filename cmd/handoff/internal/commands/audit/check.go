package audit

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func checkCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE --key VKEY",
		Short: "Check a proof or a checkpoint with the public key alone",
		Example: `  handoff audit check 7.tlog-proof --key handoff.local/shop-41f0c2b7d9aa+1a2b3c4d+AZ…
  handoff audit check request --key … --old head   # what handoff audit consistency wrote
  handoff audit check head --key … --witness witness.example+5e6f7a8b+BA…`,
		Long: `Checks what the other commands wrote, on any machine: no workspace is looked for. Each key has to have signed.
Exit status 5: it does not hold, and the sentence says what.`,
		Args: cobra.ExactArgs(1),
	}
	key := cmd.Flags().String("key", "", "verifier `key` of the workspace, as handoff audit key prints it")
	witnesses := cmd.Flags().StringArray("witness", nil, "verifier `key` of a witness that has to have cosigned it; may be repeated")
	old := cmd.Flags().String("old", "", "`file` with the checkpoint that has to be its beginning")
	cobra.CheckErr(cmd.MarkFlagRequired("key"))
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		c, err := check(a, args[0], *old, *key, *witnesses)
		if err != nil {
			return err
		}
		return a.PrintValue(c, c.print)
	}
	return cmd
}

// checked is what holds.
type checked struct {
	Origin string `json:"origin"`
	Size   uint64 `json:"size"`
	Root   string `json:"root"`
	Event  string `json:"event,omitempty"` // its JSON
	Old    uint64 `json:"old,omitempty"`   // size of the older head that is its beginning
}

func check(a *cli.App, file, old, key string, witnesses []string) (c checked, err error) {
	if _, err := verifiers("witness", witnesses...); err != nil {
		return c, err
	}
	keys, err := verifiers("key", append([]string{key}, witnesses...)...)
	if err != nil {
		return c, err
	}
	text, err := readFile(a, file)
	if err != nil {
		return c, err
	}
	var h, before head
	if old != "" {
		given, err := readEnd(a, old, keys[:1])
		if err != nil {
			return c, err
		}
		if given.signed == "" {
			return c, schemas.Invalidf("old", "%s is a number, and no checkpoint", old).WithHint("Name the file of one.")
		}
		before, c.Old = given.head, given.Size
	}
	var event []byte
	switch {
	case strings.HasPrefix(text, proofHeader):
		event, h, err = checkProof(text, keys...)
	case strings.HasPrefix(text, "old "):
		if before.signed == "" {
			return c, schemas.Invalidf("old", "it proves something of an older checkpoint").WithHint("Name the file of that one with --old.")
		}
		h, err = checkRequest(text, before, keys...)
	default:
		h, err = readHead(text, keys...)
	}
	if alone := !strings.HasPrefix(text, "old "); err == nil && alone && old != "" && (h.Size != before.Size || h.root() != before.root()) {
		err = fmt.Errorf("it does not prove that it begins with the events of another checkpoint: its root is %s, and that of %s is %s", h.root(), old, before.root())
	}
	if err != nil {
		return c, refused("Do not rely on it. Ask for it again where it came from.", "%s: %v", file, err)
	}
	c.Origin, c.Size, c.Root, c.Event = h.Origin, h.Size, h.root(), string(event)
	return c, nil
}

func (c checked) print(p *cli.Page) {
	p.Line("%s signed %d events", p.Quote(c.Origin, 0), c.Size)
	p.Line("root %s", c.Root)
	if c.Old > 0 {
		p.Line("the first %d are those of the older checkpoint", c.Old)
	}
	p.Field("event", c.Event)
	p.Line("%s", p.Green("OK"))
}
