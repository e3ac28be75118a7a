package live

import (
	"bytes"
	"strings"
)

// mask stands for the token.
const mask = "…"

// hide takes the token out of what the server says, before anything is cut off from that: a part of it is secret too.
func (d Address) hide(text []byte) []byte {
	if d.Token == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(d.Token), []byte(mask))
}

// hidden takes the token out of an error, which may have it from elsewhere or written otherwise.
func (d Address) hidden(err error) error {
	if err == nil || d.Token == "" || !strings.Contains(err.Error(), d.Token) {
		return err
	}
	return &withoutToken{err, d.Token}
}

type withoutToken struct {
	error

	token string
}

func (w *withoutToken) Error() string { return strings.ReplaceAll(w.error.Error(), w.token, mask) }
func (w *withoutToken) Unwrap() error { return w.error }
