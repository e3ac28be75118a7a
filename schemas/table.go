package schemas

import "strings"

// TableRows returns the columns of each row of an embedded table, in which " | " stands between the columns. It skips
// comments, which begin with #, and lines with fewer columns.
func TableRows(text string, fewest int) (rows [][]string) {
	for line := range strings.Lines(text) {
		if columns := strings.Split(strings.TrimSpace(line), " | "); line[0] != '#' && len(columns) >= fewest {
			rows = append(rows, Map(columns, strings.TrimSpace))
		}
	}
	return rows
}
