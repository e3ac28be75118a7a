package respell

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// A meaning is one thing that a caller may want, and the words with which callers ask for it. The words stand in names
// of tools, of actions of an update, and of commands.
type meaning struct {
	command string         // the command that does it
	words   string         // a noun has the mark =, and a verb that only looks has the mark ?
	advice  schemas.Advice // the call that does it; empty if only the command line does it
}

// meanings lists all meanings. A word in several rows has several meanings, and the caller has to choose. No advised
// call cancels work or changes its text: these rows have a sentence.
var meanings = sync.OnceValue(func() []meaning {
	const id, text = schemas.Blank, schemas.Blank
	update := func(a schemas.Action, say string) schemas.Advice {
		return schemas.AdviseCall(schemas.UpdateIn{HandoffID: id, Action: a}, say)
	}
	cancels := schemas.Advice{Say: "Its sender cancels work or a message: cancel is an action of an update."}
	return []meaning{
		{"answer", "answer reply respond", schemas.AdviseCall(
			schemas.UpdateIn{HandoffID: id, Action: schemas.ActAnswer, Note: text}, "answers a question that waits for you")},
		{"complete", "complete completed done finish finished success resolve resolved ok close closed end deliver hand_in", schemas.AdviseCall(
			schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: text}}, "ends it as done, as its holder")},
		{"cancel", "cancel delete destroy del rm remove kill abort close closed stop abandon drop withdraw discard expire unsend cancelled canceled", cancels},
		{"recall", "unsend undo retract recall revert", cancels},
		{"accept", "accept approve lgtm ok sign_off", update(schemas.ActAccept, "accepts a result, as its sender")},
		{"approve", "approve permit yes confirm allow authorize", update(schemas.ActApprove, "lets work begin that waits for approval, as a person")},
		{"refuse", "refuse disallow no disapprove deny reject", schemas.Advice{}},
		{"fail --reject", "reject rejected decline deny refuse", schemas.AdviseCall(
			schemas.FailIn{HandoffID: id, Outcome: schemas.OutcomeRejected, FailureDetail: schemas.FailureDetail{Description: text}}, "rejects work that is for you")},
		{"update --return", "reject rejected reopen rework revise return send_back", schemas.AdviseCall(
			schemas.UpdateIn{HandoffID: id, Action: schemas.ActReturn, Note: text}, "returns a result that is not good enough, as its sender")},
		{"fail", "fail failed giveup give_up block blocked escalate rollback abandon", schemas.AdviseCall(
			schemas.FailIn{HandoffID: id, FailureDetail: schemas.FailureDetail{Description: text}}, "gives it up, as its holder")},
		{"update --release", "release unclaim unassign unstick unlock put_back", update(schemas.ActRelease, "gives it back, so that another can take it")},
		{"assign", "assign move mv redirect transfer reassign delegate route unstick", schemas.AdviseCall(
			schemas.UpdateIn{HandoffID: id, Action: schemas.ActRelease, To: text}, "moves it to another agent")},
		{"retry", "retry rerun again redo restart", update(schemas.ActRetry, "has failed work done again, as its sender")},
		{"claim", "claim take pick start begin resume continue reclaim", schemas.AdviseCall(
			schemas.ClaimIn{HandoffID: id}, "takes a given one, or goes on with it")},
		{"claim", "claim take pick next start begin pull grab poll acquire receive dequeue checkout ?work", schemas.AdviseCall(
			schemas.ClaimIn{}, "takes the next one for you")},
		{"update --note", "progress note comment log report heartbeat ping extend renew annotate update working", schemas.AdviseCall(
			schemas.UpdateIn{HandoffID: id, Action: schemas.ActProgress, Note: text}, "reports on it, and keeps it")},
		{"update --ask", "ask question clarify", schemas.AdviseCall(
			schemas.UpdateIn{HandoffID: id, Action: schemas.ActAsk, Questions: []string{text}}, "asks its sender, as its holder")},
		{"edit", "edit modify change amend rename patch set update", schemas.Advice{
			Say: "What was sent is changed by its sender: amend is an action of an update."}},
		{"send --type message", "send_message notify tell broadcast =message", schemas.AdviseCall(
			schemas.SendIn{To: text, Task: text, Type: schemas.TypeMessage}, "sends a message")},
		{"send", "send create new add submit push delegate assign post dispatch enqueue spawn", schemas.AdviseCall(
			schemas.SendIn{To: text, Task: text}, "sends work")},
		{"agents register", "register join login", schemas.AdviseCall(schemas.RegisterIn{Name: text}, "makes a name known")},
		{"agents", "unregister deregister leave logout", schemas.AdviseCall(
			schemas.RegisterIn{Name: text, Away: true}, "says that an agent is away")},
		{"agents", "who roster whoami discover =agents =agent =members =workers =sessions", schemas.AdviseCall(
			schemas.AgentsIn{}, "shows who is here")},
		{"search", "search find grep query lookup", schemas.AdviseCall(schemas.ListIn{Box: "all", Query: text}, "finds handoffs by words")},
		{"inbox", "poll =inbox =mail =mailbox =todo =todos", schemas.AdviseCall(
			schemas.ListIn{}, "shows what is for you, and takes nothing")},
		{"inbox", "ack acknowledge mark_read =inbox =mail =mailbox =messages =notices =notifications", schemas.AdviseCall(
			schemas.ListIn{Box: "notices"}, "shows your notices, and marks them as read")},
		{"list", "ls ps ll =handoffs =tasks =queue =items =tickets =status ?list ?check ?open", schemas.AdviseCall(
			schemas.ListIn{Box: "all"}, "shows all handoffs, and takes nothing")},
		{"list --status ready", "ready", schemas.AdviseCall(schemas.ListIn{}, "shows what is for you, and takes nothing")},
		{"list --status stuck", "stuck", schemas.Advice{}},
		{"history", "history log story tree graph chain trace audit timeline cost =costs =log", schemas.AdviseCall(
			schemas.HistoryIn{HandoffID: id}, "shows the chain of work, and how it ended")},
		{"wait", "wait await join", schemas.AdviseCall(
			schemas.GetIn{HandoffID: id, WaitSeconds: schemas.MaxWait}, "waits until something changes, and takes nothing")},
		{"show", "show describe cat info inspect why =status =result =details ?get ?view ?read ?fetch", schemas.AdviseCall(
			schemas.GetIn{HandoffID: id}, "shows one handoff")},
		{"status", "st summary overview dashboard top todo needs need stuck", schemas.Advice{}},
		{"compact", "clean cleanup gc prune purge vacuum archive", schemas.Advice{Say: "What has ended leaves the lists of open work by itself."}},
		{"setup --remove", "uninstall", schemas.Advice{}},
		{"setup", "init install configure config", schemas.Advice{}},
		{"version", "upgrade", schemas.Advice{}},
		{"doctor", "diagnose fix", schemas.Advice{}},
		{"logs", "journal debug", schemas.Advice{}},
		{"watch", "tail follow events stream", schemas.Advice{}},
		{"where", "pwd path whoami", schemas.Advice{}},
		{"workspace", "workspaces namespace ns", schemas.Advice{}},
	}
})

// MeantCommands returns the commands of the command line that do what a word says. The first ones are the likeliest.
func MeantCommands(word string) (commands []string) {
	for _, m := range meaningsOf(word) {
		commands = append(commands, m.command)
	}
	return schemas.Unique(commands)
}

// MeantCalls returns advice to call what does the work that a name says, such as delete_handoff, createTask or
// reply. The name need not be known. The parameter id names the handoff for calls that need one, and may be
// [schemas.Blank].
func MeantCalls(name, id string) (next []schemas.Advice) {
	given, _ := schemas.Encode(map[string]string{"handoff_id": id}) // a text can always be encoded
	for _, m := range meaningsOf(name) {
		a := m.advice
		a.Args = bytes.ReplaceAll(a.Args, []byte(`"handoff_id":"`+schemas.Blank+`"`), bytes.Trim(given, "{}"))
		same := func(have schemas.Advice) bool {
			return have.Request() == a.Request() && (a.Tool != "" || have.Say == a.Say)
		}
		if a.Say != "" && !slices.ContainsFunc(next, same) {
			next = append(next, a)
		}
	}
	return next
}

// meaningsOf returns the meanings of a name. Verbs decide; if the name has no verb that is known, nouns decide, and then
// the verbs that only look.
func meaningsOf(name string) (found []meaning) {
	words := wordsOf(name)
	words = append(words, strings.Join(words, "_"))
	for _, mark := range []string{"", "=", "?"} {
		for _, m := range meanings() {
			said := strings.Fields(m.words)
			if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(said, mark+word) }) {
				found = append(found, m)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// wordsOf splits a name such as task.create, createTask or create-task into its words, in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(snakeCase(name)), func(r rune) bool { return !unicode.IsLetter(r) })
}

// IsTypingError reports whether a name is a mistyped known name: it has the same words, in the same order, each at most
// mistyped. A word that has a meaning of its own is not mistyped, so delete is never taken for complete.
func IsTypingError(name, known string) bool {
	return slices.EqualFunc(wordsOf(name), wordsOf(known), func(word, meant string) bool {
		return word == meant || len(meaningsOf(word)) == 0 && len(closest.LikelyNames(word, []string{meant})) > 0
	})
}
