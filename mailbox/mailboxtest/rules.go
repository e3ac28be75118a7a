package mailboxtest

import (
	"fmt"
	"slices"

	"handoff/schemas"
)

// DeclareRules declares rules in a file of the project. A person permits these rules.
func (w *World) DeclareRules(routes []schemas.Route, plans ...schemas.Plan) schemas.DeclareOut {
	w.T.Helper()
	return Must(w.T, w.Declare, schemas.Caller{Via: schemas.ViaCLI}, schemas.DeclareIn{
		Leave: true,
		Files: []schemas.DeclaringFile{{Name: "shop/agents.yaml", Routes: routes, Plans: plans}},
	})
}

// RuleSend returns a send as it stands in a rule.
func RuleSend(address, task string) schemas.SendIn { return schemas.SendIn{To: address, Task: task} }

// PlanStep returns a step of a plan. The task of the step contains the name of the step, the task of the root handoff
// and the summary of the step before.
func PlanStep(name, address string, changes ...func(*schemas.PlanStep)) schemas.PlanStep {
	return withChanges(schemas.PlanStep{Step: name, SendIn: RuleSend(address, name+" {{root.task}}: {{outcome.summary}}")}, changes)
}

// StepsInOrder returns the steps of a plan in which each step follows the one before.
func StepsInOrder(steps ...schemas.PlanStep) [][]schemas.PlanStep {
	return schemas.Map(steps, func(s schemas.PlanStep) []schemas.PlanStep { return []schemas.PlanStep{s} })
}

// SentByRules returns the handoffs that rules of files sent, each as its address, state and title, oldest first.
func (w *World) SentByRules() (all []string) {
	w.T.Helper()
	out := Must(w.T, w.List, Human, schemas.ListIn{Box: "all", Limit: 100})
	for _, it := range slices.Backward(out.Items) {
		if it.From == schemas.System {
			all = append(all, fmt.Sprintf("%s %s %s", it.To, it.Status, it.Title))
		}
	}
	return all
}
