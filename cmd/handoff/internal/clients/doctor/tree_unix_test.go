//go:build unix

package doctor_test

import (
	"context"
	"testing"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/process/processtest"
)

func TestProgramThatIsTriedEndsWithAllItStarted(t *testing.T) {
	for name, examine := range map[string]func(context.Context, *world){
		"hook": func(ctx context.Context, w *world) {
			w.write(".claude/settings.json", hooks("UserPromptSubmit", "handoff hook prompt --client claude-code"))
			c, _ := client.Named("claude-code")
			doctor.Client(ctx, c, w.bench)
		},
		"version": func(ctx context.Context, w *world) {
			doctor.FindProgram(ctx, w.write("here/handoff", ""), "v1.0.0", w.bench.Machine)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			child := processtest.NewChild(t, cancel)
			w := newWorld(t)
			w.write(w.bench.Program.Path, "#!/bin/sh\n"+child.Start()+"wait")
			examine(ctx, w)
			child.RequireEnd(t)
		})
	}
}
