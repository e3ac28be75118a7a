package store

import "context"

// Progress is told how far something is that reads a whole store: how many of what are done, and how many there are,
// zero where that is not known. It is called every thousand rows or so, by one goroutine, and returns at once.
type Progress func(what string, done, all uint64)

type progressKey struct{}

// WithProgress has [Store.Audit], [Store.Check], [Store.Verify] and [Copy.Run] tell how far they are. It is in the
// context because the layers between need not know of it; a process that asks another one to do the work hears nothing.
func WithProgress(ctx context.Context, tell Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

// ProgressOf gives who is to be told by a context. It is never nil.
func ProgressOf(ctx context.Context) Progress {
	if tell, ok := ctx.Value(progressKey{}).(Progress); ok {
		return tell
	}
	return func(string, uint64, uint64) {}
}
