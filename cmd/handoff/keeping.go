package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
)

// keeping are the flags about limits and leases. They belong to the workspace rather than to one process, so
// each command that may send, claim or change a handoff takes them; only the server shows them.
type keeping struct {
	lease, leaseMax duration
	limits          schemas.Limits
}

func (k *keeping) bind(flags *pflag.FlagSet) {
	d := schemas.DefaultLimits()
	k.lease, k.leaseMax = duration{15 * time.Minute}, duration{2 * time.Hour}
	flags.Var(&k.lease, "lease", "silence after which a claim ends")
	flags.Var(&k.leaseMax, "lease-max", "longest silence that an open connection covers")
	flags.IntVar(&k.limits.Task, "max-task-bytes", d.Task, "size of a task text")
	flags.IntVar(&k.limits.Title, "max-title-bytes", d.Title, "size of a title")
	flags.IntVar(&k.limits.Handoff, "max-handoff-bytes", d.Handoff, "size of a handoff without references")
	flags.IntVar(&k.limits.Reference, "max-reference-bytes", d.Reference, "size of a stored reference")
	flags.IntVar(&k.limits.Mailbox, "max-pending", d.Mailbox, "pending handoffs of a mailbox")
	flags.IntVar(&k.limits.Depth, "max-handoffs", d.Depth, "handoffs in a chain")
}

// check refuses what would turn the limits off or around.
func (k *keeping) check() error {
	l := k.limits
	for _, n := range []int{l.Task, l.Title, l.Handoff, l.Reference, l.Mailbox, l.Depth} {
		if n < 0 {
			return schemas.Errorf(schemas.Invalid, "a limit of %d is less than nothing", n).
				WithHint("Give the flags --max-… a positive number; 0 is their default.")
		}
	}
	return nil
}

// bindHidden adds them to a command without showing them.
func (k *keeping) bindHidden(cmd *cobra.Command) {
	hidden := pflag.NewFlagSet("", pflag.ContinueOnError)
	k.bind(hidden)
	hidden.VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	cmd.Flags().AddFlagSet(hidden)
}

// duration is a flag as "30 minutes" or "1h30m".
type duration struct{ time.Duration }

func (d *duration) Set(s string) (err error) {
	d.Duration, err = schemas.ParseDuration("", s)
	return err
}

// Type names the value in help.
func (d *duration) Type() string { return "duration" }

// seconds is a duration whose bare number are seconds, as in wait_seconds.
type seconds struct{ duration }

func (s *seconds) Set(text string) error {
	if onlyDigits(text) {
		text += "s"
	}
	return s.duration.Set(text)
}

func onlyDigits(text string) bool {
	for _, r := range text {
		if r < '0' || r > '9' {
			return false
		}
	}
	return text != ""
}
