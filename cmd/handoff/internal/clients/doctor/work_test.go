package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// after looks at the work when some time has passed.
func (b box) after(d time.Duration) []doctor.Finding {
	b.t.Helper()
	return doctor.Work(b.t.Context(), doctor.Desk{Boxes: b.boxes, Now: noon.Add(d), Shell: doctor.Shell{Place: " --workspace w"}})
}

func TestWorkThatGoesOnIsOK(t *testing.T) {
	b := newBox(t)
	b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it"}`)
	b.do("qa", "claim_handoff", `{}`)
	b.do("dev", "send_handoff", `{"to": "nobody", "task": "Test that"}`)
	requireFinding(t, b.after(time.Minute), doctor.OK, "2 handoffs under way", "")
}

func TestWorkThatIsStuckIsToldWithItsRemedy(t *testing.T) {
	for name, tt := range map[string]struct {
		make   func(b box)
		lease  time.Duration
		after  time.Duration
		says   string
		remedy string
	}{
		"mail for a name that nobody has": {
			make:  func(b box) { b.do("dev", "send_handoff", `{"to": "nobody", "task": "Test it"}`) },
			after: time.Hour,
			says:  "ho_1 waits for nobody since 1h", remedy: "handoff agents --workspace w",
		},
		"a claim that is over": {
			make: func(b box) {
				b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it"}`)
				b.do("qa", "claim_handoff", `{}`)
			},
			after: 40 * time.Minute,
			says:  "ho_1 is held by qa for 10m longer", remedy: "handoff update 1 --release --agent dev --workspace w",
		},
		"a holder of whom nothing is seen": {
			make: func(b box) {
				b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it"}`)
				b.do("qa", "claim_handoff", `{}`)
			},
			lease: time.Hour,
			after: 40 * time.Minute,
			says:  "nothing was seen for 40m", remedy: "handoff update 1 --release --agent dev --workspace w",
		},
		"a question": {
			make: func(b box) {
				b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it"}`)
				b.do("qa", "claim_handoff", `{}`)
				b.do("qa", "update_handoff", `{"handoff_id": "ho_1", "action": "ask", "questions": ["Which one?"]}`)
			},
			after: 2 * time.Hour,
			says:  "ho_1 waits for dev to answer what qa asked", remedy: "handoff show 1 --workspace w",
		},
		"approval": {
			make: func(b box) {
				b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it", "options": {"needs_approval": true}}`)
			},
			after: 2 * time.Hour,
			says:  "ho_1 waits for a person to approve it since 2h", remedy: "handoff approve 1 --workspace w",
		},
		"a handoff that will not be completed": {
			make: func(b box) {
				b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it"}`)
				b.do("dev", "send_handoff", `{"to": "ops", "task": "Ship it", "options": {"after": ["ho_1"]}}`)
				b.do("dev", "update_handoff", `{"handoff_id": "ho_1", "action": "cancel"}`)
			},
			says: "ho_2 waits for ho_1, which is cancelled", remedy: "handoff retry ho_1 --agent dev --workspace w",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoxWith(t, tt.lease)
			tt.make(b)
			requireFinding(t, b.after(tt.after), doctor.Warning, tt.says, tt.remedy)
		})
	}
}

// Only the owner of a workflow may take a claim back, and only the sender of a handoff may run it again.
func TestRemedyOfStuckWorkActsAsWhoMay(t *testing.T) {
	b := newBoxWith(t, time.Hour)
	b.do("boss", "send_handoff", `{"to": "dev", "task": "Ship it"}`)
	b.do("dev", "claim_handoff", `{}`)
	b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it", "parent": "ho_1"}`)
	b.do("qa", "claim_handoff", `{}`)
	all := b.after(40 * time.Minute)
	requireRemedy(t, all, doctor.Warning, "ho_2 is held by qa", "handoff update 2 --release --agent boss --workspace w")
	b.do("boss", "update_handoff", `{"handoff_id": "2", "action": "release"}`)
	requireNone(t, b.after(40*time.Minute), "ho_2 is held")

	b.do("dev", "send_handoff", `{"to": "ops", "task": "Tell of it", "options": {"after": ["ho_2"]}}`)
	b.do("boss", "update_handoff", `{"handoff_id": "ho_2", "action": "cancel"}`)
	requireRemedy(t, b.after(time.Minute), doctor.Warning, "ho_3 waits for ho_2", "handoff retry ho_2 --agent dev --workspace w")
	b.do("dev", "update_handoff", `{"handoff_id": "ho_2", "action": "retry"}`)
	requireNone(t, b.after(time.Minute), "waits for ho_2")
}

// Who holds a handoff of its own would have to prove that, so it is only shown.
func TestAClaimOfTheOwnerIsShown(t *testing.T) {
	b := newBoxWith(t, time.Hour)
	b.do("dev", "send_handoff", `{"to": "dev", "task": "Test it"}`)
	b.do("dev", "claim_handoff", `{}`)
	requireRemedy(t, b.after(40*time.Minute), doctor.Warning, "ho_1 is held by dev", "handoff show 1 --workspace w")
}

func TestMuchThatIsStuckIsToldInTenLines(t *testing.T) {
	b := newBox(t)
	for n := range 14 {
		b.do("dev", "send_handoff", fmt.Sprintf(`{"to": "nobody-%d", "task": "Test it"}`, n))
	}
	all := b.after(time.Hour)
	require.Len(t, all, 11)
	requireFinding(t, all[10:], doctor.Warning, "and 4 more", "handoff list --stuck --workspace w")
}
