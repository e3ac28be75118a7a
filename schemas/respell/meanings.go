package respell

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// A meaning is one thing that a caller may want: a row of meanings.txt, which explains the columns.
type meaning struct {
	command string
	words   []string
	action  string         // of package life; "" if any caller may do it at any time
	advice  schemas.Advice // empty if only the command line does it
}

//go:embed meanings.txt
var meaningsText string

// meanings lists all meanings, in the order of the file.
var meanings = sync.OnceValue(func() (all []meaning) {
	for _, c := range schemas.TableRows(meaningsText, 2) {
		c = append(c, "", "")
		_, rest, _ := strings.Cut(c[1], "@")
		action, _, _ := strings.Cut(rest, " ")
		all = append(all, meaning{c[0], strings.Fields(c[1]), action, schemas.ReadAdvice(c[2], c[3])})
	}
	return all
})

// Standing is what is known of the handoff that a call is about, and of the caller. The zero value knows nothing.
type Standing struct {
	ID    string        // of a handoff or a notice
	Other schemas.Agent // to whom the caller would speak about it: its holder, or else its sender
	May   []string      // the actions of package life that the caller may take now; nil if that is not known
}

// fill returns advice with what is known in the places of [schemas.Blank].
func (s Standing) fill(a schemas.Advice) schemas.Advice {
	for at, known := range map[string]string{
		`"handoff_id":"%s"`: s.ID, `"to":"%s","task":"` + schemas.Blank + `","type":"message"`: string(s.Other),
	} {
		if known != "" {
			given, _ := schemas.Encode(known) // a text can always be encoded
			a.Args = bytes.ReplaceAll(a.Args, fmt.Appendf(nil, at, schemas.Blank), fmt.Appendf(nil, at, bytes.Trim(given, `"`)))
		}
	}
	return a
}

// MeantCommands returns the command lines, as words, that do what a typed line says in other programs. The likeliest is
// the first. If runs is true, there is one line, which means the same without doubt and ends no work. Otherwise a place
// for which nothing was typed stands in capitals, and an explanation in parentheses may be the last word. A line that
// ends work or erases texts is returned only if there is no other.
func MeantCommands(typed []string) (lines [][]string, runs bool) {
	end := slices.IndexFunc(append(slices.Clone(typed), "-"), func(word string) bool { return strings.HasPrefix(word, "-") })
	words, flags := typed[:end], typed[end:]
	if end == 3 && strings.Contains("move transition mark", words[0]) && fitsPlace("ID", words[1]) && fitsPlace("STATE", words[2]) {
		words = []string{words[2], words[1]} // as: move 3 done
	}
	if line := lineThatRuns(words, flags); line != nil {
		return [][]string{line}, true
	}
	found, named := meaningsOfLine(words)
	for _, preferred := range []func(meaning) bool{
		func(m meaning) bool { _, _, extra := m.commandLine(words[named:], flags); return !extra },
		func(m meaning) bool {
			return !strings.HasPrefix(m.command, "cancel ") && !strings.HasPrefix(m.command, "redact ")
		},
	} {
		if kept := meaningsThat(found, preferred); len(kept) > 0 {
			found = kept
		}
	}
	return schemas.Map(found, func(m meaning) []string {
		line, _, _ := m.commandLine(words[named:], flags)
		if _, explanation, ok := strings.Cut(m.command, " ("); ok {
			line = append(line, "("+explanation)
		}
		return line
	}), false
}

// lineThatRuns returns the command line of the first row that has the first two words, or else the first one, with the
// mark !, and into whose places the others fit. It returns nil if there is none.
func lineThatRuns(words, flags []string) []string {
	for named := min(2, len(words)); named > 0; named-- {
		for _, m := range meanings() {
			line, missing, extra := m.commandLine(words[named:], flags)
			if !missing && !extra && slices.Contains(m.words, "!"+phraseOf(words[:named])) {
				return line
			}
		}
	}
	return nil
}

// meaningsOfLine returns the rows that have the first two words of a line, or else the first one, or else a part of it.
// Named is the number of these words.
func meaningsOfLine(words []string) (found []meaning, named int) {
	for named = min(2, len(words)); named > 0; named-- {
		phrase := phraseOf(words[:named])
		found = meaningsThat(meanings(), func(m meaning) bool {
			return slices.Contains(m.words, phrase) || slices.Contains(m.words, "!"+phrase)
		})
		if len(found) > 0 {
			return found, named
		}
	}
	if len(words) == 0 {
		return nil, 0
	}
	found = meaningsOf(words[0])
	if len(found) == 0 && len(words) > 1 && !strings.Contains(words[1], " ") {
		return meaningsOf(words[0] + "_" + words[1]), 2 // as: issue create
	}
	return found, 1
}

// phraseOf returns the words that name a command as the table writes them.
func phraseOf(words []string) string { return strings.ToLower(strings.Join(words, "_")) }

// commandLine puts typed words into the places of the command, such as ID in "show ID", and typed flags behind them. It
// leaves out a place for which no word was typed if there are flags, which may say it. Missing is true if a place has no
// word, and extra if a word has no place.
func (m meaning) commandLine(typed, flags []string) (line []string, missing, extra bool) {
	typed = slices.Clone(typed)
	command, _, _ := strings.Cut(m.command, " (")
	for word := range strings.FieldsSeq(command) {
		flag, place, hasFlag := strings.Cut(word, "=")
		if !hasFlag {
			flag, place = "", word
		}
		place, value, optional := strings.Cut(place, ":")
		at := slices.IndexFunc(typed, func(word string) bool { return fitsPlace(place, word) })
		if at > 0 && slices.Contains([]string{"ID", "ITEM", "WORKFLOW", "NOTICE"}, place) {
			at = -1 // a number in a text is no id
		}
		switch {
		case strings.ToUpper(place) != place:
			value = word
		case at >= 0 && place == "TEXT":
			value, typed = strings.Join(typed[at:], " "), typed[:at]
		case at >= 0:
			value = place[:strings.Count(place, "+")] + strings.TrimPrefix(typed[at], "+")
			typed = slices.Delete(typed, at, at+1)
		case len(flags) > 0:
			value = ""
		case !optional:
			value, missing = place, true
		}
		line = append(line, slices.DeleteFunc([]string{flag, value}, func(s string) bool { return s == "" || value == "" })...)
	}
	return append(line, flags...), missing, len(typed) > 0
}

// isStateWord reports whether a word is a state of handoffs or of tasks in trackers.
func isStateWord(word string) bool {
	_, known := ourWord("statuses", word)
	return known || slices.Contains(schemas.Statuses, schemas.Status(word)) || strings.Contains(otherStates, " "+word+" ")
}

// otherStates are words that are states in trackers, and are no names of agents.
const otherStates = " approved backlog blocked cancel delete in_progress in-progress merged open ready review stuck trash wontfix "

// fitsPlace reports whether a typed word may stand in a place of a command.
func fitsPlace(place, word string) bool {
	_, isID := schemas.ParseID(word)
	prefix := word[:min(3, len(word))]
	isID = isID || prefix == "ho_" // as ho_abc123, the id of a message
	isState := isStateWord(strings.ToLower(word))
	switch place {
	case "ID":
		return isID
	case "ITEM", "WORKFLOW", "NOTICE":
		return prefix == "no_" && place == "NOTICE" || prefix == "wf_" && place != "NOTICE" || isID && place == "ITEM"
	case "STATE":
		return isState
	case "AGENT":
		return !isID && !isState && !strings.Contains("wf_ no_", prefix) && !strings.Contains(word, " ")
	}
	return place != "EACH" && !isID
}

// MeantCalls adds to advice the calls that do what a name says, such as delete_handoff, createTask or reply. The name
// need not be known. If nothing that it says is possible, it adds all that the caller may do now.
func MeantCalls(name string, about Standing, have []schemas.Advice) []schemas.Advice {
	possible := possibleMeanings(meaningsOf(name), about.May)
	if len(possible) == 0 {
		all := meaningsThat(meanings(), func(m meaning) bool { return slices.Contains(about.May, m.action) })
		possible = slices.CompactFunc(all, func(a, b meaning) bool { return a.action == b.action })
	}
	return about.addAdvice(have, possible)
}

// CallsInstead adds to advice what a caller may do now in place of an action that was refused. The word is the name of
// the action or of its tool. It adds nothing if the caller may take the action, so that the refusal has another reason.
func CallsInstead(word string, about Standing, have []schemas.Advice) []schemas.Advice {
	found := meaningsOf(word)
	if len(found) == 0 || found[0].action == "" || about.May == nil || slices.Contains(about.May, found[0].action) {
		return have
	}
	return about.addAdvice(have, possibleMeanings(found, about.May))
}

// addAdvice adds the advice of meanings to advice: actions come first, and calls that are always possible at the end.
func (s Standing) addAdvice(have []schemas.Advice, all []meaning) []schemas.Advice {
	var actions, others []schemas.Advice
	for _, m := range all {
		a := schemas.AdviceWithout([]schemas.Advice{s.fill(m.advice)}, slices.Concat(have, actions, others))
		switch {
		case m.advice.Say == "":
		case m.action == "":
			others = append(others, a...)
		default:
			actions = append(actions, a...)
		}
	}
	return slices.Concat(actions, have, others)
}

// possibleMeanings returns the meanings that a caller may have: the found ones whose action it may take, or else the
// rows that stand for their actions, and then the found ones without an action.
func possibleMeanings(found []meaning, may []string) []meaning {
	if may == nil {
		return found
	}
	can := func(m meaning) bool { return slices.Contains(may, m.action) }
	possible := meaningsThat(found, can)
	if len(possible) == 0 {
		possible = meaningsThat(meanings(), func(m meaning) bool {
			standsFor := func(f meaning) bool { return f.action != "" && slices.Contains(m.words, "+"+f.action) }
			return (m.action == "" || can(m)) && slices.ContainsFunc(found, standsFor)
		})
	}
	return append(possible, meaningsThat(found, func(m meaning) bool { return m.action == "" })...)
}

func meaningsThat(all []meaning, are func(meaning) bool) []meaning {
	return slices.DeleteFunc(slices.Clone(all), func(m meaning) bool { return !are(m) })
}

// meaningsOf returns the meanings of a name: those of the whole name, or else those of its words. Verbs decide; if the
// name has no verb that is known, nouns decide, and then the verbs that only look.
func meaningsOf(name string) (found []meaning) {
	words := wordsOf(name)
	for _, said := range [][]string{{strings.Join(words, "_"), name}, words} {
		for _, mark := range []string{"", "=", "?"} {
			found = meaningsThat(meanings(), func(m meaning) bool {
				return slices.ContainsFunc(said, func(word string) bool { return slices.Contains(m.words, mark+word) })
			})
			if len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// wordsOf splits a name such as task.create, createTask or create-task into its words, in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(schemas.SnakeCase(name)), func(r rune) bool { return !unicode.IsLetter(r) })
}

// IsTypingError reports whether a name is a mistyped known name: it has the same words, in the same order, each at most
// mistyped. A word that has a meaning of its own is not mistyped, so delete is never taken for complete.
func IsTypingError(name, known string) bool {
	return slices.EqualFunc(wordsOf(name), wordsOf(known), func(word, meant string) bool {
		return word == meant || len(meaningsOf(word)) == 0 && len(closest.LikelyNames(word, []string{meant})) > 0
	})
}
