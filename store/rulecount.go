package store

import "time"

// TimedSendCount counts the handoffs that time rules of files sent in one hour. The store has one row, and the first
// send of the next hour replaces the row.
type TimedSendCount struct {
	Hour int64          `json:"hour"` // since 1970
	All  int            `json:"all"`
	Of   map[string]int `json:"of"`             // by rule
	Told []string       `json:"told,omitempty"` // workflows and rules about whose used-up limit a notice was sent
}

var timedSendCountKey = []byte("ruled")

// TimedSendCount returns the count of the hour that contains now. The count is zero if the row is from another hour.
func (v *View) TimedSendCount(now time.Time) (TimedSendCount, error) {
	hour := now.Unix() / int64(time.Hour/time.Second)
	row, err := getJSON[TimedSendCount](v, Sys, timedSendCountKey)
	if row == nil || row.Hour != hour || row.Of == nil {
		return TimedSendCount{Hour: hour, Of: map[string]int{}}, err
	}
	return *row, err
}

// PutTimedSendCount writes the count. It replaces the count of another hour.
func (t *Tx) PutTimedSendCount(r TimedSendCount) error { return t.putJSON(Sys, timedSendCountKey, r) }
