package tools

import (
	"context"
	"encoding/json"

	"handoff/schemas"
)

// Ask makes a call whose arguments are a value of package schemas, and reads its result into such a value. Our own
// programs use it; it fills c.Args. Errors are *[schemas.Error], of code internal when the result is not what Out
// holds.
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
