package schemas

import (
	"fmt"
	"slices"
	"strings"
)

// unpackTask spreads a task that is an object over the arguments. What it has beyond the known fields is
// spare, because the text has to go where the object stood.
func unpackTask(r *respelling) error {
	task, ok := r.args["task"].(map[string]any)
	if !ok {
		return nil
	}
	delete(r.args, "task")
	rest := map[string]any{"task": task}
	for _, s := range taskSpellings {
		v, _ := lookAt(rest, s.from)
		placed := isEmpty(v)
		if !placed {
			var err error
			if placed, err = r.place(s, v); err != nil {
				return err
			}
		}
		if placed {
			removeAt(rest, s.from)
		}
	}
	if isEmpty(rest["task"]) {
		return nil
	}
	_, err := r.setAside("task", rest["task"])
	return err
}

// finishSend keeps apart what another mailbox filled, and gives a mail that only says what kind of handoff
// it is a task.
func finishSend(r *respelling) error {
	if r.isForeign() {
		for _, field := range []string{"questions", "answers", "partial_progress", "checkpoint"} {
			if err := r.apply(spelling{from: "context." + field}); err != nil {
				return err
			}
		}
	}
	r.titleTask()
	return nil
}

// isForeign tells whether a whole message was given, by what it says of itself.
func (r *respelling) isForeign() bool {
	for to := range r.filled {
		if rootOf(to) == "origin" {
			return true
		}
	}
	return false
}

// titleTask makes a task of the kind of handoff, as "implementation_to_testing: .factory-abc123".
func (r *respelling) titleTask() {
	if task, _ := lookAt(r.args, "task"); !isEmpty(task) || r.filled["options.kind"] != "handoff_type" {
		return
	}
	kind, _ := lookAt(r.args, "options.kind")
	task := words(kind)
	if id, _ := lookAt(r.args, "options.task_id"); !isEmpty(id) {
		task += ": " + words(id)
	}
	r.args["task"] = task
}

// finishComplete refuses what is no completion, and writes the summary of one that brings none.
func finishComplete(r *respelling) error {
	if err := r.refuse("fail_handoff", "failed", "rejected"); err != nil {
		return err
	}
	foreign := r.filled["origin.status"] != "" || r.filled["origin.completion_id"] != ""
	if s := r.summary(); foreign && s != "" && isEmpty(r.args["summary"]) {
		r.args["summary"] = Clip(s, MaxSummary)
	}
	return nil
}

// refuse stops a message that belongs to the other outcome, by the status it brought.
func (r *respelling) refuse(tool string, statuses ...string) error {
	status, _ := lookAt(r.args, "origin.status")
	if r.filled["origin.status"] == "" || !slices.Contains(statuses, words(status)) {
		return nil
	}
	return Invalidf(r.at+"status", "%q is the status of another kind of message", Visible(words(status))).
		WithHint("Give this message to %s.", tool)
}

// summary joins the notes; without any it is the status and what was delivered, as
// "success: code (3 files created, 1 files modified)".
func (r *respelling) summary() string {
	if notes, _ := r.args["notes"].([]any); len(notes) > 0 {
		return joined(notes, words)
	}
	status, _ := lookAt(r.args, "origin.status")
	delivered, _ := r.args["deliverables"].([]any)
	if len(delivered) == 0 {
		return words(status)
	}
	return words(status) + ": " + joined(delivered, delivery)
}

func joined(list []any, one func(any) string) string {
	all := make([]string, len(list))
	for i, e := range list {
		all[i] = one(e)
	}
	return strings.Join(all, "; ")
}

// delivery names a deliverable and counts its files.
func delivery(v any) string {
	row, _ := v.(map[string]any)
	name := words(row["type"])
	if d := row["description"]; !isEmpty(d) {
		name = words(d)
	}
	var counts []string
	for _, field := range []string{"files_created", "files_modified", "tests_created"} {
		if list, ok := row[field].([]any); ok && len(list) > 0 {
			counts = append(counts, fmt.Sprintf("%s: %d", strings.ReplaceAll(field, "_", " "), len(list)))
		}
	}
	if len(counts) == 0 {
		return name
	}
	return name + " (" + strings.Join(counts, ", ") + ")"
}

// finishFail refuses what is no failure. Without a description the reason is one, else the blockers are.
func finishFail(r *respelling) error {
	if err := r.refuse("complete_handoff", "success", "completed"); err != nil {
		return err
	}
	if !isEmpty(r.args["description"]) {
		return nil
	}
	if reason, ok := r.args["reason"]; ok && !isEmpty(reason) {
		r.args["description"] = reason
		delete(r.args, "reason")
		return nil
	}
	if blockers, _ := r.args["blockers"].([]any); len(blockers) > 0 && r.filled["blockers"] != "" {
		r.args["description"] = joined(blockers, func(b any) string { return wordsAt(b, "description") })
	}
	return nil
}

func wordsAt(v any, field string) string {
	row, _ := v.(map[string]any)
	return words(row[field])
}
