package compose

import (
	"cmp"

	"handoff/schemas"
)

// WithContext adds to a context what a holder says that the next one is to know. What fits a field of the context that
// nobody filled becomes that field, and anything else becomes part of the state under its name. C is not changed. All
// goes by way of JSON, so what fits a field is what decoding takes for it. The error is that of encoding or decoding.
func WithContext(c *schemas.Context, more map[string]any) (*schemas.Context, error) {
	if len(more) == 0 {
		return c, nil
	}
	have, said := *cmp.Or(c, &schemas.Context{}), map[string]any{}
	if err := schemas.Recast(have, &said); err != nil {
		return nil, err
	}
	state := map[string]any{}
	for name, value := range more {
		if said[name] == nil && fitsContext(name, value) {
			said[name] = value
		} else {
			state[name] = value
		}
	}
	var both schemas.Context
	if err := schemas.Recast(said, &both); err != nil {
		return nil, err
	}
	mergeMap(&both.State, have.State)
	mergeMap(&both.State, state)
	return &both, nil
}

// fitsContext tells whether a value is one that a sender may give for a field of the context. A value that JSON leaves
// out as empty fits none.
func fitsContext(name string, value any) bool {
	var c schemas.Context
	if schemas.Recast(map[string]any{name: value}, &c) != nil {
		return false
	}
	// The mailbox fills these.
	c.Questions, c.Answers, c.Remarks, c.PartialProgress, c.Checkpoint = nil, nil, nil, nil, nil
	kept := map[string]any{}
	return schemas.Recast(c, &kept) == nil && kept[name] != nil
}
