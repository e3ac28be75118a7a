package mailbox

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// encode makes what is kept of a draft: its content, the words by which it is found, and the digest by which the same
// content is known again. The digest leaves out times, which differ between repeats where the sender gave a duration,
// and the session of the sender.
func (s *Service) encode(d *draft) error {
	content, err := s.said(d.handoff)
	if err != nil {
		return err
	}
	h := d.handoff
	d.content, d.words, d.promises = content, wordsOf(&h), promises(h.Expectations)
	if h.Metadata.Deadline == nil && h.Metadata.NotBefore == nil && h.Source.AgentID == "" {
		d.digest = shortDigest(content.Bytes)
		return nil
	}
	h.Metadata.Deadline, h.Metadata.NotBefore = nil, nil // relative times differ between repeats
	h.Source.AgentID = ""
	d.digest, err = digestOf(h)
	return err
}

// wordsOf are the words by which a handoff is found.
func wordsOf(h *schemas.Handoff) store.WordList {
	return store.ListWords(h.Title, h.Task, h.Summary, strings.Join(h.Tags, " "))
}

// promises tells whether a completion is to be compared with what was asked for.
func promises(e *schemas.Expectations) bool {
	return e != nil && (len(contract.Criteria(e)) > 0 || len(e.OutputSchema) > 0)
}

func digestOf(v any) (string, error) {
	b, err := json.Marshal(v)
	return shortDigest(b), err
}

// shortDigest tells equal from different; it does not prove anything.
func shortDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
