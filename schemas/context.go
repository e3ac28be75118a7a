package schemas

import (
	"strings"
	"time"
)

// Context is what is already known. The sender writes it, and the brief shows it to whoever claims, within the budget
// of tokens. Its fields are those of the agent handoff protocols and of the explicit handoff coordination plan.
//
// The last five are filled by the mailbox when work goes on after a question, an amendment, a failure or a return: as
// arguments they are refused.
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

	// The following are filled by the mailbox when work goes on after a question, a failure or a return.

	Questions       []string         `json:"questions,omitempty" jsonschema_extras:"x-filled=true"`
	Answers         []Answer         `json:"answers,omitempty" jsonschema_extras:"x-filled=true"`
	Remarks         []Remark         `json:"remarks,omitempty" jsonschema_extras:"x-filled=true"`
	PartialProgress *PartialProgress `json:"partial_progress,omitempty" jsonschema_extras:"x-filled=true"`
	Checkpoint      *Checkpoint      `json:"checkpoint,omitempty" jsonschema_extras:"x-filled=true"`
}

// Decision is what was decided and why.
type Decision struct {
	Decision  string `json:"decision"`
	Rationale string `json:"rationale,omitempty"`
}

// File points into a file of the project.
type File struct {
	Path  string `json:"path"`
	Lines string `json:"lines,omitempty"` // as 1-9
	Note  string `json:"note,omitempty"`

	Missing bool   `json:"missing,omitempty" jsonschema_extras:"x-hidden=true"` // was not there when it was sent
	Digest  string `json:"digest,omitempty" jsonschema_extras:"x-hidden=true"`  // of its content then: the first 16 digits of its SHA-256
}

// Artifact is something made before, by path or in full.
type Artifact struct {
	Type        string `json:"type,omitempty"`
	Path        string `json:"path,omitempty" jsonschema_extras:"x-gist=true"`
	Content     string `json:"content,omitempty"`
	Description string `json:"description,omitempty"`
	Rationale   string `json:"rationale,omitempty"`
}

// Project is where the work happens.
type Project struct {
	Name      string   `json:"name,omitempty"`
	Path      string   `json:"path,omitempty"`
	TechStack []string `json:"tech_stack,omitempty"`
	Branch    string   `json:"branch,omitempty"`
	Commit    string   `json:"commit,omitempty"`
	Dirty     bool     `json:"dirty,omitempty"`
}

// Reference names content that is too long to send along. The sender gives the content itself, the path of a file that
// its own process reads, or a URL: context://ho_1 is what was sent with a handoff, context://ho_1/artifacts/2 and
// context://ho_1/spec.md#Limits are parts of that, and content of other addresses is the receiver's to fetch.
//
// What was sent as content or path is kept once, under its SHA-256, and read under the name, by get_handoff.
type Reference struct {
	Name      string   `json:"name,omitempty"` // default: the end of the path
	URL       string   `json:"url,omitempty" jsonschema_extras:"x-gist=true,x-form='context://ho_12/detail'"`
	Content   string   `json:"content,omitempty"` // as it is
	Path      string   `json:"path,omitempty"`    // of a text file, instead
	Media     string   `json:"media,omitempty"`   // as text/markdown
	KeyPoints []string `json:"key_points,omitempty"`
	Digest    string   `json:"digest,omitempty" jsonschema_extras:"x-hidden=true"` // of content that is kept here
	Bytes     int      `json:"bytes,omitempty" jsonschema_extras:"x-hidden=true"`
	Tokens    int      `json:"tokens,omitempty" jsonschema_extras:"x-hidden=true"` // estimated
}

// IsKept tells whether the content of a reference is kept here: it is not after it was redacted.
func (r Reference) IsKept() bool { return strings.HasPrefix(r.Digest, "sha256:") }

// NotKept is the digest of a reference whose content a retention let go of, and the name of a field that says so of what
// was sent.
const NotKept = "not_kept"

// Answer is a reply to the questions of a holder.
type Answer struct {
	Questions []string  `json:"questions,omitempty"`
	Answer    string    `json:"answer"`
	From      Agent     `json:"from"`
	At        time.Time `json:"at"`
}

// Remark is what was said with an amendment or a retry, beside what that changed.
type Remark struct {
	With Action    `json:"with"` // amend or retry
	Note string    `json:"note"`
	From Agent     `json:"from"`
	At   time.Time `json:"at"`
}
