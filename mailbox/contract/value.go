package contract

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/schemas"
)

// maxDepth limits how deep objects and arrays may be nested in a schema and in an output.
const maxDepth = 100 // of nested objects and arrays

// decodeValue decodes one JSON value. Numbers keep their text. It refuses long numbers, because computing with them is
// slow, and values that are nested deeper than [maxDepth]. The error is invalid, with the field and the path in the
// value.
func decodeValue(field string, raw json.RawMessage) (any, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, schemas.Invalidf(field, "not JSON: %s", schemas.EscapeHidden(err.Error()))
	}
	for path, v := range nestedValues(doc) {
		if strings.Count(path, "/") >= maxDepth {
			return nil, schemas.Invalidf(field, "nested deeper than %d", maxDepth)
		}
		if n, ok := v.(json.Number); ok && !isCheapNumber(n) {
			return nil, schemas.Invalidf(field, "%s: the number is too long", path).
				WithHint("Write it as a string.")
		}
	}
	return doc, nil
}

// isCheapNumber reports whether exact arithmetic with a number is fast: the number has at most 100 digits, and an
// exponent of at most three digits. The number 1e9999999 would be computed with millions of digits.
func isCheapNumber(n json.Number) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	return len(mantissa) <= 100 && len(strings.TrimLeft(exponent, "+-0")) <= 3
}

// nestedValues yields doc (at depth 0) and all values in it down to the depth [maxDepth], each with its JSON pointer. A
// value at the depth maxDepth shows the caller that doc is nested too deep.
func nestedValues(doc any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) { walkValues("", doc, 0, yield) }
}

// walkValues yields a value and all values inside it, depth first. It stops when yield returns false, and then returns
// false. Members of an object come in any order.
func walkValues(path string, v any, depth int, yield func(string, any) bool) bool {
	if !yield(path, v) {
		return false
	}
	if depth == maxDepth {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			if !walkValues(path+"/"+pointerEscaper.Replace(name), child, depth+1, yield) {
				return false
			}
		}
	case []any:
		for i, child := range v {
			if !walkValues(path+"/"+strconv.Itoa(i), child, depth+1, yield) {
				return false
			}
		}
	}
	return true
}

// pointerEscaper escapes a name for a JSON pointer, as in RFC 6901.
var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")
