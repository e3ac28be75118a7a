package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/schemas"
)

const (
	schemaField = "expectations.output_schema"
	outputField = "output"

	maxSchema     = 32 << 10 // bytes
	maxSubschemas = 2000     // compile time is quadratic in their number

	location = "handoff:///output_schema" // a place from which nothing can be loaded
)

// Schema is a compiled output_schema. It may be used concurrently. A nil Schema accepts every output.
type Schema struct {
	root *jsonschema.Schema
}

// Compile compiles the JSON Schema that an output must meet: version 2020-12, or the version in $schema. It returns nil
// for an empty schema. The server calls Compile at a send and at an amendment, to refuse an unusable schema, and at a
// completion, to check the output.
//
// A schema must not refer to other documents. It has at most 32 KiB and 2,000 objects, is nested at most 100 deep, and
// has no dynamic references, because the time of a check with dynamic references cannot be predicted. The error is
// limit for a schema that is too long, and invalid for any other fault. The error has the field
// expectations.output_schema and the path in the schema.
func Compile(schema json.RawMessage) (*Schema, error) {
	if len(bytes.TrimSpace(schema)) == 0 {
		return nil, nil
	}
	if err := schemas.CheckBytes(schemaField, len(schema), maxSchema); err != nil {
		return nil, err
	}
	doc, err := decodeValue(schemaField, schema)
	if err = cmp.Or(err, checkSubschemas(doc)); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{}) // it loads nothing: a sender's schema cannot read files or use the network
	c.UseRegexpEngine(compilePattern)
	if err := c.AddResource(location, doc); err != nil {
		return nil, schemas.InternalError(err)
	}
	root, err := c.Compile(location)
	if err != nil {
		return nil, compileError(err)
	}
	return &Schema{root: root}, nil
}

// Check returns an error that lists how output violates the schema, or nil if output meets the schema. A nil Schema
// accepts every output. If a check would take more than about 200 ms, Check returns an error about the schema instead,
// because only an unreasonable schema takes that long.
//
// The error is invalid, with the field output. It names at most ten violations, each with its path in the output. A
// missing output is a violation.
func (s *Schema) Check(output json.RawMessage) error {
	if s == nil {
		return nil
	}
	if len(bytes.TrimSpace(output)) == 0 {
		return schemas.Invalidf(outputField, "this handoff declares an output_schema, and there is no output").
			WithHint("Complete it again with an output: JSON that meets the schema of this handoff.")
	}
	v, err := decodeValue(outputField, output)
	if err = cmp.Or(err, checkCost(s.root, v)); err != nil {
		return err
	}
	if violated, ok := errors.AsType[*jsonschema.ValidationError](s.root.Validate(v)); ok {
		return schemas.Invalidf(outputField, "%s", strings.Join(violationTexts(violated), "; ")).
			WithHint("Complete it again with an output that meets the schema of this handoff.")
	}
	return nil
}

// CheckOutput checks an output against its schema and returns the output to store. Some clients send a number or a list
// only as a text. So if a text violates the schema, CheckOutput also tries the JSON value in the text. The error comes
// from [Compile], or from [Schema.Check] for the output as it was sent.
func CheckOutput(schema, output json.RawMessage) (json.RawMessage, error) {
	asked, err := Compile(schema)
	if err != nil {
		return nil, err
	}
	err = asked.Check(output)
	var text string
	if err == nil || json.Unmarshal(output, &text) != nil || !json.Valid([]byte(text)) {
		return output, err
	}
	if asked.Check(json.RawMessage(text)) == nil {
		return json.RawMessage(text), nil
	}
	return output, err
}

// checkSubschemas refuses a schema with too many subschemas or with dynamic references. The time of a check with
// dynamic references has no limit. For other references, [checkCost] computes the time for each output.
func checkSubschemas(doc any) error {
	subschemas := 0
	for path, v := range nestedValues(doc) {
		obj, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if subschemas++; subschemas > maxSubschemas {
			return schemas.Invalidf(schemaField, "more than %d objects", maxSubschemas).
				WithHint("Ask for less, or describe the rest in criteria.")
		}
		for _, word := range []string{"$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"} {
			if _, ok := obj[word]; ok {
				return schemas.Invalidf(schemaField, "%s: %s is not supported", path, word).
					WithHint("Use $ref to a definition under $defs.")
			}
		}
	}
	return nil
}

// compileError returns an error that explains to the sender why a schema does not compile. It replaces texts of the
// library that mention its loader.
func compileError(err error) error {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return schemas.Invalidf(schemaField, "refers to %q, and other documents are not read",
			schemas.EscapeHidden(strings.TrimPrefix(load.URL, "handoff:///"))).
			WithHint("Put the definition under $defs and refer to it as #/$defs/NAME.")
	}
	reason := strings.ReplaceAll(err.Error(), location, "")
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if meta, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			reason = strings.Join(violationTexts(meta), "; ")
		}
	}
	return schemas.Invalidf(schemaField, "not a JSON Schema: %s", schemas.Clip(schemas.EscapeHidden(reason), 2000)).
		WithHint("Correct the schema, or leave it out and use criteria.")
}

// OutputTemplate returns an output for a model to fill in: an object with the required properties of the schema, each
// with an empty value. If the schema requires no property, the object has all properties. The template is a hint, and
// may itself violate the schema. References in the schema are ignored.
func OutputTemplate(schema json.RawMessage) json.RawMessage {
	var asked struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &asked) // it was compiled when it was sent
	blanks := map[string]string{}
	for name := range asked.Properties {
		if len(asked.Required) == 0 || slices.Contains(asked.Required, name) {
			blanks[name] = schemas.Blank
		}
	}
	if len(blanks) == 0 {
		return json.RawMessage(`"` + schemas.Blank + `"`)
	}
	b, _ := schemas.Encode(blanks) // strings can be encoded
	return b
}
