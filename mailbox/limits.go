package mailbox

// How much one result holds, and one search looks at.
const (
	scanned = 1_000 // rows that are looked at where filters pass over most
	room    = 7_000 // bytes of rows in one result; the first is always shown
)
