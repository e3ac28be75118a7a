package doctor

// untried says of something in a file that it is not tried, as it may be anybody's: see package installed. It repeats
// nothing of what stands there.
func (in *installation) untried(subject, path string, shared bool) Finding {
	f := warning(subject, "%s: in %s: skipped: it is not what handoff setup writes, so it is not tried", in.client.Title, path)
	if shared {
		return f.remedied("handoff setup %s --scope project", in.client.Name)
	}
	return f.remedied("handoff setup %s --hooks --yes", in.client.Name)
}
