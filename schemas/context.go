package schemas

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Context holds known facts for the work. The sender writes them, and the brief shows them to the agent that claims the
// handoff, as far as they fit into the token budget of the brief. The fields come from the agent handoff protocols and
// from the explicit handoff coordination plan.
//
// The last five fields are refused as arguments of a send. The mailbox fills them when work goes on after a question,
// an amendment, a failure or a return.
type Context struct {
	OriginalRequest   string         `json:"original_request,omitempty"`
	CompletedSteps    []string       `json:"completed_steps,omitempty"`
	Results           map[string]any `json:"results,omitempty"`
	Decisions         []Decision     `json:"decisions,omitempty"`
	Files             []File         `json:"files,omitempty"`
	Artifacts         []Artifact     `json:"artifacts,omitempty"`
	State             map[string]any `json:"state,omitempty"`
	Memories          []string       `json:"memories,omitempty"`
	PreviousFailures  []string       `json:"previous_failures,omitempty"`
	KnownIssues       []string       `json:"known_issues,omitempty"`
	TestCommand       string         `json:"test_command,omitempty"`
	ReproductionSteps []string       `json:"reproduction_steps,omitempty"`
	Project           *Project       `json:"project,omitempty"`
	References        []Reference    `json:"references,omitempty"`

	// Only the mailbox fills the following fields, when work goes on after a question, an amendment, a failure or a
	// return.

	Questions       []string         `json:"questions,omitempty" jsonschema_extras:"x-filled=true"`
	Answers         []Answer         `json:"answers,omitempty" jsonschema_extras:"x-filled=true"`
	Remarks         []Remark         `json:"remarks,omitempty" jsonschema_extras:"x-filled=true"`
	PartialProgress *PartialProgress `json:"partial_progress,omitempty" jsonschema_extras:"x-filled=true"`
	Checkpoint      *Checkpoint      `json:"checkpoint,omitempty" jsonschema_extras:"x-filled=true"`
}

// AllDecisions returns the decisions of a context, and those that are artifacts of the type decision.
func (c Context) AllDecisions() []Decision {
	all := slices.Clone(c.Decisions)
	for _, a := range c.Artifacts {
		if text := cmp.Or(a.Content, a.Description); strings.EqualFold(a.Type, "decision") && text != "" {
			all = append(all, Decision{Decision: text, Rationale: a.Rationale})
		}
	}
	return all
}

// Decision is a decision and its reason.
type Decision struct {
	Decision  string `json:"decision"`
	Rationale string `json:"rationale,omitempty"`
}

// Text returns the decision with its reason.
func (d Decision) Text() string {
	return strings.TrimSuffix(d.Decision+", because: "+d.Rationale, ", because: ")
}

// File points into a file of the project.
type File struct {
	Path  string `json:"path"`
	Lines string `json:"lines,omitempty"` // as 1-9
	Note  string `json:"note,omitempty"`

	Missing bool   `json:"missing,omitempty" jsonschema_extras:"x-hidden=true"` // was not there when the handoff was sent
	Digest  string `json:"digest,omitempty" jsonschema_extras:"x-hidden=true"`  // of its content then: the first 16 digits of its SHA-256
}

// Artifact is an earlier product, by path or in full.
type Artifact struct {
	Type        string `json:"type,omitempty"`
	Path        string `json:"path,omitempty" jsonschema_extras:"x-gist=true"`
	Content     string `json:"content,omitempty"`
	Description string `json:"description,omitempty"`
	Rationale   string `json:"rationale,omitempty"`
	Digest      string `json:"digest,omitempty" jsonschema_extras:"x-hidden=true"` // as of a File
}

// Project is the place of the work.
type Project struct {
	Name      string   `json:"name,omitempty"`
	Path      string   `json:"path,omitempty"`
	TechStack []string `json:"tech_stack,omitempty"`
	Branch    string   `json:"branch,omitempty"`
	Commit    string   `json:"commit,omitempty"`
	Dirty     bool     `json:"dirty,omitempty"`
}

// Reference names content that is too long for the handoff itself. The sender gives either the content, or the path of
// a file that the sender's process reads, or a URL. context://ho_1 is the text of the handoff ho_1;
// context://ho_1/artifacts/2 and context://ho_1/spec.md#Limits are parts of that handoff. The store does not fetch
// other URLs: the recipient fetches their content itself.
//
// The store keeps given content and files once, under their SHA-256. get_handoff shows them by the name of the
// reference.
type Reference struct {
	Name      string   `json:"name,omitempty"` // default: the end of the path
	URL       string   `json:"url,omitempty" jsonschema_extras:"x-gist=true,x-form='context://ho_12/detail'"`
	Content   string   `json:"content,omitempty"` // as it is
	Path      string   `json:"path,omitempty"`    // of a text file, instead
	Media     string   `json:"media,omitempty"`   // as text/markdown
	KeyPoints []string `json:"key_points,omitempty"`
	Digest    string   `json:"digest,omitempty" jsonschema_extras:"x-hidden=true"` // of content that is kept here
	Bytes     int      `json:"bytes,omitempty" jsonschema_extras:"x-hidden=true"`
	Tokens    int      `json:"tokens,omitempty" jsonschema_extras:"x-hidden=true"`    // estimated
	ReadFrom  string   `json:"read_from,omitempty" jsonschema_extras:"x-hidden=true"` // the file with the content, in the sender's project
}

// IsKept reports whether the store holds the content of the reference. It returns false after a redaction or retention
// removed the content.
func (r Reference) IsKept() bool { return strings.HasPrefix(r.Digest, "sha256:") }

// NotKept is the digest of a reference whose content was removed by a retention (the removal of old texts). The JSON
// field that reports the removal of other texts has the same name.
const NotKept = "not_kept"

// Answer is a reply to the questions of a holder.
type Answer struct {
	Questions []string  `json:"questions,omitempty"`
	Answer    string    `json:"answer"`
	From      Agent     `json:"from"`
	At        time.Time `json:"at"`
}

// Remark is a note that came with an amendment or a retry, in addition to the changed fields.
type Remark struct {
	With Action    `json:"with"` // amend or retry
	Note string    `json:"note"`
	From Agent     `json:"from"`
	At   time.Time `json:"at"`
}
