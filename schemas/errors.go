package schemas

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Code classifies an error, so that programs can act on it. [Codes] lists the exit status, HTTP status and hint of each
// code.
type Code string

// The codes.
const (
	Invalid     Code = "invalid"     // the call itself is wrong; change it
	NotFound    Code = "not_found"   // the call names something that does not exist
	Conflict    Code = "conflict"    // the state of the handoff does not allow it
	Stale       Code = "stale"       // the claim was lost: a newer claim exists or the handoff ended
	Limit       Code = "limit"       // a size, depth or rate limit
	Denied      Code = "denied"      // another agent or person may do this
	Unavailable Code = "unavailable" // not now: try again, or see the message
	Internal    Code = "internal"    // a bug or a broken disk; details are in the log
	Unfinished  Code = "unfinished"  // no error: a wait whose caller polls is not over, see [Caller]; no agent sees it
)

// CodeHandling holds the exit status, the HTTP status and the defaults of errors with a code.
type CodeHandling struct {
	Exit int                     // exit status of the command line
	HTTP int                     // status of a response that carries only the error
	Hint string                  // default for [Error.Hint]
	Next func(about ID) []Advice // default for [Error.Next], see [Error.WithDefaultAdvice]; nil for none
}

// Codes maps each code to its handling.
var Codes = map[Code]CodeHandling{
	Invalid:     {Exit: 2, HTTP: http.StatusBadRequest},
	NotFound:    {Exit: 3, HTTP: http.StatusNotFound, Next: adviseList},
	Conflict:    {Exit: 5, HTTP: http.StatusConflict, Next: adviseGet},
	Stale:       {Exit: 5, HTTP: http.StatusConflict, Next: adviseClaim},
	Limit:       {Exit: 1, HTTP: http.StatusTooManyRequests},
	Denied:      {Exit: 4, HTTP: http.StatusForbidden},
	Unfinished:  {Exit: 1, HTTP: http.StatusAccepted},
	Unavailable: {Exit: 7, HTTP: http.StatusServiceUnavailable},
	Internal: {
		Exit: 1, HTTP: http.StatusInternalServerError,
		Hint: "The server's log has the details; read before repeating.",
	},
}

func adviseList(ID) []Advice { return []Advice{AdviseCall(ListIn{Box: "all"}, "shows what exists")} }

func adviseGet(about ID) []Advice {
	if about == 0 {
		return nil
	}
	return []Advice{AdviseCall(GetIn{HandoffID: about.String()}, "shows where it stands")}
}

func adviseClaim(ID) []Advice { return []Advice{AdviseCall(ClaimIn{}, "takes the next one")} }

// Error is the answer to a refused call: what is wrong, which argument it concerns, and what the caller can do. A
// refused call changed nothing. There are two exceptions: the message says that something was kept, or the call failed
// with [Internal] and may have changed something.
type Error struct {
	Code      Code     `json:"code"`
	Message   string   `json:"message"`
	Field     string   `json:"field,omitempty"`      // path of the argument, such as context.files[0].path
	Hint      string   `json:"hint,omitempty"`       // the way out in words, for every surface
	Next      []Advice `json:"next,omitempty"`       // the calls that lead out
	Known     []string `json:"known,omitempty"`      // valid choices, closest first
	Handoff   ID       `json:"handoff_id,omitempty"` // the handoff concerned
	Status    Status   `json:"status,omitempty"`     // its status
	Successor ID       `json:"successor,omitempty"`  // the handoff that took its place

	// RetryAfter is the number of seconds after which the same call may succeed, or zero if waiting does not help.
	RetryAfter int `json:"retry_after_seconds,omitempty"`

	Person *PersonRequest `json:"person,omitempty"` // what a wait that is not over needs of a person; nil for nothing

	cause error
}

// PersonRequest is what a handoff needs of a person before it can go on.
type PersonRequest struct {
	Key     string `json:"key"` // of no other request
	Handoff ID     `json:"handoff_id"`
	Action  Action `json:"action"` // approve or answer
	Text    string `json:"text"`   // the question
}

// Error returns the field and the message. A message about several fields begins with the field itself.
func (e *Error) Error() string {
	if e.Field != "" && !strings.HasPrefix(e.Message, e.Field+": ") {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Unwrap returns the cause. It is for logs; callers of a tool never see it.
func (e *Error) Unwrap() error { return e.cause }

// LogValue returns the text for a log. If callers do not see the cause in the message, LogValue adds the cause.
func (e *Error) LogValue() slog.Value {
	if e.Code == Internal && e.cause != nil {
		return slog.StringValue(e.Error() + ": " + e.cause.Error())
	}
	return slog.StringValue(e.Error())
}

// Errorf returns an error with the default hint of its code.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Hint: Codes[code].Hint, cause: errors.Unwrap(err)}
}

// PersonField is the value of Field in an error about a valid call that only a person may make.
const PersonField = "person"

// PersonNeededf returns the error for a call that only a person may make, if nothing proves that the caller is a
// person.
func PersonNeededf(format string, args ...any) *Error {
	return Errorf(Denied, format, args...).WithField(PersonField).
		WithHint("Nothing proves that a person calls: say it at a terminal, where it is asked once more.")
}

// Invalidf returns an error about one argument.
func Invalidf(field, format string, args ...any) *Error {
	return Errorf(Invalid, format, args...).WithField(field)
}

// InternalError returns an internal error for a cause. Callers do not see the cause, and the log shows it.
func InternalError(cause error) *Error {
	return Errorf(Internal, "the server could not do this").WithCause(cause)
}

// WithCause sets the cause, which callers never see.
func (e *Error) WithCause(cause error) *Error {
	e.cause = cause
	return e
}

// WithHint sets the way out in words.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithNext sets the calls that lead out.
func (e *Error) WithNext(next ...Advice) *Error {
	e.Next = next
	return e
}

// WithField sets the argument concerned.
func (e *Error) WithField(field string) *Error {
	e.Field = field
	return e
}

// WithChoices sets the valid choices.
func (e *Error) WithChoices(known ...string) *Error {
	e.Known = known
	return e
}

// MaxNamed is the largest number of agents, sessions or handoffs that one error or warning lists by name.
const MaxNamed = 20

// WithAgentChoices sets the valid choices: the first [MaxNamed] of these agents.
func (e *Error) WithAgentChoices(known []Agent) *Error {
	return e.WithChoices(FormatAll(known[:min(len(known), MaxNamed)])...)
}

// WithRetryAfter sets RetryAfter, the time after which the same call may succeed. The time is rounded to whole seconds
// and is at least one second.
func (e *Error) WithRetryAfter(wait time.Duration) *Error {
	e.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
	return e
}

// WithHandoff sets the handoff concerned, its status, and its successor.
func (e *Error) WithHandoff(id ID, status Status, successor ID) *Error {
	e.Handoff, e.Status, e.Successor = id, status, successor
	return e
}

// WithDefaultAdvice returns the error with the advised calls of its code, if it has neither a hint nor advised calls.
// If the call named an agent, each advised call names the same agent.
func (e *Error) WithDefaultAdvice(as Agent) *Error {
	advised := *e
	if byCode := Codes[e.Code].Next; byCode != nil && e.Hint == "" && e.Next == nil {
		advised.Next = byCode(e.Handoff)
	}
	advised.Next = AdviceWithAgent(as, advised.Next)
	return &advised
}

// IgnoreError returns nil if err is or wraps the error which. Otherwise it returns err.
func IgnoreError(which, err error) error {
	if errors.Is(err, which) {
		return nil
	}
	return err
}

// AsError returns the [Error] that err is or wraps, or else an internal error that wraps err. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return InternalError(err)
}

// PrefixField adds a parent field and a dot before the field of an error. It returns nil for nil.
func PrefixField(field string, err error) error {
	if err == nil {
		return nil
	}
	e := AsError(err)
	return e.WithField(strings.TrimSuffix(field+"."+e.Field, "."))
}
