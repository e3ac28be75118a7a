package store

import "time"

// RuleCount counts what the rules of files sent because of time in one hour of the clock. There is one row, which the first
// send of the next hour replaces, so it has as many entries as rules that sent something in that hour.
type RuleCount struct {
	Hour int64          `json:"hour"` // since 1970
	All  int            `json:"all"`
	Of   map[string]int `json:"of"`             // by rule
	Told []string       `json:"told,omitempty"` // the workflows and rules of which it was told that they have nothing left
}

var ruleCountKey = []byte("ruled")

// RuleCountAt returns what rules sent because of time in the hour of a moment.
func (v *View) RuleCountAt(now time.Time) (RuleCount, error) {
	hour := now.Unix() / int64(time.Hour/time.Second)
	row, err := get[RuleCount](v, Sys, ruleCountKey)
	if row == nil || row.Hour != hour || row.Of == nil {
		return RuleCount{Hour: hour, Of: map[string]int{}}, err
	}
	return *row, err
}

// PutRuleCount writes what rules sent because of time, in the place of what was counted in another hour.
func (t *Tx) PutRuleCount(r RuleCount) error { return t.putJSON(Sys, ruleCountKey, r) }
