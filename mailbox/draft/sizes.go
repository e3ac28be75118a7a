package draft

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"handoff/mailbox/compose"
	"handoff/schemas"
)

// The limits of a handoff, both for a send and for an amendment.
const (
	maxType = 64 // bytes
	maxTags = 32
)

// checkSizes checks the lengths of the fields of a send. Task and title are counted in bytes, summary, detail and data
// in characters. The error is invalid for an empty task, and limit for a field that is too long.
func (m Maker) checkSizes(in schemas.SendIn) error {
	if strings.TrimSpace(in.Task) == "" {
		return schemas.Invalidf("task", "must not be empty").WithHint("Say what is to be done. Nothing was sent.")
	}
	if err := m.checkTask(in.Task, in.Title); err != nil {
		return err
	}
	tags := compose.SplitTags(in.Tags)
	if len(tags) > maxTags {
		return schemas.Errorf(schemas.Limit, "%d tags, at most %d are allowed", len(tags), maxTags).
			WithField("tags").WithHint("Send fewer. Nothing was sent.")
	}
	return cmp.Or(checkTagNames(tags), CheckPayload(in.Summary, in.Detail, in.Data))
}

// checkTask checks the lengths of task and title, in bytes.
func (m Maker) checkTask(task, title string) error {
	return cmp.Or(schemas.CheckBytes("task", len(task), m.Limits.Task), schemas.CheckBytes("title", len(title), m.Limits.Title))
}

// CheckPayload checks the lengths of summary, detail and data. Detail and data together may have 65,536 characters,
// including the keys of data. If each is short enough alone, but both together are too long, the error names data.
func CheckPayload(summary, detail string, data map[string]string) error {
	if err := schemas.CheckCharacters("summary", utf8.RuneCountInString(summary), schemas.MaxSummary); err != nil {
		return err
	}
	field, size := "detail", utf8.RuneCountInString(detail)
	if size <= schemas.MaxDetail {
		field = "data"
	}
	for k, v := range data {
		size += utf8.RuneCountInString(k) + utf8.RuneCountInString(v)
	}
	err := schemas.CheckCharacters(field, size, schemas.MaxDetail)
	if err != nil && field == "data" && detail != "" {
		e := schemas.AsError(err)
		return e.WithHint("Detail and data share them. %s", e.Hint)
	}
	return err
}

// CheckChanges checks the changes of an amendment, a return or a retry, by the rules for a send. It also parses the
// addresses in c. The fields in its errors are relative to c.
func (m Maker) CheckChanges(c *schemas.Changes) (err error) {
	c.Expectations, c.Rollback, err = ParseAddresses(c.Expectations, c.Rollback, schemas.ParseAddress)
	return cmp.Or(err,
		refuseMultiPartOptions(c.Options), m.checkTask(c.Task, c.Title), schemas.CheckBytes("type", len(c.Type), maxType),
		checkExpectations(c.Expectations), CheckPayload(c.Summary, c.Detail, c.Data),
	)
}

// CheckWholeHandoff checks the number of tags and the lengths of the texts after an amendment. Without this check, many
// small amendments could exceed the limits. The fields in its errors begin with changes.
func CheckWholeHandoff(h *schemas.Handoff) error {
	if len(h.Tags) > maxTags {
		return schemas.Errorf(schemas.Limit, "%d tags in all, at most %d are allowed", len(h.Tags), maxTags).
			WithField("changes.tags").WithHint("Send fewer.")
	}
	return schemas.PrefixField("changes", cmp.Or(checkTagNames(h.Tags), CheckPayload(h.Summary, h.Detail, h.Data)))
}

// checkTagNames refuses a tag with a minus sign, which other programs read as the removal of the tag.
func checkTagNames(tags []string) error {
	for _, tag := range tags {
		if strings.HasPrefix(tag, "-") {
			return schemas.Invalidf("tags", "%q begins with a minus sign", tag).
				WithHint("Leave the sign out. To take a tag away, name it among what the change removes.")
		}
	}
	return nil
}
