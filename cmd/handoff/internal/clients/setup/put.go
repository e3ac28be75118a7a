package setup

import (
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// put writes our parts into a file. It takes out those that are not wished, unless they may be somebody else's.
func (w Wish) put(c client.Client, p place, doc edit.Document, r receipt) error {
	if p.has.server {
		if err := w.putServer(c, doc, r); err != nil {
			return err
		}
	}
	settings, ok := doc.(*edit.JSON)
	if p.has.hooks && ok {
		if err := w.oursIn(settings, c, r).put(w); err != nil {
			return err
		}
	}
	switch {
	case !p.has.grant || !ok:
		return nil
	case w.Server.Trust:
		return putGrant(c.Allow(), settings)
	case r.Granted:
		return deleteGrant(c.Allow(), settings)
	}
	return nil
}
