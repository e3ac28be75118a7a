package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

var listFields = []field{
	{"box", "box", text, "inbox, claimed, sent, notices or all"},
	{"status", "status", text, "only in this state"},
	{"workflow", "workflow", text, "only of this workflow"},
	{"tag", "tags", words, "only with one of these tags"},
	{"type", "type", text, "only of this work type"},
	{"query", "query", text, "words in title, task, summary and tags"},
	{"since", "since", text, "a time, or '2h' ago"},
}

// listing is what list was asked for beyond the arguments of the tool.
type listing struct {
	role, forAgent    string
	ready, stuck, all bool
	limit             int
}

func (a *app) listCommand() *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List handoffs",
		Example: `  handoff list                       # all that is under way
  handoff list --for qa --ready      # what qa can claim now
  handoff list --box notices --agent dev
  handoff list --all --query login --since 24h
  handoff list --stuck               # what waits for an answer`,
		Long: `Without --box, --for, --status or --all: everything that has not ended, of all agents. The inbox and the
other boxes are those of --agent.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			args := arguments{}
			if err := args.set(cmd, listFields); err != nil {
				return err
			}
			return a.list(cmd.Context(), args, l)
		},
	}
	bind(cmd, listFields)
	flags := cmd.Flags()
	flags.StringVar(&l.role, "role", "", "only for this role: addressed to it, or to an agent of it")
	flags.StringVar(&l.forAgent, "for", "", "the inbox of this `agent`")
	flags.BoolVar(&l.ready, "ready", false, "only what can be claimed now")
	flags.BoolVar(&l.stuck, "stuck", false, "only what waits for an answer")
	flags.BoolVar(&l.all, "all", false, "also what has ended")
	flags.IntVar(&l.limit, "limit", 20, "rows at most")
	cmd.MarkFlagsMutuallyExclusive("ready", "stuck", "status")
	return cmd
}

func (a *app) list(ctx context.Context, args arguments, l listing) error {
	by, err := a.caller(false)
	if err != nil {
		return err
	}
	return a.session(ctx, by, func(s *session) error {
		out, raw, err := s.list(ctx, args, l)
		if err != nil {
			return err
		}
		return a.print(raw, func(p *page) { p.items(out) })
	})
}

// list gathers rows over as many calls as it takes. Raw is the result of the tool if one call did.
func (s *session) list(ctx context.Context, args arguments, l listing) (out schemas.ListOut, raw json.RawMessage, err error) {
	keep, err := s.filter(ctx, l)
	if err != nil {
		return out, nil, err
	}
	queries := l.queries(args)
	for _, query := range queries {
		raw, err = s.gather(ctx, query, l.limit, keep, &out)
		if err != nil {
			return out, nil, err
		}
	}
	switch {
	case len(queries) > 1, keep != nil:
		slices.SortStableFunc(out.Items, func(x, y schemas.Item) int { return y.At.Compare(x.At) })
		out.Items = out.Items[:min(len(out.Items), l.limit)]
	case raw != nil:
		return out, raw, nil
	}
	raw, err = json.Marshal(out)
	return out, raw, err
}

// pageLimit is the largest that list_handoffs gives at once.
const pageLimit = 50

// queries turns what was asked for into arguments of list_handoffs.
func (l listing) queries(args arguments) []arguments {
	switch {
	case l.forAgent != "":
		args["agent"] = l.forAgent
	case args["box"] == nil:
		args["box"] = "all"
	}
	switch {
	case l.ready:
		args["status"] = schemas.Pending
	case l.stuck:
		args["status"] = schemas.Waiting
	case args["box"] == "all" && !l.all && args["status"] == nil && args["query"] == nil:
		return underWay(args)
	}
	return []arguments{args}
}

// underWay asks for each state that has not ended: many more have, and the tool would list those first.
func underWay(args arguments) []arguments {
	var queries []arguments
	for _, status := range schemas.Statuses {
		if status.Ended() {
			continue
		}
		query := maps.Clone(args)
		query["status"] = status
		queries = append(queries, query)
	}
	return queries
}

// gather adds rows that keep keeps until there are enough. A nil keep keeps all. Raw is the result of the
// tool if one call did.
func (s *session) gather(ctx context.Context, args arguments, limit int, keep func(schemas.Item) bool, out *schemas.ListOut) (json.RawMessage, error) {
	for found, pages := 0, 1; ; pages++ {
		args["limit"] = min(max(limit-found, 1), pageLimit)
		var page schemas.ListOut
		raw, err := s.call(ctx, "list_handoffs", args, &page)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			if keep == nil || keep(item) {
				out.Items = append(out.Items, item)
				found++
			}
		}
		if out.Cursor = page.Cursor; page.Cursor == "" || found >= limit {
			if pages > 1 {
				raw = nil
			}
			return raw, nil
		}
		args["cursor"] = page.Cursor
	}
}

// filter keeps what is for a role: list_handoffs does not know who plays it.
func (s *session) filter(ctx context.Context, l listing) (func(schemas.Item) bool, error) {
	if l.role == "" {
		return nil, nil
	}
	var players schemas.AgentsOut
	if _, err := s.call(ctx, "list_agents", arguments{"role": l.role, "limit": everybody}, &players); err != nil {
		return nil, err
	}
	return func(item schemas.Item) bool {
		return item.To == schemas.Address("role:"+l.role) ||
			slices.ContainsFunc(players.Agents, func(c schemas.Card) bool { return schemas.Address(c.Name) == item.To })
	}, nil
}
