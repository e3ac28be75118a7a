package reading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// eventContent holds the content of an event of any kind. Fields that the kind does not have are empty.
type eventContent struct {
	Title     string   `json:"title"`
	Task      string   `json:"task"`
	Note      string   `json:"note"`
	Percent   int      `json:"percent"`
	Questions []string `json:"questions"`

	To      schemas.Address `json:"to"` // recipient of a claim that was passed on, empty for one that was released
	Summary string          `json:"summary"`

	Target  schemas.Target `json:"target"`
	Before  time.Time      `json:"ended_before"` // of a retention
	Context struct {
		Answers []schemas.Answer `json:"answers"`
	} `json:"context"`
	Failure struct {
		schemas.FailureDetail
		Failure schemas.FailureDetail `json:"failure"` // of a late failure
	} `json:"failure"`
	Completion schemas.Result        `json:"completion"` // of a late completion
	Observed   []schemas.Observation `json:"observed"`
	Tree       *schemas.Tree         `json:"tree"`
	ClaimedIn  *schemas.Tree         `json:"claimed_in"`
}

// describeEvents returns events in words, each with its content unless the content was erased. Times are exact to the
// second. It leaves out connections and digests, which the view audit shows. It reads the content of each event from
// the store, so callers pass a limited number of events.
func describeEvents(v *store.View, events []schemas.Event) (told []schemas.HistoryEvent, err error) {
	told = make([]schemas.HistoryEvent, len(events))
	for i, e := range events {
		if told[i], err = describeEvent(v, e); err != nil {
			return nil, err
		}
	}
	return told, nil
}

// describeEvent renders one event in words.
func describeEvent(v *store.View, e schemas.Event) (schemas.HistoryEvent, error) {
	told := schemas.HistoryEvent{
		N: e.N, At: e.At.Truncate(time.Second), Agent: e.Agent, Action: e.Action, Other: e.Other,
	}
	if e.From != e.To {
		told.To = e.To
	}
	if e.Said != "" {
		s, err := readEventContent(v, e)
		if err != nil {
			return told, err
		}
		a := life.Action(e.Action)
		told.Text = schemas.EscapeHidden(s.text(a))
		switch a { //nolint:exhaustive // the others have nothing more
		case life.Release:
			told.PassedTo = s.To
		case life.Amend:
			told.Text = strings.Trim(told.Text+"; "+schemas.EscapeHidden(amendmentText(v, e)), "; ")
		}
		if tree := cmp.Or(s.Tree, s.ClaimedIn); tree != nil && slices.Contains(treeActions, a) {
			told.Tree = tree.String()
		}
	}
	if e.For != "" {
		first := fmt.Sprintf("%s is told first", e.For)
		if told.Text != "" {
			first = fmt.Sprintf("%s (%s)", told.Text, first)
		}
		told.Text = first
	}
	return told, nil
}

// treeActions are the actions that report their working tree.
var treeActions = []life.Action{life.Send, life.Claim, life.Reclaim, life.Locate, life.Progress, life.Complete}

// MaxTextBytes is the maximum length in bytes of an event's content where it is shown with the event.
const MaxTextBytes = 1000

// EventText returns the content of an event as text. It returns "" if the event has no content or unreadable content.
// It also returns "" for a send, because readers see the title of the handoff.
func EventText(v *store.View, e schemas.Event) string {
	if e.Said == "" || life.Action(e.Action) == life.Send { // its title is shown anyway
		return ""
	}
	s, err := readEventContent(v, e)
	if err != nil {
		return ""
	}
	return schemas.Shorten(schemas.EscapeHidden(s.text(life.Action(e.Action))), MaxTextBytes)
}

// shortenTexts shortens the text of each event to at most limit bytes, if possible at the end of a sentence.
func shortenTexts(told []schemas.HistoryEvent, limit int) {
	for i := range told {
		told[i].Text = schemas.Shorten(told[i].Text, limit)
	}
}

// readEventContent reads the content of an event. If some fields cannot be decoded, for example because a later version
// of the program wrote the event, it returns the other fields. If the note is not among these, it returns empty
// content, as for an event without content.
func readEventContent(v *store.View, e schemas.Event) (s eventContent, err error) {
	content, err := v.RawContent(e.Handoff, e.N)
	if err != nil || len(content) == 0 || schemas.Decode(content, &s) != nil && s.Note == "" { // erased, or later version
		return eventContent{}, err
	}
	return s, nil
}

// text returns the content of an event as text. The argument a is the action of the event. For an action whose events
// have no content of their own kind, the text is the note.
func (s eventContent) text(a life.Action) string {
	switch a { //nolint:exhaustive // the others have only a note
	case life.Send:
		return s.Title
	case life.Message:
		return fmt.Sprintf("to %s: %s", s.Target.Agent, s.Task)
	case life.Progress:
		if s.Percent > 0 { // zero means that the holder gave none
			return strings.TrimSuffix(fmt.Sprintf("%d%%: %s", s.Percent, s.Note), ": ")
		}
	case life.Ask:
		return schemas.JoinNumbered(s.Questions, " ")
	case life.Answer: // the event has all answers so far, and only the last answer is new
		if n := len(s.Context.Answers); n > 0 {
			return s.Context.Answers[n-1].Answer
		}
		return ""
	case life.Complete:
		return s.Summary
	case life.Fail, life.Reject, life.Decline:
		return s.Failure.Description
	case life.Redact:
		if s.Before.IsZero() {
			return ""
		}
		return "handoff no longer keeps long texts of work that ended before " + s.Before.Format(time.DateOnly)
	case life.Observe:
		return strings.Join(schemas.Map(s.Observed, schemas.Observation.String), ". ")
	case life.Late:
		return cmp.Or(s.Completion.Summary, s.Failure.Failure.Description)
	}
	return s.Note
}

// hiddenActions lists the actions that a history leaves out of a handoff's events. Other fields of the history show
// these actions, or no reader needs them.
var hiddenActions = []life.Action{
	life.Send, life.Ready, life.Renew, life.Mark, life.Complete, life.Fail, life.Reject, life.Return, life.Cancel, life.Refuse,
	life.Forward, life.Retry, life.Rerun, life.Rollback, life.Escalate, life.Redo, life.Exhaust, life.Expire, life.Defer,
	life.Resume, life.Locate,
}

const (
	maxHistoryEvents = 200 // events of a story: of more events only the newest count
	maxMoments       = 8   // moments of a story, the last ones
	maxSummary       = 600 // bytes of a summary in a history
	maxMomentText    = 200 // bytes of a moment's text in a history
)

// addEventsAndTimes adds facts about a handoff to its step of a history: the important events, the time of work and of
// waiting, and the dependencies. It uses the newest [maxHistoryEvents] events.
func addEventsAndTimes(v *store.View, r *store.Record, now time.Time, step *schemas.HistoryStep) error {
	events, err := v.EventsOf(r, maxHistoryEvents)
	if err != nil {
		return err
	}
	slices.Reverse(events)
	worked, waited := workAndWaitTimes(events, now)
	step.Seconds, step.Waited = int(worked.Seconds()), int(waited.Seconds())
	all, err := describeEvents(v, events)
	if err != nil {
		return err
	}
	step.Trees = workingTreeTexts(all)
	step.Story = eventsForHistory(all)
	step.Earlier = max(len(step.Story)-maxMoments, 0)
	step.Story = step.Story[step.Earlier:]
	shortenTexts(step.Story, maxMomentText)
	h, err := ReadHandoff(v, r)
	step.After = shownDependencies(h, r)
	return err
}

// workingTreeTexts returns one text for each working tree (checkout) in which events happened, in the order of the
// events. The text has the actions and the working tree ("claimed, completed in /src").
func workingTreeTexts(all []schemas.HistoryEvent) (told []string) {
	last := ""
	for _, m := range all {
		switch {
		case m.Tree == "" || life.Action(m.Action) == life.Progress:
			continue
		case m.Tree == last:
			did, _, _ := strings.Cut(told[len(told)-1], " in ")
			told[len(told)-1] = did + ", " + m.Action + " in " + m.Tree
		default:
			told = append(told, m.Action+" in "+m.Tree)
		}
		last = m.Tree
	}
	return told
}

// eventsForHistory removes events that a reader of a history does not need: hidden actions, reports without a text, the
// first claim (other fields show it), each claim by which the holder goes on after an answer, and a lost connection as
// the last event.
func eventsForHistory(all []schemas.HistoryEvent) (story []schemas.HistoryEvent) {
	var holder schemas.Agent
	dropped := false
	for _, m := range all {
		switch a := life.Action(m.Action); {
		case a == life.Claim:
			again := dropped || holder != "" && holder != m.Agent
			holder, dropped = m.Agent, false
			if !again {
				continue
			}
		case a == life.Progress && m.Text == "" || slices.Contains(hiddenActions, a):
			continue
		case a == life.Requeue || a == life.Release:
			dropped = true
		}
		story = append(story, m)
	}
	if n := len(story); n > 0 && life.Action(story[n-1].Action) == life.Lost { // the connection may return at once
		story = story[:n-1]
	}
	return story
}

// shownDependencies returns the ids of the dependencies that the sender named, and the ids of handoffs that replaced
// dependencies later.
func shownDependencies(h schemas.Handoff, r *store.Record) []schemas.ID {
	var ids []schemas.ID
	for _, written := range slices.Concat(h.Metadata.After, h.Metadata.AfterAccepted) {
		if id, ok := schemas.ParseID(written); ok {
			ids = append(ids, id)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(ids, r.After, r.Freed))))
}

// workAndWaitTimes returns how long a handoff was worked on since its first claim, and how long it waited for an answer
// or for a holder. The current state counts up to now. The argument events must be sorted, oldest first. If the clock
// applied a change late, the due time of the change counts, because the work ended at that time.
func workAndWaitTimes(events []schemas.Event, now time.Time) (worked, waited time.Duration) {
	var since time.Time
	var counts *time.Duration
	count := func(until time.Time) {
		if counts != nil && until.After(since) {
			*counts += until.Sub(since)
		}
		since = until
	}
	for _, e := range events {
		at := e.At
		if !e.Due.IsZero() && e.Due.After(since) && e.Due.Before(at) {
			at = e.Due
		}
		count(at)
		switch held := e.To == schemas.Accepted || e.To == schemas.Working; {
		case held && life.Action(e.Action) != life.Lost:
			counts = &worked
		case held, e.To == schemas.Waiting, e.To == schemas.Pending && counts != nil:
			counts = &waited
		default:
			counts = nil
		}
	}
	count(now)
	return worked, waited
}
