package completion

// Rows returns the rows of the table.
func Rows() (all []string) {
	for _, t := range completionTable() {
		all = append(all, t.rows...)
	}
	return all
}
