package schemas

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits holds the limits of one call and of one workspace that flags can change. Sizes are in bytes of UTF-8. A zero
// field means its default. The limits of a summary and a detail, [MaxSummary] and [MaxDetail], are in characters. They
// are fixed, because the Kelos TaskHandoff proposal sets them: a summary stays cheap in a prompt, and a detail stays
// far below the size that object stores refuse.
type Limits struct {
	Task    int // one task text, 4 KiB
	Title   int // one title, 200 bytes
	Handoff int // one handoff, 256 KiB without the content of its references
	Content int // one reference with its content, 1 MiB
	Mailbox int // pending handoffs per mailbox, 10,000
	Depth   int // handoffs in a chain, 10
}

// The limits that no flag changes.
const (
	MaxSummary = 4096  // characters
	MaxDetail  = 65536 // characters, detail and data together
	MaxWait    = 50    // seconds that one call may wait
	MaxChain   = 1000  // handoffs that are followed along a chain with any limit
)

// MaxAmount is the largest cost, number of tokens or limit that a caller may give. It keeps sums of amounts exact
// enough.
const MaxAmount = 1e12

// The keys of options.limits of a send. LimitChain limits one chain, which is a handoff and the handoffs that continue
// it one after another. The other keys limit the whole workflow.
const (
	LimitChain    = "max_handoffs"      // from the root of a chain to its end
	LimitHandoffs = "workflow_handoffs" // in the workflow
	LimitRounds   = "rounds"            // how often work comes to the same agent in one chain
	LimitTokens   = "tokens"            // that results report, see [ReportedTokens]; estimated for other handoffs
	LimitMinutes  = "minutes"           // since the first handoff was sent
	LimitCost     = "cost_usd"          // sum of results.cost_usd
)

// WorkflowLimits are the keys of the limits of a whole workflow, in the order in which they are shown.
var WorkflowLimits = []string{LimitHandoffs, LimitRounds, LimitTokens, LimitMinutes, LimitCost}

// CheckLimits checks the limits of options.limits. It returns an error of code invalid for an unknown key, for a limit
// above [MaxAmount], and for a limit so small that it forbids even the first handoff. The error names the path
// field.KEY.
func CheckLimits(field string, limits map[string]float64) error {
	known := append([]string{LimitChain}, WorkflowLimits...)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		at, most, countable := field+"."+EscapeHidden(name), limits[name], name != LimitMinutes && name != LimitCost
		switch {
		case most > MaxAmount:
			return Invalidf(at, "%v is more than %.0f", most, MaxAmount).WithHint("Give less, or leave it out. Nothing was sent.")
		case !slices.Contains(known, name):
			return Invalidf(at, "%q is not a limit", EscapeHidden(name)).WithChoices(known...).
				WithHint("There are %s. Nothing was sent.", strings.Join(known, ", "))
		case countable && most < 1:
			return Invalidf(at, "%v leaves no room for this one", most).WithHint("Give at least 1. Nothing was sent.")
		case most <= 0:
			return Invalidf(at, "%v leaves no room for this one", most).WithHint("Give more than 0. Nothing was sent.")
		}
	}
	return nil
}

// CheckCost checks the cost in the results of finished work. The cost must be missing or a number from 0 to
// [MaxAmount], otherwise the error is of code invalid.
func CheckCost(results map[string]any) error {
	said := fmt.Sprint(results[LimitCost])
	n, err := strconv.ParseFloat(said, 64)
	if results[LimitCost] == nil || err == nil && n >= 0 && n <= MaxAmount {
		return nil
	}
	return Invalidf("results."+LimitCost, "%s is no number from 0 to %.0f", Clip(EscapeHidden(said), 40), MaxAmount).
		WithHint("Give the number alone, or leave it out. Nothing was changed.")
}

// AmountOf returns an amount of results, such as their cost, which may be a number or text. It returns 0 for a value
// that is no number from 0 to [MaxAmount].
func AmountOf(value any) float64 {
	n, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	if err != nil || !(n > 0 && n <= MaxAmount) {
		return 0
	}
	return n
}

// ReportedTokens returns the number of tokens that results report: their tokens or total_tokens, else the sum of all
// amounts whose names end in _tokens, such as input_tokens and output_tokens. It returns 0 if they report none.
func ReportedTokens(results map[string]any) float64 {
	sum := 0.0
	for name, value := range results {
		if strings.HasSuffix(name, "_tokens") {
			sum += AmountOf(value)
		}
	}
	return cmp.Or(AmountOf(results[LimitTokens]), AmountOf(results["total_tokens"]), sum)
}

// DefaultLimits returns the limits that apply if no flag changes them.
func DefaultLimits() Limits {
	return Limits{Task: 4096, Title: 200, Handoff: 256 << 10, Content: 1 << 20, Mailbox: 10_000, Depth: 10}
}

// OrDefault returns the limits with each zero field replaced by its default.
func (l Limits) OrDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Task: cmp.Or(l.Task, d.Task), Title: cmp.Or(l.Title, d.Title), Handoff: cmp.Or(l.Handoff, d.Handoff), Content: cmp.Or(l.Content, d.Content),
		Mailbox: cmp.Or(l.Mailbox, d.Mailbox), Depth: cmp.Or(l.Depth, d.Depth),
	}
}

// CheckBytes returns an error if a field has more bytes than its limit.
func CheckBytes(field string, size, limit int) error { return checkSize(field, size, limit, "bytes") }

// CheckCharacters returns an error if a field has more characters than its limit.
func CheckCharacters(field string, size, limit int) error {
	return checkSize(field, size, limit, "characters")
}

func checkSize(field string, size, limit int, unit string) error {
	if size <= limit {
		return nil
	}
	e := Errorf(Limit, "%d %s, at most %d are allowed", size, unit, limit)
	if e = e.WithField(field); limit < 1024 { // a name or another short field
		return e.WithHint("Shorten it.")
	}
	return e.WithHint("Shorten it, or put it into a file of the project: a handoff sends it along by its path, as a reference of its " +
		"context, and a completion names it among its deliverables.")
}
