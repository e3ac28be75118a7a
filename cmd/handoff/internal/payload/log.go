package payload

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"

	"handoff/schemas"
)

// These constants name the blocks of a log. A block stands between a start marker and an end marker. A marker stands at
// the end of a line. Other text may stand before the marker, for example the time that a log adds.
const (
	handoffBlock = "KELOS_HANDOFF"
	outputsBlock = "KELOS_OUTPUTS"
)

func startMarker(block string) string { return "---" + block + "_START---" }
func endMarker(block string) string   { return "---" + block + "_END---" }

// WrapInMarkers puts the line of a payload between the markers of a log.
func WrapInMarkers(line string) string {
	return startMarker(handoffBlock) + "\n" + line + "\n" + endMarker(handoffBlock) + "\n"
}

// LogBlocks holds the last complete block of each kind in a log. A complete block has both markers. Earlier blocks may
// be examples that the agent printed before its real block.
type LogBlocks struct {
	Text    []byte   // the payload, for [Parse]; without one a result of kernl; nil for none; cut one byte after the limit
	Pairs   int      // of markers of payloads
	Cut     bool     // the log ends after the first marker of a payload
	Outputs []string // lines between the markers of outputs, as "branch: fix/login"
}

// Results returns the outputs with a name.
func (l LogBlocks) Results() map[string]any {
	results := map[string]any{}
	for _, line := range l.Outputs {
		if name, value, ok := strings.Cut(line, ": "); ok {
			results[name] = value
		}
	}
	return results
}

// Warning returns a warning about the log, or "".
func (l LogBlocks) Warning() string {
	switch {
	case l.Cut:
		return "the log ends behind " + startMarker(handoffBlock) + ": the last block is incomplete and was not read"
	case l.Text == nil && l.Pairs == 0:
		return "no handoff is in the log: no lines " + startMarker(handoffBlock) + " and " + endMarker(handoffBlock) +
			`, and no line of JSON with "kind": "handoff"`
	case l.Pairs > 1:
		return schemas.CountNoun(l.Pairs, "handoff") + " are in the log: the last one is taken"
	}
	return ""
}

// Scan reads a log to its end. It needs at most some MiB of memory, even for very long logs and lines.
func Scan(r io.Reader) (LogBlocks, error) {
	const longestMarked = 64 << 10 // a longer line is no marker
	lines := bufio.NewReaderSize(r, longestMarked)
	var s logScanner
	for begins := true; ; {
		part, err := lines.ReadSlice('\n')
		whole := begins && !errors.Is(err, bufio.ErrBufferFull)
		if !whole || !s.takeMarker(part) {
			s.addPart(part)
		}
		if whole && s.block == "" && s.log.Pairs == 0 && kernlResult().Match(part) {
			s.log.Text = bytes.Clone(part)
		}
		begins = !errors.Is(err, bufio.ErrBufferFull)
		switch {
		case err == nil, !begins:
		case errors.Is(err, io.EOF):
			s.log.Cut = s.block == handoffBlock
			return s.log, nil
		default:
			return LogBlocks{}, err
		}
	}
}

// kernlResult matches a line of JSON that has a result of the tool handoff of kernl, perhaps as a text in the JSON.
var kernlResult = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\{.*\\?"kind\\?"\s*:\s*\\?"handoff\\?"`) })

// logScanner is the state of reading a log.
type logScanner struct {
	log   LogBlocks
	block string // the current block, empty for none
	text  []byte // of the block so far
}

// takeMarker reports whether a line ends with a marker. If so, it starts or ends a block. A payload cannot be taken for
// a marker, because each text in a payload ends with a quotation mark.
func (s *logScanner) takeMarker(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	for _, block := range []string{handoffBlock, outputsBlock} {
		if bytes.HasSuffix(line, []byte(startMarker(block))) {
			s.block, s.text = block, nil
			return true
		}
		before, ends := bytes.CutSuffix(line, []byte(endMarker(block)))
		if !ends || s.block != block {
			continue
		}
		if block == outputsBlock {
			s.log.Outputs = schemas.NonEmpty(schemas.Map(strings.Split(string(s.text), "\n"), strings.TrimSpace)...)
		} else {
			s.takePayload(before)
		}
		s.block, s.text = "", nil
		return true
	}
	return false
}

// takePayload stores the payload of a block. It cuts off text that the log put before the payload.
func (s *logScanner) takePayload(before []byte) {
	if bytes.ContainsRune(before, '}') { // its last line had no end
		s.addPart(before)
	}
	s.log.Text = append([]byte{}, s.text[max(bytes.IndexByte(s.text, '{'), 0):]...)
	s.log.Pairs++
}

// addPart adds a part to the current block. It stops one byte above the size limit, so that [Parse] sees that the
// payload is too long.
func (s *logScanner) addPart(part []byte) {
	if room := limitWhole.Most + 1 - len(s.text); s.block != "" && room > 0 {
		s.text = append(s.text, part[:min(room, len(part))]...)
	}
}
