package schemas

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Agent is the name of an agent or person, which has a mailbox of this name: 1 to 64 of A-Z a-z 0-9 . _ - and no . or -
// at its beginning.
type Agent string

// The reserved names. Human is the person who uses handoff, and has a mailbox. System is the server itself. It is the
// actor of events that the clock causes, and has no mailbox.
const (
	Human  Agent = "human"
	System Agent = "system"
)

// IsValidName reports whether s has the form of a name, a role or a skill: 1 to 64 of the characters A-Z a-z 0-9 . _ -
// but no . or - at its beginning. Programs would take ".qa" for a hidden file and "-qa" for a flag.
func IsValidName(s string) bool {
	return s != "" && len(s) <= 64 && s[0] != '.' && s[0] != '-' && !strings.ContainsFunc(s, IsForbiddenInName)
}

// IsForbiddenInName reports whether [IsValidName] forbids a character.
func IsForbiddenInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
}

// ParseAgent checks the form of an agent name. Field names the argument in the error. It does not look up whether the
// agent exists. It accepts the reserved names, but refuses names that a reader could mistake for a reserved name. It
// also refuses the secret of a token, because every agent sees names.
func ParseAgent(field, s string) (Agent, error) {
	if strings.HasPrefix(s, TokenPrefix) { // everybody sees a name, and it is kept
		return "", Invalidf(field, "that is the secret of a token, not an agent name").
			WithHint("Take it from where others see it, and revoke the token.")
	}
	if !IsValidName(s) {
		return "", Invalidf(field, "%q is not an agent name", EscapeHidden(s)).
			WithHint("Names are 1 to 64 of A-Z a-z 0-9 . _ - and do not begin with . or -, such as auto-code.")
	}
	for _, reserved := range []Agent{Human, System} {
		if Agent(s) != reserved && LookAlike(Agent(s), reserved) {
			return "", Invalidf(field, "%q can be taken for %s, which is reserved", s, reserved).
				WithHint("Write %s if you mean it, or another name.", reserved)
		}
	}
	return Agent(s), nil
}

// lookalikeReplacer replaces letters and digits of a name in lower case so that names that look alike at a quick glance
// become equal.
var lookalikeReplacer = strings.NewReplacer("rn", "m", "4", "a", "3", "e", "5", "s", "0", "o", "1", "l", "i", "l", ".", "", "_", "", "-", "")

// LookAlike reports whether two names look the same to a quick reader.
func LookAlike(a, b Agent) bool {
	return lookalikeReplacer.Replace(strings.ToLower(string(a))) == lookalikeReplacer.Replace(strings.ToLower(string(b)))
}

// TokenPrefix is the beginning of the secret of every bearer token. By it, people and programs that search for leaked
// secrets recognise a token.
const TokenPrefix = "hoff_"

// ID is the number of a handoff within its workspace, from 1. As text it is "ho_12". Callers may write ho_12 or 12.
// Zero means no handoff, and its text is empty.
type ID uint64

// String writes the canonical form, and "" for the zero ID.
func (id ID) String() string { return formatNumber("ho_", uint64(id)) }

func formatNumber(prefix string, n uint64) string {
	if n == 0 {
		return ""
	}
	return prefix + strconv.FormatUint(n, 10)
}

// MarshalText writes the canonical form.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads "ho_12" and "12".
func (id *ID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = 0
		return nil
	}
	n, ok := ParseID(string(b))
	if !ok {
		return fmt.Errorf("%q is not a handoff id", b)
	}
	*id = n
	return nil
}

// ParseID reads "ho_12" and "12", in upper or lower case. For any other text ok is false. A number with leading zeros
// counts as other text, because it may be an id of another protocol.
func ParseID(s string) (id ID, ok bool) {
	digits := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "ho_")
	if digits == "" || digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	return ID(n), err == nil
}

// looseIDPattern matches an id as other systems and people write ours: a number with the prefix of ids or #, or alone.
// Punctuation and Markdown may stand around it. Behind an id with a prefix there may be the target of a link.
var looseIDPattern = sync.OnceValue(func() *regexp.Regexp {
	const prefix, number = `(?i)^(?:- )?[^\pL\pN#-]*(?:(?:ho|handoff)[ _#-]*|#)`, `0*([1-9][0-9]*)[^\pL\pN(:/.–—-]*`
	return regexp.MustCompile(prefix + `?` + number + `[.:]?[^\pL\pN]*$|` + prefix + number + `\((.*)$`)
})

// idPattern matches an id inside a text.
var idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bho_[1-9][0-9]*`) })

// ParseLooseID reads an id of handoff in an unusual spelling, such as HO-3, handoff_3, #3, ho_003, **ho_3** and
// [ho_3](address). It returns zero for other texts, and for texts with several ids. But the text may be the id of a
// handoff in another protocol, so callers must look for that handoff first.
func ParseLooseID(s string) ID {
	m := looseIDPattern().FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || idPattern().MatchString(m[3]) {
		return 0
	}
	n, _ := strconv.ParseUint(cmp.Or(m[1], m[2]), 10, 63)
	return ID(n)
}

// IDsWithin returns the ids that stand in a text, as they are written.
func IDsWithin(s string) []string { return idPattern().FindAllString(s, -1) }

// NoticeID numbers notices within a workspace, written "no_7".
type NoticeID uint64

func (id NoticeID) String() string { return formatNumber("no_", uint64(id)) }

// MarshalText writes the canonical form.
func (id NoticeID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads "no_7".
func (id *NoticeID) UnmarshalText(b []byte) error {
	digits, _ := strings.CutPrefix(string(b), "no_")
	n, err := strconv.ParseUint(digits, 10, 63)
	*id = NoticeID(n)
	return err
}

// Workflow names a chain or tree of handoffs, written "wf_…".
type Workflow string

// ParseWorkflow checks that a workflow name has 1 to 64 characters of the allowed form, and adds the prefix of workflow
// names if it is missing.
func ParseWorkflow(field, s string) (Workflow, error) {
	if !IsValidName(s) {
		return "", Invalidf(field, "%q is not a workflow name", EscapeHidden(s)).
			WithHint("Workflow names are 1 to 64 of A-Z a-z 0-9 . _ -, such as wf_login.")
	}
	if !strings.HasPrefix(s, "wf_") {
		s = "wf_" + s
	}
	return Workflow(s), nil
}

// Address is the address of a handoff: an agent, "capability:NAME", "role:NAME", "tag:NAME" or human. A handoff to a
// capability, a role or a tag (a skill) waits in the mailbox of that pool, and every agent of the pool may claim it.
type Address string

// Split splits an address into its kind ("agent", "capability", "role" or "tag") and the name.
func (a Address) Split() (kind, name string) {
	if kind, name, ok := strings.Cut(string(a), ":"); ok {
		return kind, name
	}
	return "agent", string(a)
}

// SingleAgent returns the agent and true if the address names one agent, which may be human. For a pool it returns
// false.
func (a Address) SingleAgent() (Agent, bool) {
	kind, name := a.Split()
	return Agent(name), kind == "agent"
}

// personWords are words for the person who uses handoff. A handoff to one of these words goes to [Human], unless an
// agent of this name is known.
var personWords = []string{"user", "person", "people", "owner", "operator", "maintainer", "human-user", "human-operator", "end-user", "humans"}

// IsPersonWord reports whether a name is one of the words for a person.
func (a Agent) IsPersonWord() bool {
	return slices.Contains(personWords, strings.ReplaceAll(strings.ToLower(string(a)), "_", "-"))
}

// ambiguousNames are words that could mean more than one mailbox, so they are refused as addresses. If an agent has one
// of these names, its address is agent:NAME.
var ambiguousNames = []string{
	"all", "everyone", "everybody", "anyone", "anybody", "someone", "somebody", "everything", "team", "*",
	"me", "myself", "self", "i", "you", "yourself",
}

// ParseAddress reads an address as a sender wrote it. Field names the argument in the error. An agent is written as
// NAME, agent:NAME or @NAME, and a pool as capability:NAME, role:NAME or tag:NAME. Case before the colon and spaces do
// not matter. "Human" in any case, and phrases such as "the user", become human. A single word for a person, such as
// "user", stays unchanged, because an agent may have this name. See [Agent.IsPersonWord].
func ParseAddress(field, s string) (Address, error) {
	kind, name, agent := "agent", strings.TrimSpace(s), false
	for before, after, ok := strings.Cut(name, ":"); ok && kind == "agent"; before, after, ok = strings.Cut(name, ":") {
		kind, name = strings.ToLower(strings.TrimSpace(before)), strings.TrimSpace(after)
		agent = agent || kind == "agent"
	}
	name = strings.TrimPrefix(name, "@")
	switch {
	case kind == "capability" || kind == "role" || kind == "tag":
		if _, err := ParseAgent(field, name); err != nil {
			return "", err
		}
		return Address(kind + ":" + name), nil
	case kind != "agent":
		return "", Invalidf(field, "%q is not an address", EscapeHidden(s)).
			WithHint("Send to an agent name, capability:NAME, role:NAME, tag:NAME, workflow:NAME or human.")
	case isHumanPhrase(name):
		return Address(Human), nil
	case Agent(name) == System:
		return "", Invalidf(field, "system has no mailbox").WithHint("Send to an agent name or to human.")
	}
	_, err := ParseAgent(field, name)
	if !agent && slices.Contains(ambiguousNames, strings.ToLower(name)) {
		err = Invalidf(field, "%q names no one", name).WithChoices(string(Human)).
			WithHint("The person you work for is human; an agent, also you, has a name. %s", severalRecipientsHint)
	} else if strings.Contains(name, ",") {
		err = AsError(err).WithHint(severalRecipientsHint)
	}
	if err != nil {
		return "", err
	}
	return Address(name), nil
}

// severalRecipientsHint explains how work or a message reaches several recipients.
const severalRecipientsHint = "One send is for one: send a message again for each. Work goes to all of them as {{each}}, with the " +
	"option each, and to one of them by a capability or a role that they share."

// isHumanPhrase reports whether a text is the word human, or a phrase of several words for a person, such as "the
// user".
func isHumanPhrase(s string) bool {
	words := strings.Fields(strings.ToLower(s))
	if len(words) > 1 && slices.Contains([]string{"the", "a", "my", "our", "your"}, words[0]) {
		words = words[1:]
	}
	phrase := strings.Join(words, "-")
	return phrase == string(Human) || !IsValidName(s) && Agent(phrase).IsPersonWord()
}
