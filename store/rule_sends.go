package store

import "time"

// HourlyRuleSends counts the handoffs that time rules of files sent in one hour. The store has one row, and the first
// send of the next hour replaces the row.
type HourlyRuleSends struct {
	Hour int64          `json:"hour"` // since 1970
	All  int            `json:"all"`
	Of   map[string]int `json:"of"`             // by rule
	Told []string       `json:"told,omitempty"` // workflows and rules about whose used-up limit a notice was sent
}

var hourlyRuleSendsKey = []byte("ruled")

// RuleSendsInHour returns the count of the hour that contains now. The count is zero if the row is from another hour.
func (v *View) RuleSendsInHour(now time.Time) (HourlyRuleSends, error) {
	hour := now.Unix() / int64(time.Hour/time.Second)
	row, err := getJSON[HourlyRuleSends](v, Sys, hourlyRuleSendsKey)
	if row == nil || row.Hour != hour || row.Of == nil {
		return HourlyRuleSends{Hour: hour, Of: map[string]int{}}, err
	}
	return *row, err
}

// PutHourlyRuleSends writes the count. It replaces the count of another hour.
func (t *RowTx) PutHourlyRuleSends(r HourlyRuleSends) error {
	return t.putJSON(Sys, hourlyRuleSendsKey, r)
}
