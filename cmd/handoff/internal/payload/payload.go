// Package payload reads and writes payloads, which are results that agents hand on in files ([Parse]) or logs ([Scan]).
// The format is the format of the Kelos TaskHandoff proposal. A payload is one JSON object with version, summary,
// detail and data. In a log it stands between two markers. A payload may have a later version of the format, so Parse
// keeps unknown fields.
package payload

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"handoff/cmd/handoff/internal/textformat"
	"handoff/schemas"
)

// PathVariables are the environment variables that name the file for an agent's payload. The first variable that is set
// decides.
var PathVariables = []string{"HANDOFF_PATH", "KELOS_HANDOFF_PATH"}

// DefaultPath is the path of the payload file if no variable names one. It comes from the proposal. Every user may
// write into its directory.
const DefaultPath = "/tmp/kelos-handoff.json"

// Limit is the largest size of a part of a payload, with the reason for the limit.
type Limit struct {
	Part string
	Most int
	Unit string
	Why  string
}

// The limits of a payload. They count texts in characters, as MaxLength in the schema of the proposal does.
var (
	limitSummary = Limit{"summary", schemas.MaxSummary, "characters", "every prompt that follows carries it"}
	limitDetail  = Limit{
		"detail and data together", schemas.MaxDetail, "characters", "they have to fit into one prompt beside the work itself",
	}
	limitWhole = Limit{
		"the payload as JSON", 1 << 20, "bytes",
		"stores of task objects refuse some 1.5 MB, and the longest texts fit into it however they are escaped",
	}
	Limits = []Limit{limitSummary, limitDetail, limitWhole}
)

func (l Limit) String() string {
	return fmt.Sprintf("%s: at most %d %s, because %s", l.Part, l.Most, l.Unit, l.Why)
}

// checkSize refuses a size over the limit.
func (l Limit) checkSize(size int) error {
	if size <= l.Most {
		return nil
	}
	return schemas.Errorf(schemas.Limit, "%s: %d %s, at most %d are allowed", l.Part, size, l.Unit, l.Most).
		WithHint("Write less: %s. Put the rest into a file of the repository, and name that.", l.Why)
}

// Parse reads a payload. The result has all fields, also unknown fields. It has a version of at least 1 and a summary.
// Parse converts all values of data to texts. The error says whether the text is too long, is no JSON object, or has no
// summary.
func Parse(text []byte) (said map[string]any, err error) {
	text = bytes.TrimSpace(text)
	if err := limitWhole.checkSize(len(text)); err != nil {
		return nil, err
	}
	value, err := textformat.ParseJSON(string(text))
	said, ok := value.(map[string]any)
	switch {
	case !utf8.Valid(text):
		return nil, errInvalid("", "it is not UTF-8")
	case err != nil:
		return nil, errInvalid("", "%w", err)
	case !ok:
		return nil, errInvalid("", "it is no JSON object")
	}
	return said, checkFields(said)
}

// checkFields checks and normalises the known fields. It accepts later versions.
func checkFields(said map[string]any) error {
	if said["version"] == nil {
		said["version"] = json.Number("1")
	}
	number, _ := said["version"].(json.Number)
	version, err := strconv.Atoi(number.String())
	summary, _ := said["summary"].(string)
	detail, isText := said["detail"].(string)
	data, isObject := said["data"].(map[string]any)
	switch {
	case err != nil || version < 1:
		return errInvalid("version", "is no whole number from 1 on")
	case summary == "":
		return errInvalid("summary", "is missing or no text")
	case said["detail"] != nil && !isText:
		return errInvalid("detail", "is no text")
	case said["data"] != nil && !isObject:
		return errInvalid("data", "is no object of names and texts")
	}
	size := utf8.RuneCountInString(detail)
	for name, value := range data {
		text := schemas.ValueText(value)
		data[name] = text
		size += utf8.RuneCountInString(name) + utf8.RuneCountInString(text)
		if value == nil {
			delete(data, name)
		}
	}
	return cmp.Or(limitSummary.checkSize(utf8.RuneCountInString(summary)), limitDetail.checkSize(size))
}

func errInvalid(field, format string, args ...any) error {
	return schemas.Invalidf(field, format, args...).
		WithHint(`It has to be one JSON object as {"version": 1, "summary": "…", "detail": "…", "data": {"name": "text"}}.`)
}
