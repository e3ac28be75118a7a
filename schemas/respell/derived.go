package respell

import (
	"cmp"
	"maps"
	"slices"

	"handoff/schemas"
)

// unpackTask splits up a task that is an object, because our task is a text. The rows of the group task move the known
// fields of the object to arguments. unpackTask moves all other fields to the overflow path of the table, so that no
// value is lost.
//
// Before that, it moves a context that is a text to the summary, so that other fields can move into the context.
func unpackTask(n *normalisation) error {
	if err := n.applyRow(aliasRow{"context", "summary", conversions["text"]}); err != nil {
		return err
	}
	task, ok := n.args["task"].(map[string]any)
	if !ok {
		return nil
	}
	delete(n.args, "task")
	rest := map[string]any{"task": task}
	for _, row := range aliasesOf("task") {
		v, _ := valueAt(rest, row.from)
		moved, err := n.moveField(row, v)
		if err != nil {
			return err
		}
		if moved {
			removeAt(rest, row.from)
		}
	}
	if isEmpty(rest["task"]) {
		return nil
	}
	_, err := n.keepInOverflow("task", rest["task"])
	return err
}

// finishSend moves questions, answers, progress and checkpoint of a foreign context to the overflow path, because only
// our mailbox may fill these fields. If a message has a kind and no task, finishSend makes a task that names the kind.
func finishSend(n *normalisation) error {
	if n.whole || n.foreignHeaderPath() != "" {
		for _, field := range []string{"questions", "answers", "partial_progress", "checkpoint"} {
			if err := n.applyRow(aliasRow{from: "context." + field}); err != nil {
				return err
			}
		}
	}
	n.fillTaskFromKind()
	n.separateNextEstimate()
	return nil
}

// separateNextEstimate moves the duration in handoff_instructions to the context if they name a next role other than
// the recipient: it says how long that role will need, not the recipient.
func (n *normalisation) separateNextEstimate() {
	const estimate = "expectations.estimated_duration"
	next, _ := valueAt(n.args, "context.state.next_role")
	if isEmpty(next) || firstNameOf(n.filled[estimate]) != "handoff_instructions" {
		return
	}
	v, _ := valueAt(n.args, estimate)
	removeAt(n.args, estimate)
	setAt(n.args, "context.state.next_expected_duration", v)
}

// foreignHeaderPath returns the path of a field that was moved to origin, or "". Only a message of another protocol has
// such a header field.
func (n *normalisation) foreignHeaderPath() string {
	for _, to := range slices.Sorted(maps.Keys(n.filled)) {
		if firstNameOf(to) == "origin" {
			return n.filled[to]
		}
	}
	return ""
}

// fillTaskFromKind fills a missing task with the kind of the handoff and its task id, such as
// "implementation_to_testing: .factory-abc123".
func (n *normalisation) fillTaskFromKind() {
	if task, _ := valueAt(n.args, "task"); !isEmpty(task) || n.filled["options.kind"] != "handoff_type" {
		return
	}
	kind, _ := valueAt(n.args, "options.kind")
	id, _ := valueAt(n.args, "options.task_id")
	n.args["task"] = valueText(kind) + schemas.WithPrefix(": ", valueText(id))
}

// readPassing reads the result of kernl's tool handoff in a completion, as the whole message or as one of its results.
// By it the holder passes its work on, so it becomes the continuation. The message is the summary, too, if there is
// none. An output and results stay, and do not count beside a continuation. For the others that is an error.
func readPassing(n *normalisation) error {
	for _, place := range []string{"", "result", "summary", "output", "results"} {
		passing, stays := messageIn(n.args[place]), place == "output" || place == "results"
		if place == "" {
			passing = partOf(n.args, "kind", "to", "message", "context", "priority", "tags")
		}
		switch passes := normalisedWord(passing["kind"]) == "handoff" && !isEmpty(passing["to"]) && !isEmpty(passing["message"]); {
		case !passes, stays && !isEmpty(n.args["continuation"]):
			continue
		case !isEmpty(n.args["continuation"]):
			return n.contradictionError(cmp.Or(place, "to"), "continuation", "continuation")
		case place == "":
			maps.DeleteFunc(n.args, func(name string, _ any) bool { return passing[name] != nil })
		case !stays:
			delete(n.args, place)
		}
		n.args["continuation"] = cloneJSON(passing)
		if isEmpty(n.args["summary"]) && isEmpty(n.args["result"]) {
			n.args["summary"] = schemas.Clip(valueText(passing["message"]), schemas.MaxSummary)
		}
	}
	return nil
}

// partOf returns the named entries of an object.
func partOf(object map[string]any, names ...string) map[string]any {
	part := maps.Clone(object)
	maps.DeleteFunc(part, func(name string, _ any) bool { return !slices.Contains(names, name) })
	return part
}

// finishComplete determines the outcome of a completion, and writes a summary for a foreign completion that has none.
func finishComplete(n *normalisation) error {
	if err := n.decideOutcome(); err != nil {
		return err
	}
	foreign := n.filled["origin.status"] != "" || n.filled["origin.completion_id"] != ""
	if s := n.summaryFromParts(); foreign && s != "" && isEmpty(n.args["summary"]) {
		n.args["summary"] = schemas.Clip(s, schemas.MaxSummary)
	}
	return nil
}

// decideOutcome determines the outcome from the fields outcome, status and result of a completion. If a word in them
// means partly done, the outcome is partial. A word that means neither done nor partly done is an error, so that no
// work is completed by mistake. A result that is only one of these words does not become the summary.
func (n *normalisation) decideOutcome() error {
	status, _ := valueAt(n.args, "origin.status")
	said := []struct{ field, word string }{{"outcome", valueText(n.args["outcome"])}, {"status", valueText(status)}}
	if result := valueText(n.args["summary"]); n.filled["summary"] != "" && schemas.OutcomeOfWord(result) != "" {
		said = append(said, struct{ field, word string }{"result", result})
		delete(n.args, "summary")
	}
	for _, s := range said {
		ending := schemas.OutcomeOfWord(s.word)
		switch {
		case s.word == "":
		case ending == "":
			return schemas.Invalidf(n.at+s.field, "%q does not say that it is done, so nothing was completed", schemas.EscapeHidden(schemas.Clip(s.word, 80))).
				WithHint("If it is done, say so by done or success.").WithNext(schemas.AdviceForUnfinished(n.handoffID())...)
		case n.args["outcome"] != string(schemas.Partial):
			n.args["outcome"] = string(ending)
		}
	}
	return nil
}

// summaryFromParts returns a summary made of the notes, or of the deliverables if there are no notes, such as "code
// (files_created: auth.go, jwt.go)".
func (n *normalisation) summaryFromParts() string {
	parts, _ := n.args["notes"].([]any)
	if len(parts) == 0 {
		parts, _ = n.args["deliverables"].([]any)
	}
	return joinValueTexts(parts, "; ")
}

// finishFail refuses a message that reports a success. If a failure has no description, finishFail makes the
// description from the reason, or from the blockers if there is no reason.
func finishFail(n *normalisation) error {
	status, _ := valueAt(n.args, "origin.status")
	if word := valueText(status); schemas.OutcomeOfWord(word) != "" {
		return schemas.Invalidf(n.at+"status", "%q is the status of a completion", schemas.EscapeHidden(word)).
			WithHint("Nothing was failed.").WithNext(MeantCalls("complete", Standing{ID: n.handoffID()}, nil)...)
	}
	if !isEmpty(n.args["description"]) {
		return nil
	}
	if reason, ok := n.args["reason"]; ok && !isEmpty(reason) {
		n.args["description"] = reason
		delete(n.args, "reason")
		return nil
	}
	if blockers, _ := n.args["blockers"].([]any); len(blockers) > 0 && n.filled["blockers"] != "" {
		n.args["description"] = joinValueTexts(blockers, "; ")
	}
	return nil
}

// isAcceptance reports whether the arguments are an acknowledgement of the agent handoff protocols that accepts work.
func isAcceptance(args map[string]any) bool {
	return normalisedWord(args["status"]) == "accepted" && isEmpty(args["action"])
}

// readAcceptance removes the fields of an acknowledgement that accepts work from a claim, which is that acknowledgement
// and has its own time and agent.
func readAcceptance(n *normalisation) error {
	if isAcceptance(n.args) {
		maps.DeleteFunc(n.args, func(key string, _ any) bool {
			return slices.Contains([]string{"status", "timestamp", "agent_id"}, schemas.SnakeCase(key))
		})
	}
	return nil
}

// finishUpdate refuses a message with header fields of another protocol, such as an acknowledgement, unless the action
// is ask. Only ask stores these fields.
func finishUpdate(n *normalisation) error {
	if isAcceptance(n.args) {
		delete(n.args, "status")
		delete(n.args, "origin")
		return schemas.Invalidf(n.at+"status", "accepted is said by the claim, which acknowledges a handoff").
			WithNext(schemas.AdviseCall(schemas.ClaimIn{HandoffID: n.handoffID()}, "accepts it"))
	}
	if from := n.foreignHeaderPath(); from != "" && normalisedWord(n.args["action"]) != string(schemas.ActAsk) {
		return schemas.Invalidf(n.at+from, "there is no such field").WithHint("Leave it out.")
	}
	return nil
}

// handoffID returns the id of the handoff for an advised call, or [schemas.Blank] if the message has none.
func (n *normalisation) handoffID() string {
	return cmp.Or(n.givenID, valueText(n.args["handoff_id"]), schemas.Blank)
}
