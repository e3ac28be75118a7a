package schemas

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Code classifies an error for programs. [Codes] holds what edges need to know of each.
type Code string

// The codes.
const (
	Invalid     Code = "invalid"     // the call itself is wrong; change it
	NotFound    Code = "not_found"   // what the call names does not exist
	Conflict    Code = "conflict"    // the state of the handoff does not allow it
	Stale       Code = "stale"       // the claim was lost: a newer claim exists or the handoff ended
	Limit       Code = "limit"       // a size, depth or rate limit
	Denied      Code = "denied"      // somebody else may do this
	Unavailable Code = "unavailable" // not now: try again, or see the message
	Internal    Code = "internal"    // a bug or a broken disk; details are in the log
)

// Handling is what the edges make of a code.
type Handling struct {
	Exit int                     // exit status of the command line
	HTTP int                     // status of a response that carries nothing but the error
	Hint string                  // default for [Error.Hint]
	Next func(about ID) []Advice // default for [Error.Next], see [Error.Advised]; nil for none
}

// Codes is the one table from code to consequence.
var Codes = map[Code]Handling{
	Invalid:     {Exit: 2, HTTP: http.StatusBadRequest},
	NotFound:    {Exit: 3, HTTP: http.StatusNotFound, Next: adviseList},
	Conflict:    {Exit: 5, HTTP: http.StatusConflict, Next: adviseGet},
	Stale:       {Exit: 5, HTTP: http.StatusConflict, Next: adviseClaim},
	Limit:       {Exit: 1, HTTP: http.StatusTooManyRequests},
	Denied:      {Exit: 4, HTTP: http.StatusForbidden},
	Unavailable: {Exit: 7, HTTP: http.StatusServiceUnavailable},
	Internal: {
		Exit: 1, HTTP: http.StatusInternalServerError,
		Hint: "The server's log has the details; read before repeating.",
	},
}

func adviseList(ID) []Advice { return []Advice{Call(ListIn{Box: "all"}, "shows what exists")} }

func adviseGet(about ID) []Advice {
	if about == 0 {
		return nil
	}
	return []Advice{Call(GetIn{HandoffID: about.String()}, "shows where it stands")}
}

func adviseClaim(ID) []Advice { return []Advice{Call(ClaimIn{}, "takes the next one")} }

// Error is what a caller reads when a call is refused: what was wrong, where, and the way out.
// A refused call changed nothing, unless the message says what was kept; one that broke, as [Internal] says,
// may have.
type Error struct {
	Code      Code     `json:"code"`
	Message   string   `json:"message"`
	Field     string   `json:"field,omitempty"`      // path of the argument, as context.files[0].path
	Hint      string   `json:"hint,omitempty"`       // the way out in words, for every surface
	Next      []Advice `json:"next,omitempty"`       // the calls that lead out
	Known     []string `json:"known,omitempty"`      // valid choices, closest first
	Handoff   ID       `json:"handoff_id,omitempty"` // the handoff concerned
	Status    Status   `json:"status,omitempty"`     // where it stands
	Successor ID       `json:"successor,omitempty"`  // the handoff that took its place

	// RetryAfter is after how many seconds the same call may succeed; zero for an error that time does not mend.
	RetryAfter int `json:"retry_after_seconds,omitempty"`

	cause error
}

func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Unwrap gives the cause, which is for logs and never for callers.
func (e *Error) Unwrap() error { return e.cause }

// LogValue is what a log keeps: of an error whose message hides the cause, the cause as well.
func (e *Error) LogValue() slog.Value {
	if e.Code == Internal && e.cause != nil {
		return slog.StringValue(e.Error() + ": " + e.cause.Error())
	}
	return slog.StringValue(e.Error())
}

// Errorf makes an error with the default hint of its code.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Hint: Codes[code].Hint, cause: errors.Unwrap(err)}
}

// PersonField is the field of an error whose only fault is that nothing proves that a person calls.
const PersonField = "person"

// PersonNeeded refuses what only a person may do, to a caller that calls itself one.
func PersonNeeded(format string, args ...any) *Error {
	return Errorf(Denied, format, args...).WithField(PersonField).
		WithHint("Nothing proves that a person calls: say it at a terminal, where it is asked once more.")
}

// Invalidf makes an error about one argument.
func Invalidf(field, format string, args ...any) *Error {
	return Errorf(Invalid, format, args...).WithField(field)
}

// InternalError hides cause from the caller and keeps it for the log.
func InternalError(cause error) *Error {
	return Errorf(Internal, "the server could not do this").Because(cause)
}

// Because sets the cause, of which callers are told nothing.
func (e *Error) Because(cause error) *Error {
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

// WithKnown sets the valid choices.
func (e *Error) WithKnown(known ...string) *Error {
	e.Known = known
	return e
}

// MaxNamed is how many agents, sessions or handoffs an error or a warning names.
const MaxNamed = 20

// WithAgents sets the valid choices: of these agents the first [MaxNamed].
func (e *Error) WithAgents(known []Agent) *Error {
	return e.WithKnown(Texts(known[:min(len(known), MaxNamed)])...)
}

// After sets when the same call may succeed, in whole seconds and at least one.
func (e *Error) After(wait time.Duration) *Error {
	e.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
	return e
}

// About sets the handoff concerned, where it stands, and what took its place.
func (e *Error) About(id ID, status Status, successor ID) *Error {
	e.Handoff, e.Status, e.Successor = id, status, successor
	return e
}

// Advised gives the error as whoever made the call reads it: with what its code advises, where it does not say
// itself what to do, and with its calls in the name under which the call was made, if it named one.
func (e *Error) Advised(as Agent) *Error {
	advised := *e
	if byCode := Codes[e.Code].Next; byCode != nil && e.Hint == "" && e.Next == nil {
		advised.Next = byCode(e.Handoff)
	}
	advised.Next = AdviceAs(as, advised.Next)
	return &advised
}

// IgnoreError gives an error, or nil where it is a certain one.
func IgnoreError(which, err error) error {
	if errors.Is(err, which) {
		return nil
	}
	return err
}

// AsError gives the coded error within err, or an internal one that wraps it. It gives nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return InternalError(err)
}

// Within puts the field of an error below another; nil stays nil.
func Within(field string, err error) error {
	if err == nil {
		return nil
	}
	e := AsError(err)
	return e.WithField(strings.TrimSuffix(field+"."+e.Field, "."))
}
