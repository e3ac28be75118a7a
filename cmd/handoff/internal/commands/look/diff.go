package look

import (
	"context"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/render"
	"handoff/schemas"
)

func diffCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff ID [ID]",
		Short: "Compare a result with its request, and with another round",
		Example: `  handoff diff 12       # request and result; of rework also the changes since the round before
  handoff diff 12 18    # the changes from one round to the other`,
		Args: cobra.RangeArgs(1, 2),
	}
	a.DefineReadFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return showDiff(cmd.Context(), a, given)
	}
	return cmd
}

func showDiff(ctx context.Context, a *cli.App, given []string) error {
	got, err := readReviewedWork(ctx, a, given[len(given)-1])
	if err != nil {
		return err
	}
	earlier := ""
	switch {
	case len(given) == 2:
		earlier = given[0]
	case got.Handoff.Rework != nil:
		earlier = got.Handoff.Metadata.Parent.String()
	}
	var before *schemas.GetOut
	if earlier != "" {
		was, err := readReviewedWork(ctx, a, earlier)
		if err != nil {
			return err
		}
		before = &was
	}
	c := render.Compare(got, before)
	raw, _ := schemas.Encode(c) // it was decoded from JSON
	return a.Print(raw, c.Draw)
}

// readReviewedWork returns a handoff in full. For a review it returns the handoff under review.
func readReviewedWork(ctx context.Context, a *cli.App, id string) (got schemas.GetOut, err error) {
	for range 10 { // nothing proves that the chain of reviews ends
		got, _, err = cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": id, "view": "full"})
		if err != nil || got.Handoff.Review == nil {
			break
		}
		id = got.Handoff.Review.Of.String()
	}
	return got, err
}
