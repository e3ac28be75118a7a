package names

import (
	"strconv"

	"handoff/schemas"
)

const longest = 64 // characters of a name

// Nth is the name of a client's n-th session, from 1. The name of a client that is too long for a number is cut.
func Nth(client schemas.Agent, n int) schemas.Agent {
	if n == 1 {
		return client
	}
	number := "-" + strconv.Itoa(n)
	return client[:min(len(client), longest-len(number))] + schemas.Agent(number)
}

// Beginning is how all names of a client's sessions begin, up to number 99,999.
func Beginning(client schemas.Agent) string {
	return string(client[:min(len(client), longest-len("-99999"))])
}
