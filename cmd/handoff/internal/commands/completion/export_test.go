package completion

// Rows are those of the table.
func Rows() (all []string) {
	for _, t := range table() {
		all = append(all, t.rows...)
	}
	return all
}
