package draw

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"handoff/schemas"
	"handoff/schemas/display"
)

// SumSteps adds up the steps of a history. Of their results it adds the cost and the numbers of tokens.
func SumSteps(steps []schemas.HistoryStep) *schemas.WorkflowSums {
	all, amounts := &schemas.WorkflowSums{Handoffs: len(steps)}, map[string]schemas.ReportedSum{}
	for _, s := range steps {
		all.Seconds += s.Seconds
		if s.ReworkOf != 0 {
			all.Rounds++
		}
		if s.Done != nil {
			all.Results++
		}
		for name, value := range s.Results {
			n, err := strconv.ParseFloat(fmt.Sprint(value), 64)
			if added := name == schemas.LimitCost || strings.HasSuffix(name, "tokens"); added && err == nil && n >= 0 && n < 1e15 {
				sum := amounts[name]
				amounts[name] = schemas.ReportedSum{Name: name, Sum: math.Round((sum.Sum+n)*1e6) / 1e6, Results: sum.Results + 1}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		all.Reported = append(all.Reported, amounts[name])
	}
	return all
}

// SumsText returns sums on one line. For each amount it says how many of the results reported it.
func SumsText(s schemas.WorkflowSums) string {
	texts := []string{formatWorkTime(s.Seconds) + " of work"}
	if s.Rounds > 0 {
		texts = append(texts, schemas.CountNoun(s.Rounds, "round")+" of rework")
	}
	for _, r := range s.Reported {
		sum := strconv.FormatFloat(r.Sum, 'f', -1, 64)
		texts = append(texts, fmt.Sprintf("%s %s (%d of %d reported)", display.FitOneLine(r.Name, 40), sum, r.Results, s.Results))
	}
	return strings.Join(texts, ", ")
}
