package store

import "time"

// RuleCount counts the handoffs that time rules of files sent in one hour of the clock. There is one row, which the
// first send of the next hour replaces, so it has an entry only for rules that sent in that hour.
type RuleCount struct {
	Hour int64          `json:"hour"` // since 1970
	All  int            `json:"all"`
	Of   map[string]int `json:"of"`             // by rule
	Told []string       `json:"told,omitempty"` // workflows and rules about whose used-up limit a notice was sent
}

var ruleCountKey = []byte("ruled")

// RuleCountAt returns the count of the hour that contains now.
func (v *View) RuleCountAt(now time.Time) (RuleCount, error) {
	hour := now.Unix() / int64(time.Hour/time.Second)
	row, err := get[RuleCount](v, Sys, ruleCountKey)
	if row == nil || row.Hour != hour || row.Of == nil {
		return RuleCount{Hour: hour, Of: map[string]int{}}, err
	}
	return *row, err
}

// PutRuleCount writes the count. It replaces the count of another hour.
func (t *Tx) PutRuleCount(r RuleCount) error { return t.putJSON(Sys, ruleCountKey, r) }
