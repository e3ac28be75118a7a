package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/schemas"
)

// makeParts makes the drafts for a send of several parts, and for the handoff that joins their results, if there is
// one. It returns the draft of the first part, with all drafts in it. The digest covers the whole send. An error about
// the joining handoff names a field below options.join.
func (m Maker) makeParts(by schemas.Caller, in schemas.SendIn, now time.Time) (d Draft, err error) {
	opt := schemas.ValueOrZero(in.Options)
	if err := cmp.Or(refuseWorkFields(in), checkParts(opt)); err != nil {
		return d, err
	}
	all, join, err := compose.SplitSend(in, m.Limits.Title)
	if err != nil {
		return d, err
	}
	var parts []*Draft
	var digests []string
	for _, in := range all {
		part, err := m.MakeOne(by, in, now)
		if err != nil {
			return d, err
		}
		parts, digests = append(parts, &part), append(digests, part.Digest)
	}
	if opt.Each != nil && strings.HasPrefix(all[0].Task, strings.TrimSpace(in.Task)+" (") {
		parts[0].Warnings = append(parts[0].Warnings, "the task has no {{each}}, so each text of options.each was added at its end")
	}
	d = *parts[0]
	if d.Parts = parts; join != nil {
		last, err := m.MakeOne(by, *join, now)
		if err != nil {
			return d, schemas.PrefixField("options.join", err)
		}
		d.Join, digests = &last, append(digests, last.Digest)
	}
	d.Digest = Fingerprint(digests)
	return d, nil
}

// checkParts returns an error if two parts have equal texts, because equal work would be done twice. It also returns an
// error if the joining handoff is a message, because a message cannot wait for the parts.
func checkParts(opt schemas.SendOptions) error {
	switch {
	case opt.Each != nil && len(opt.Each) == 0:
		return schemas.Invalidf("options.each", "names nothing").WithHint("Give a text, or leave it out. Nothing was sent.")
	case schemas.ValueOrZero(opt.Join).Type == schemas.TypeMessage:
		return schemas.Invalidf("options.join.type", "a message waits for nothing").WithHint("Send work: any other type. Nothing was sent.")
	}
	for i, text := range opt.Each {
		field := fmt.Sprintf("options.each[%d]", i)
		if strings.TrimSpace(text) == "" || slices.Contains(opt.Each[:i], text) {
			return schemas.Invalidf(field, "%q is empty or comes twice", schemas.EscapeHidden(schemas.Clip(text, 80))).WithHint("Nothing was sent.")
		}
		if err := schemas.CheckBytes(field, len(text), schemas.MaxEach); err != nil {
			return err
		}
	}
	return nil
}
