package look

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

var listFields = []cli.Field{
	cli.Text("box", "box", "inbox, claimed, sent, notices or all"),
	cli.Text("status", "status", "only in this state"),
	cli.Text("workflow", "workflow", "only of this workflow, also what has ended"),
	cli.Words("tag", "tags", "only with one of these tags"),
	cli.Words("tags", "tags", "the same"),
	cli.Text("type", "type", "only of this work type"),
	cli.Text("query", "query", "words in title, task, summary and tags"),
	cli.Text("since", "since", "a time, as yesterday, 2026-01-31 or 2h ago"),
}

// listing is what list was asked for beyond the arguments of the tool.
type listing struct {
	role, forAgent    string
	ready, stuck, all bool
	gone              bool // only what is shown as disconnected
	watch             bool
	limit             int // rows at most; 0 for all
}

func listCommand(a *cli.App) *cobra.Command {
	return listing{}.command(a, &cobra.Command{
		Use:   "list",
		Short: "List handoffs",
		Example: `  handoff list                       # all that is under way
  handoff list --for qa --ready      # what qa can claim now
  handoff list --box notices --agent dev
  handoff list --all --query login --since 24h
  handoff list --stuck               # what goes on only when somebody acts
  handoff list --watch               # stays on the screen`,
		Long: `Without --box, --for, --status, --workflow, --query or --all: everything that has not ended, of all agents, what is
urgent or waits for somebody first.
The inbox and the other boxes are those of --agent; the box all is of everybody, with all that has ended.
Notices that an agent lists count as read. Whoever names another with --agent reads nothing for it, unless --read is given.

With --json: {"items": [...]}, all of them unless --limit says otherwise, as list_handoffs gives each. Then
"more" is true if --limit left some out, and "inbox" counts the agent's mail.`,
		Args: cobra.NoArgs,
	}, func(cli.Arguments, []string) error { return nil })
}

func inboxCommand(a *cli.App) *cobra.Command {
	return listing{}.command(a, &cobra.Command{
		Use:   "inbox",
		Short: "List what is for you, in the order of claiming",
		Example: `  handoff inbox --agent human
  handoff inbox --agent qa --status open`,
		Long: "Notices that are unread are counted below; handoff list --box notices shows them.",
		Args: cobra.NoArgs,
	}, func(args cli.Arguments, _ []string) error { return args.Put("box", "inbox") })
}

func searchCommand(a *cli.App) *cobra.Command {
	return listing{all: true}.command(a, &cobra.Command{
		Use:   "search WORDS…",
		Short: "Find handoffs by words of what was sent, asked, answered and delivered",
		Example: `  handoff search login form
  handoff search login --since yesterday --status failed`,
		Args: cobra.MinimumNArgs(1),
	}, func(args cli.Arguments, words []string) error { return args.Put("query", strings.Join(words, " ")) })
}

// command makes this what cmd does, and gives cmd; preset says what the command means before its flags.
func (l listing) command(a *cli.App, cmd *cobra.Command, preset func(cli.Arguments, []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		switch given := cmd.Flags().Changed("limit"); {
		case !given && (a.JSON || !a.Style().Terminal):
			l.limit = 0
		case !given && l.watch:
			l.limit = watchedRows
		case l.limit < 1:
			return schemas.Invalidf("--limit", "%d is no number of rows", l.limit).WithHint("Give 1 or more.")
		}
		args := cli.Arguments{}
		if err := args.Set(cmd, listFields); err != nil {
			return err
		}
		if err := preset(args, given); err != nil {
			return err
		}
		l.take(args)
		return list(cmd.Context(), a, args, l)
	}
	cli.Bind(cmd, listFields)
	flags := cmd.Flags()
	flags.StringVar(&l.role, "agent-role", "", "the same as --role")
	flags.StringVar(&l.role, "role", "", "only for this role: addressed to it, or to an agent of it")
	flags.StringVar(&l.forAgent, "for", "", "the inbox of this `agent`")
	flags.BoolVar(&l.ready, "ready", false, "only what can be claimed now")
	flags.BoolVar(&l.stuck, "stuck", false,
		"only what waits for an answer, for approval, for a handoff that will not be completed, or whose holder is gone")
	flags.BoolVar(&l.all, "all", l.all, "also what has ended")
	flags.IntVarP(&l.limit, "limit", "n", 50, "rows at most; all unless given, where no terminal is or with --json")
	flags.BoolVarP(&l.watch, "watch", "w", false, "show it again when it changes, until Ctrl-C")
	a.BindReads(flags)
	cmd.MarkFlagsMutuallyExclusive("ready", "stuck", "status")
	return cmd
}

// take reads the status that was asked for where it is a word that people see and no state of a handoff.
func (l *listing) take(args cli.Arguments) {
	said, _ := args["status"].(string)
	switch strings.ToLower(said) {
	case "stuck":
		l.stuck = true
	case "ready":
		l.ready = true
	case "disconnected":
		l.gone = true
	default:
		return
	}
	delete(args, "status")
}

// watchedRows is how many rows a terminal shows of a list that stays there, so that all of it is on one screen.
const watchedRows = 12

func list(ctx context.Context, a *cli.App, args cli.Arguments, l listing) error {
	by, err := a.Looker(true)
	if err != nil {
		return err
	}
	if l.forAgent != "" && !a.Reads { // whose mail it is, and not who looks
		by.Scope = schemas.ScopeRead
	}
	look := func() (s sight, err error) {
		err = a.Look(ctx, by, func(conn *cli.Connection) error {
			asked := maps.Clone(args)
			out, err := gatherAll(ctx, conn, asked, l)
			need := 0
			if err == nil && a.Style().Terminal && !a.JSON {
				need, err = conn.NeedYou(ctx)
			}
			if err != nil {
				return err
			}
			s.facts, s.draw = out, func(p *cli.Page) { drawList(p, conn, asked, l, out, need) }
			s.raw, err = json.Marshal(out)
			return err
		})
		return s, err
	}
	if l.watch {
		return stay(ctx, a, look)
	}
	s, err := look()
	if err != nil {
		return err
	}
	return a.Print(s.raw, s.draw)
}

// drawList draws what was gathered, and says below it what the reader would miss otherwise.
func drawList(p *cli.Page, conn *cli.Connection, args cli.Arguments, l listing, out gathered, need int) {
	a := conn.App
	printItems(p, out)
	a.Remark(p, out.more())
	if args["box"] == "all" && a.FlagAgain("agent", a.Agent) != "" && a.Agent != string(schemas.Human) {
		a.Remark(p, "--agent narrows nothing here: --for "+cli.InShell(a.Agent)+" does.")
	}
	a.Remark(p, a.MarkedRead(conn.By, cmp.Or(schemas.Agent(l.forAgent), conn.By.Agent), out.unread()))
	printWaiting(p, out, need, a.Again())
}

// query completes the arguments of list_handoffs, and tells whether they ask for all that is under way.
func (l listing) query(args cli.Arguments) (open bool) {
	switch {
	case l.forAgent != "":
		args["agent"] = l.forAgent
	case args["box"] == nil:
		open = !l.all && args["status"] == nil && args["query"] == nil && args["workflow"] == nil
		args["box"] = "all"
	}
	switch {
	case l.ready:
		args["status"] = schemas.Pending
	case l.stuck, l.gone, open:
		args["status"], open = schemas.Open, true // many more have ended, and the tool would list those first
	}
	return open
}
