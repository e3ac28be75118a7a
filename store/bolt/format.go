package bolt

import (
	"fmt"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// format is the layout of rows that this program writes, and the newest that it reads. It grows when an older program
// could not read the rows.
const format = 1

// The row of [store.Sys] that makes a file ours: "handoff 1".
const (
	formatKey  = "format"
	formatName = "handoff "
)

// checkFormat refuses a file that is no store of handoff, or is newer than this program. A file without any bucket is
// fresh: the process that made it ended before its first commit.
func checkFormat(tx *bbolt.Tx) (fresh bool, err error) {
	if name, _ := tx.Cursor().First(); name == nil {
		return true, nil
	}
	sys := tx.Bucket([]byte(store.Sys.String()))
	if sys == nil {
		return false, fmt.Errorf("%w: a bbolt file of another program", store.ErrForeign)
	}
	number, ours := strings.CutPrefix(string(sys.Get([]byte(formatKey))), formatName)
	n, err := strconv.ParseUint(number, 10, 64)
	if !ours || err != nil {
		return false, fmt.Errorf("%w: a bbolt file of another program", store.ErrForeign)
	}
	if n > format {
		return false, fmt.Errorf("%w: it has format %d, and this program knows %d", store.ErrNewer, n, format)
	}
	return false, nil
}

func writeFormat(tx *bbolt.Tx) error {
	value := fmt.Appendf(nil, "%s%d", formatName, format)
	return tx.Bucket([]byte(store.Sys.String())).Put([]byte(formatKey), value)
}
