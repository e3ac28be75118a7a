package relay

// Versions is the range of versions of the protocol that a program speaks, both ends included.
type Versions struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// common is the highest version that both speak.
func (v Versions) common(w Versions) (version int, ok bool) {
	version = min(v.Max, w.Max)
	return version, version >= max(v.Min, w.Min)
}
