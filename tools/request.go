package tools

import (
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

// NewRequestID makes an id for [Call.ID]: 16 hexadecimal digits of the milliseconds since 1970, so that ids
// sort by time, and 16 at random. It panics when rand fails, which crypto/rand.Reader never does.
func NewRequestID(now time.Time, rand io.Reader) string {
	var random [8]byte
	if _, err := io.ReadFull(rand, random[:]); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%016x%s", now.UnixMilli(), hex.EncodeToString(random[:]))
}
