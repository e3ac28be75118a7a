package tools

import (
	"context"
	"encoding/json"

	"handoff/schemas"
)

// Ask makes a call with arguments that are given as a value, and reads its result. Errors are *[schemas.Error].
func Ask[Out any](ctx context.Context, i Invoker, c Call, in any) (out Out, err error) {
	if c.Args, err = json.Marshal(in); err != nil {
		return out, schemas.InternalError(err)
	}
	result, err := i.Invoke(ctx, c)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(result, &out); err != nil {
		return out, schemas.InternalError(err)
	}
	return out, nil
}
