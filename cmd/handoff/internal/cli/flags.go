package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
	"handoff/tools"
)

// configuration is the annotation of a flag that the environment may set.
const configuration = "handoff_configuration"

// AllowEnvironment lets variables of the environment set these flags if the command line does not give them
// (HANDOFF_LEASE_MAX sets --lease-max). Callers must not pass flags of a single call. Otherwise a forgotten variable
// could, for example, turn a note into a redirection.
func AllowEnvironment(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) { _ = flags.SetAnnotation(f.Name, configuration, nil) }) // there is such a flag
}

// SetFlagsFromEnvironment sets the flags of a command that the command line does not give, from variables of the
// environment.
func (a *App) SetFlagsFromEnvironment(cmd *cobra.Command) error {
	var errs []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		variable := "HANDOFF_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		_, ours := f.Annotations[configuration]
		value := a.Getenv(variable)
		if !ours || f.Changed || value == "" {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			wrong := schemas.Invalidf(variable, "%w", err)
			if said, ok := errors.AsType[*schemas.Error](err); ok {
				wrong = wrong.WithHint("%s", said.Hint)
			}
			errs = append(errs, wrong)
		}
	})
	return errors.Join(errs...)
}

// LimitFlags holds the flags about limits, leases and secrets. They take effect in the owner of the store. Each command
// that sends, claims or changes handoffs has these flags, because it may own the store while it runs. Only servers show
// them in their help.
type LimitFlags struct {
	lease, leaseMax durationFlag
	limits          schemas.Limits
	secrets         secretsFlag
}

// DefineFlags binds the flags, for servers.
func (l *LimitFlags) DefineFlags(flags *pflag.FlagSet) {
	l.limits = schemas.DefaultLimits()
	l.lease, l.leaseMax = durationFlag{15 * time.Minute}, durationFlag{2 * time.Hour}
	flags.Var(&l.lease, "lease", "silence after which a claim ends")
	flags.Var(&l.leaseMax, "lease-max", "longest silence that an open connection covers")
	flags.Var((*limitFlag)(&l.limits.Task), "max-task-bytes", "size of a task text")
	flags.Var((*limitFlag)(&l.limits.Title), "max-title-bytes", "size of a title")
	flags.Var((*limitFlag)(&l.limits.Handoff), "max-handoff-bytes", "size of a handoff without references")
	flags.Var((*limitFlag)(&l.limits.Content), "max-reference-bytes", "size of the content of one reference")
	flags.Var((*limitFlag)(&l.limits.Mailbox), "max-pending", "pending handoffs of a mailbox")
	flags.Var((*limitFlag)(&l.limits.Depth), "max-handoffs", "handoffs in a chain")
	l.secrets = secretsFlag(tools.MaskSecrets)
	flags.Var(&l.secrets, "secrets", "treatment of tokens, keys and passwords in texts:  mask, warn or refuse")
	AllowEnvironment(flags)
}

// DefineHiddenFlags adds the flags to a command without showing them in its help. Users set them through the
// environment.
func (l *LimitFlags) DefineHiddenFlags(cmd *cobra.Command) {
	hidden := pflag.NewFlagSet("", pflag.ContinueOnError)
	l.DefineFlags(hidden)
	hidden.VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	cmd.Flags().AddFlagSet(hidden)
}

// secretsFlag is a flag with one of three words.
type secretsFlag tools.SecretHandling

func (s *secretsFlag) Set(word string) error {
	switch tools.SecretHandling(word) {
	case tools.MaskSecrets, tools.WarnOfSecrets, tools.RefuseSecrets:
		*s = secretsFlag(word)
		return nil
	}
	return errors.New("not mask, warn or refuse")
}
func (s *secretsFlag) String() string { return string(*s) }
func (*secretsFlag) Type() string     { return "word" }

// limitFlag is the value of a flag that must be at least one. So a user cannot turn the limit off with zero.
type limitFlag int

func (l *limitFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("not a number of 1 or more")
	}
	*l = limitFlag(n)
	return nil
}
func (l *limitFlag) String() string { return strconv.Itoa(int(*l)) }
func (*limitFlag) Type() string     { return "int" }

// durationFlag is a flag as "30 minutes" or "1h30m", above zero.
type durationFlag struct{ time.Duration }

func (d *durationFlag) Set(s string) (err error) {
	if d.Duration, err = schemas.ParseDuration("", s); err == nil && d.Duration == 0 {
		err = errors.New("no time at all")
	}
	return err
}

// Type names the value in help.
func (d *durationFlag) Type() string { return "duration" }

// Seconds is the value of a flag for a duration. A number without a unit means seconds, as in the argument
// wait_seconds. Zero is allowed.
type Seconds struct{ time.Duration }

func (s *Seconds) Set(text string) (err error) {
	given := text
	if text != "" && strings.Trim(text, "0123456789") == "" {
		given += "s"
	}
	if s.Duration, err = schemas.ParseDuration("", given); err != nil {
		return schemas.Invalidf("", "%q is not a duration", schemas.EscapeHidden(text)).
			WithHint(`Write "30 seconds", "1h30m" or a number of seconds.`)
	}
	return nil
}

// Type names the value in help.
func (s *Seconds) Type() string { return "duration" }

// notFirst is the annotation of a flag that only --help-all shows.
const notFirst = "handoff_not_first"

// helpAll is the name of the flag that shows all flags of a command.
const helpAll = "help-all"

// LimitHelpToFlags makes --help of a command show only the named flags. It adds the flag --help-all, which shows all
// flags. Shells still complete all flags.
func LimitHelpToFlags(cmd *cobra.Command, names ...string) {
	more := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(names, f.Name) || f.Hidden {
			return
		}
		_ = cmd.Flags().SetAnnotation(f.Name, notFirst, nil) // there is such a flag
		more++
	})
	cmd.Flags().BoolFunc(helpAll, "help with "+schemas.CountNoun(more, "more flag"), func(string) error { return cmd.Flags().Set("help", "true") })
}

// HelpWithoutHiddenFlags returns a help function that leaves out the flags that [LimitHelpToFlags] hides.
func HelpWithoutHiddenFlags(print func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if all := cmd.Flags().Lookup(helpAll); all != nil && !all.Changed {
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				_, later := f.Annotations[notFirst]
				f.Hidden = f.Hidden || later
			})
		}
		print(cmd, args)
	}
}
