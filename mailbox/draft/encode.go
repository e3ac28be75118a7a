package draft

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"handoff/mailbox/content"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Encode makes what is kept of a draft: its content, the words by which it is found, and the digest by which the same
// content is known again. The digest leaves out times, which differ between repeats where the sender gave a duration,
// the session of the sender, and what git and the files were. Content, Tokens, Words and Digest are set; whoever changes
// the handoff of a draft afterwards calls it again. It runs before the transaction where that is possible, because there
// is one writer.
func (m Maker) Encode(d *Draft) error {
	said, err := store.ContentOf(d.Handoff, m.NewID)
	if err != nil {
		return err
	}
	h := d.Handoff
	d.Content, d.Words, d.Tokens = said, reading.SentWords(&h), content.Tokens(string(said.Bytes))
	h.Metadata.Deadline, h.Metadata.NotBefore = nil, nil // relative times differ between repeats
	h.Source.AgentID, h.Tree = "", nil
	if d.located {
		h.Context = d.said
	}
	if h.Context != nil {
		c := *h.Context
		c.Files = schemas.Map(c.Files, func(f schemas.File) schemas.File { f.Digest = ""; return f })
		h.Context = &c
	}
	d.Digest, err = Fingerprint(h)
	return err
}

// Fingerprint tells equal messages from different ones; it proves nothing. It is the first 12 bytes of a SHA-256 in
// base64, which is short enough for each record. Maps are encoded by key, so their order does not matter.
func Fingerprint(v any) (string, error) {
	b, err := json.Marshal(v)
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12]), err
}
