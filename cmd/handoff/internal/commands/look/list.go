package look

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func listFields() []cli.Field { return cli.ReadFields(helpTexts, "list") }

// listOptions holds the flags of list that are not arguments of the tool list_handoffs.
type listOptions struct {
	pool, forAgent, by     string // addresses
	until                  string
	ready, stuck, due, all bool

	limit int // rows at most; 0 for all
}

func listCommand(a *cli.App) *cobra.Command {
	return listOptions{}.configure(a, &cobra.Command{Use: "list [WORKFLOW]", Args: listArgument}, func(args cli.Arguments, of []string) {
		if len(of) > 0 {
			args["workflow"] = of[0]
		}
	})
}

// listArgument refuses arguments of list other than one workflow.
func listArgument(cmd *cobra.Command, given []string) error {
	if len(given) > 0 && !strings.HasPrefix(given[0], "wf_") {
		return schemas.Invalidf("WORKFLOW", "%q is no workflow, which begins with wf_", schemas.EscapeHidden(schemas.Clip(given[0], 80))).
			WithHint("handoff show shows a handoff, handoff search finds words, and --for lists what is for an agent.")
	}
	return cobra.MaximumNArgs(1)(cmd, given)
}

func inboxCommand(a *cli.App) *cobra.Command {
	return listOptions{}.configure(a, &cobra.Command{Use: "inbox"}, func(args cli.Arguments, _ []string) { args["box"] = "inbox" })
}

func searchCommand(a *cli.App) *cobra.Command {
	return listOptions{all: true}.configure(a, &cobra.Command{Use: "search WORDS…", Args: cobra.MinimumNArgs(1)}, func(args cli.Arguments, words []string) {
		if strings.HasPrefix(words[0], "wf_") {
			args["workflow"], words = words[0], words[1:]
		}
		if len(words) > 0 {
			args["query"] = cmp.Or(strings.Join(words, " "), " ") // the tool refuses words of blanks
		}
	})
}

// configure makes cmd a command that lists handoffs, and returns cmd. The function preset sets the fixed arguments of
// the command, before the flags set other arguments.
func (l listOptions) configure(a *cli.App, cmd *cobra.Command, preset func(cli.Arguments, []string)) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		switch given := cmd.Flags().Changed("limit"); {
		case !given && (a.JSON || !a.Style().Terminal):
			l.limit = 0
		case l.limit < 1:
			return schemas.Invalidf("--limit", "%d is no number of rows", l.limit).WithHint("Give 1 or more.")
		}
		args := cli.Arguments{}
		if err := args.SetFields(cmd, listFields()); err != nil {
			return err
		}
		preset(args, given)
		if err := cmp.Or(l.parseAddresses(cmd), refuseUselessFlags(cmd, given, args, l)); err != nil {
			return err
		}
		if l.stuck || l.due {
			return statusOptions{limit: l.limit, only: map[bool]string{l.stuck: "stuck", l.due: "due"}[true]}.showOverview(cmd.Context(), a)
		}
		return listHandoffs(cmd.Context(), a, args, l)
	}
	cli.DefineFlags(cmd, listFields())
	flags := cmd.Flags()
	flags.StringVar(&l.pool, "agent-role", "", "the same as --role")
	flags.StringVar(&l.pool, "role", "", "only for this role: addressed to it, or to an agent of it")
	flags.StringVar(&l.forAgent, "for", "", "the inbox of this `agent`; with --all what it is to get, holds and ended")
	flags.StringVar(&l.until, "until", "", "only work sent or ended before a `time`, as for --since")
	flags.BoolVar(&l.ready, "ready", false, "only handoffs that can be claimed now")
	flags.StringVar(&l.by, "by", "", "what this `agent` completed, or ended with another --status")
	flags.BoolVar(&l.stuck, "stuck", false, "the stuck handoffs of handoff status")
	flags.BoolVar(&l.due, "due", false, "what time changes next: deadlines, ends of leases, delays")
	flags.BoolVar(&l.all, "all", l.all, "also ended handoffs")
	flags.IntVarP(&l.limit, "limit", "n", 50, "rows at most; without a terminal or with --json the default is all")
	a.DefineReadFlag(flags)
	for _, group := range [][]string{{"ready", "stuck", "due", "status"}, {"for", "by"}, {"by", "ready"}, {"all", "ready"}, {"by", "box"}, {"role", "agent-role"}} {
		cmd.MarkFlagsMutuallyExclusive(group...)
	}
	return cmd
}

func listHandoffs(ctx context.Context, a *cli.App, args cli.Arguments, l listOptions) error {
	by, err := a.ReadingCaller(true)
	if err != nil {
		return err
	}
	if l.forAgent != "" && !a.MarkRead { // another agent's mail, read by this caller
		by.Scope = schemas.ScopeRead
	}
	var out listResult
	var whole schemas.OverviewOut
	plain := len(args) == 1 && args["box"] == "inbox" && l == listOptions{limit: l.limit}
	err = a.ConnectToRead(ctx, by, func(conn *cli.Connection) (err error) {
		by = conn.By // the session, if the client has several
		if out, err = collectRows(ctx, conn, args, l); err == nil && a.Style().Terminal && !a.JSON && by.Agent == schemas.Human {
			_, err = conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: maxNeeds}, &whole)
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.PrintValue(out, func(p *cli.Page) {
		if plain && whole.NeedsYou.Total > 0 { // a person's inbox also has questions and approvals of other mailboxes
			printOverview(p, a, whole, "needs_you")
			out.Items = slices.DeleteFunc(out.Items, func(i schemas.ListItem) bool {
				return slices.ContainsFunc(whole.NeedsYou.Items, func(c schemas.OverviewEntry) bool { return c.HandoffID == i.HandoffID })
			})
			whole.NeedsYou.Total = 0
		}
		printList(p, a, by, args, l, out, whole.NeedsYou.Total)
	})
}

// printList prints the rows and the remarks below them.
func printList(p *cli.Page, a *cli.App, by schemas.Caller, args cli.Arguments, l listOptions, out listResult, need int) {
	printItems(p, out)
	again := a.CallerFlags()
	if l.forAgent != "" {
		again = " --for " + cli.ShellWord(l.forAgent)
	}
	unread := out.unreadText(args, again)
	if len(out.Items) > 0 || unread == "" || args["box"] == "all" { // an inbox with notices is not empty
		a.Remark(p, out.omittedText(a))
	}
	if len(out.Items) == 0 {
		addRemark(p, a, a.MovedWorkspaces())
	}
	a.Remark(p, strings.Join(out.Warnings, "\n"))
	if args["box"] == "all" && l.forAgent == "" && a.FlagUnlessInEnvironment("agent", a.Agent) != "" && a.Agent != string(schemas.Human) {
		a.Remark(p, "--agent narrows nothing here: --for "+cli.ShellWord(a.Agent)+" does.")
	}
	a.Remark(p, a.RemarkOnReading(by, cmp.Or(schemas.Agent(l.forAgent), by.Agent), out.unreadCount()))
	a.Remark(p, unread)
	if need > 0 {
		p.AddLine("Needs you (%d): handoff status%s", need, a.CallerFlags())
	} else if unread == "" {
		out.addNext(p, args)
	}
}

// addNext adds the next command of a list, unless one stands above.
func (out listResult) addNext(p *cli.Page, args cli.Arguments) {
	if n := len(out.Items); n > 0 && !out.More && out.Items[0].NoticeID == 0 {
		p.AddNext("To see one", "show "+out.Items[0].HandoffID.String())
	} else if n == 0 && args["status"] == any(schemas.Open) {
		p.AddNext("What has ended", "list --all")
	}
}

// addDefaults adds the default arguments of list_handoffs. The result open is true if the arguments select all open
// handoffs.
func (l listOptions) addDefaults(args cli.Arguments) (open bool) {
	switch {
	case l.by != "":
		args["agent"], args["box"], args["status"] = l.by, "claimed", cmp.Or(args["status"], any(string(schemas.Completed)))
	case l.forAgent != "":
		if args["agent"] = l.forAgent; l.all {
			args["box"] = "all"
		}
	case args["box"] == nil:
		open = !l.all && args["status"] == nil && args["query"] == nil && args["workflow"] == nil
		args["box"] = "all"
	}
	switch {
	case l.ready:
		args["status"] = schemas.Pending
	case open:
		args["status"], open = schemas.Open, true // many more have ended, and the tool would list those first
	}
	return open
}

// listResult holds the rows of one or more calls of list_handoffs. It is the result of list with --json.
type listResult struct {
	Items []schemas.ListItem   `json:"items"`
	More  bool                 `json:"more,omitempty"`  // the limit left some out
	Inbox *schemas.InboxCounts `json:"inbox,omitempty"` // of the agent that the list is for

	Warnings []string `json:"warnings,omitempty"` // of the last call

	left    int  // number of rows that the limit left out; 0 if unknown
	atLeast bool // left is a lower bound
}

// maxSorted is the largest number of open handoffs that list reads to sort them by urgency. A workspace with more open
// handoffs gets its newest maxSorted handoffs sorted.
const maxSorted = 1000

// collectRows reads the rows of a list. It sorts open handoffs by urgency, and leaves other rows in the order of the
// tool.
func collectRows(ctx context.Context, conn *cli.Connection, args cli.Arguments, l listOptions) (listResult, error) {
	out := listResult{Items: []schemas.ListItem{}}
	keep, err := l.newRowFilter(ctx, conn, args)
	if err != nil {
		return out, err
	}
	open := l.addDefaults(args)
	if err := out.readRows(ctx, conn, args, l.rowCountToRead(args, open), keep); err != nil {
		return out, err
	}
	if open {
		slices.SortStableFunc(out.Items, func(x, y schemas.ListItem) int { return cmp.Compare(urgencyRank(x), urgencyRank(y)) })
	}
	if over := len(out.Items) - l.limit; l.limit > 0 && over > 0 {
		out.left += over
		out.Items, out.More = out.Items[:l.limit], true
	}
	switch { // the workflow or the agent may not exist
	case len(out.Items) > 0:
	case args["workflow"] != nil:
		_, err = conn.Call(ctx, "handoff_history", cli.Arguments{"workflow": args["workflow"], "limit": 1}, nil)
	case l.forAgent+l.by != "" && l.forAgent+l.by != string(schemas.Human):
		_, err = findAgent(ctx, conn, schemas.Agent(l.forAgent+l.by))
	}
	return out, err
}

// urgencyRank returns the rank of an open handoff in the list. Urgent handoffs have the lowest rank and come first,
// then handoffs whose state has a reason, such as a question, then claimed handoffs, then all other handoffs.
func urgencyRank(i schemas.ListItem) int {
	switch {
	case i.Priority == schemas.Critical:
		return 0
	case i.Priority == schemas.High:
		return 1
	case i.Reason != "" || slices.Contains(i.BlockedBy, schemas.NeedsApproval):
		return 2
	case i.Status != schemas.Pending:
		return 3
	}
	return 4
}

// rowCountToRead returns the number of rows to read. Usually it is one more than the limit of the list, because the
// additional row shows that there are more. There are two exceptions. For open handoffs it is at least maxSorted,
// because they are sorted first. For notices it is exactly the limit, because reading a notice marks it as read.
func (l listOptions) rowCountToRead(args cli.Arguments, open bool) int {
	oneMore := min(l.limit, math.MaxInt-1) + 1
	switch {
	case l.limit == 0:
		return math.MaxInt
	case args["box"] == "notices":
		return l.limit
	case open:
		return max(oneMore, maxSorted)
	}
	return oneMore
}

// readRows reads rows until out has the wanted number of rows. It keeps only the rows for which keep returns true. If
// keep is nil, it keeps all rows.
func (out *listResult) readRows(
	ctx context.Context, conn *cli.Connection, args cli.Arguments, wanted int, keep func(schemas.ListItem) bool,
) error {
	total := 0
	for len(out.Items) < wanted {
		args["limit"] = min(wanted-len(out.Items), cli.PageLimit)
		var page struct {
			schemas.ListOut
			Inbox *schemas.InboxCounts
		}
		if _, err := conn.Call(ctx, "list_handoffs", args, &page); err != nil {
			return err
		}
		out.Inbox, out.Warnings = page.Inbox, page.Warnings
		if keep != nil {
			page.Items = slices.DeleteFunc(page.Items, func(i schemas.ListItem) bool { return !keep(i) })
		} else if page.Total > 0 {
			total, out.atLeast = page.Total, page.AtLeast
		}
		out.Items = append(out.Items, page.Items...)
		if args["cursor"] = page.Cursor; page.Cursor == "" {
			return nil
		}
	}
	out.More, out.left = true, max(total-len(out.Items), 0)
	return nil
}
