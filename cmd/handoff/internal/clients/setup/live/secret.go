package live

import (
	"bytes"
	"strings"
)

// mask stands for the token.
const mask = "…"

// hide masks the token in a text of the server. It comes before the text is cut, as a part of the token is secret
// too.
func (t Trial) hide(text []byte) []byte {
	if t.Token == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(t.Token), []byte(mask))
}

// hidden masks the token in an error, which may have it from elsewhere, or had it written otherwise.
func (t Trial) hidden(err error) error {
	if err == nil || t.Token == "" || !strings.Contains(err.Error(), t.Token) {
		return err
	}
	return &withoutToken{err, t.Token}
}

type withoutToken struct {
	error

	token string
}

func (w *withoutToken) Error() string { return strings.ReplaceAll(w.error.Error(), w.token, mask) }
func (w *withoutToken) Unwrap() error { return w.error }
