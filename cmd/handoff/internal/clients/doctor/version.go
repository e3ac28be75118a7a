package doctor

import "handoff/cmd/handoff/internal/clients/client"

// Version examines whether a shell and this process mean the same program by its name.
func Version(p Program, m client.Machine) []Finding {
	switch {
	case p.OnPath == "":
		return []Finding{warning(aboutVersion, "this is handoff %s, and PATH leads to none: clients that look there do not find it", p.Version).
			remedied("%s", p.lead(m))}
	case p.isOnPath():
		return []Finding{ok(aboutVersion, "this is handoff %s, and PATH leads to it", p.Version)}
	case p.There == p.Version:
		return []Finding{ok(aboutVersion, "this is handoff %s, and PATH leads to another file of that version: %s", p.Version, p.OnPath)}
	case p.There == "":
		return []Finding{warning(aboutVersion, "this is handoff %s, and PATH leads to something else, which does not answer as handoff does: %s",
			p.Version, p.OnPath).remedied("%s", p.lead(m))}
	}
	return []Finding{warning(aboutVersion, "this is handoff %s, and PATH leads to another, %s: %s", p.Version, p.There, p.OnPath).
		remedied("%s", p.lead(m))}
}
