package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"handoff/schemas"
	"handoff/tools"
)

// fileDigest returns the digest of a regular file in the form of [schemas.File], or gone if the file does not exist. The
// digest is empty if the file is too large, either by itself or for the bytes that one call may still read (left).
func fileDigest(root *os.Root, path string, left *int) (digest string, gone bool) {
	if path == "" || strings.ContainsAny(path, "*?[{:") {
		return "", false
	}
	path = relativeTo(root, path)
	info, err := root.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > int64(min(mostRead, *left)) {
		return "", errors.Is(err, fs.ErrNotExist)
	}
	content, err := root.ReadFile(path)
	if err != nil {
		return "", false
	}
	*left -= len(content)
	return fmt.Sprintf("%x", sha256.Sum256(content))[:16], false
}

// addChangedFiles adds to the answer of a claim the names of files in the context whose content in this checkout
// differs from the content when the handoff was sent.
func (f *Invoker) addChangedFiles(ctx context.Context, c tools.Call, out json.RawMessage) json.RawMessage {
	var claim schemas.ClaimOut
	if json.Unmarshal(out, &claim) != nil || claim.HandoffID == 0 || !bytes.HasSuffix(out, []byte("}")) {
		return out
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return out
	}
	defer root.Close()
	h := f.readHandoff(ctx, c, claim.HandoffID.String(), "full").Handoff
	if h == nil || h.Context == nil {
		return out
	}
	text, err := schemas.Encode(describeChangedFiles(root, h.Context.Files))
	if err != nil || string(text) == `""` {
		return out
	}
	return fmt.Appendf(bytes.TrimSuffix(out, []byte("}")), `,"since_sent":%s}`, text)
}

// describeChangedFiles returns a sentence about the files that have another digest now, and the files that are gone. It returns
// "" if there are none.
func describeChangedFiles(root *os.Root, files []schemas.File) string {
	var changed, gone []string
	left := 4 * mostRead
	for _, file := range files {
		if file.Digest == "" {
			continue
		}
		switch digest, none := fileDigest(root, file.Path, &left); {
		case none:
			gone = append(gone, file.Path)
		case digest != "" && digest != file.Digest:
			changed = append(changed, file.Path)
		}
	}
	var parts []string
	if len(changed) > 0 {
		parts = append(parts, "changed since it was sent: "+strings.Join(changed, ", "))
	}
	if len(gone) > 0 {
		parts = append(parts, "gone: "+strings.Join(gone, ", "))
	}
	return schemas.Visible(strings.Join(parts, "; "))
}
