package doctor

import (
	"context"

	"handoff/schemas"
	"handoff/tools"
)

// release is the command with which the owner of the workflow takes a claim back. The sender of the handoff alone
// may not do that. If the owner is the system or the holder itself, the command only shows the handoff.
func (d Desk) release(ctx context.Context, item schemas.Item, st schemas.Standing) (string, error) {
	in := schemas.HistoryIn{Workflow: string(item.Workflow), Format: "rows", Limit: 1}
	out, err := tools.Ask[schemas.HistoryOut](ctx, d.Boxes, d.call("handoff_history"), in)
	if err != nil {
		return "", err
	}
	if len(out.Items) == 0 || out.Items[0].From == schemas.System || out.Items[0].From == st.Holder {
		return d.Shell.line("show %d", item.HandoffID), nil
	}
	return d.Shell.line("update %d --release --agent %s", item.HandoffID, out.Items[0].From), nil
}

// retry is the command by which the sender of a handoff runs it again.
func (d Desk) retry(ctx context.Context, id string) (string, error) {
	out, err := tools.Ask[schemas.GetOut](ctx, d.Boxes, d.call("get_handoff"), schemas.GetIn{HandoffID: id, View: "full"})
	if err != nil || out.Handoff == nil || out.Handoff.Source.Agent == schemas.System {
		return d.Shell.line("show %s", id), err
	}
	return d.Shell.line("retry %s --agent %s", id, out.Handoff.Source.Agent), nil
}
