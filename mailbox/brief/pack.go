package brief

import (
	"slices"
	"strings"
)

const (
	inPart   = " (in part)"
	ellipsis = "…"
	clipFrom = 16 * 4 // quarters: less than this is not worth beginning a line for
)

// pack fits parts, which come in order of importance, into a number of tokens: first what is asked, then what is known.
// The names of what is missing come along, those already left out last.
//
// What is packed never takes more than the tokens: the room for parts is what is left after the frame, all headings and
// the longest footer that could be needed. So a little room may stay unused.
func pack(f frame, parts []part, left []string, tokens int) (packed []part, omitted []string) {
	if Tokens(f.render(parts, left)) <= tokens {
		return parts, left
	}
	room := 4*tokens - quarters(f.render(headingsOf(parts), append(worst(parts), left...)))
	asked := slices.IndexFunc(parts, func(p part) bool { return p.context })
	if asked < 0 {
		asked = len(parts)
	}
	packed, room = fill(parts[:asked], room)
	known, _ := fill(parts[asked:], room)
	packed = append(packed, known...)
	return packed, append(missing(parts, packed), left...)
}

// fill fits parts into a number of quarters and gives those that remain. A part that is too long is
// shortened to half of the room that is left, so that those after it have a chance; what nobody took goes
// to the first that can use it.
func fill(parts []part, room int) ([]part, int) {
	packed := make([]part, len(parts))
	took := make([]int, len(parts))
	fit := func(i, allowed int) {
		packed[i] = parts[i]
		packed[i].lines = shorten(parts[i], allowed)
		took[i] = size(packed[i].lines)
		if took[i] == size(parts[i].lines) {
			took[i] -= quarters(parts[i].name + inPart) // which need not be named, as was reckoned
		}
	}
	for i, p := range parts {
		allowed := room
		if size(p.lines) > room {
			allowed = room / 2
		}
		fit(i, allowed)
		room -= took[i]
	}
	for i := range parts {
		had := took[i]
		fit(i, size(packed[i].lines)+room)
		room -= took[i] - had
	}
	return packed, room
}

// headingsOf are the parts with an empty line in place of their own, so that every heading is counted, also those that
// end up empty.
func headingsOf(parts []part) []part {
	bare := make([]part, len(parts))
	for i, p := range parts {
		bare[i] = part{section: p.section, lines: []string{""}}
	}
	return bare
}

// worst names everything as if all of it were shortened: the longest footer there can be.
func worst(parts []part) []string {
	names := make([]string, 0, len(parts))
	for _, p := range parts {
		names = append(names, p.name+inPart)
	}
	return names
}

// missing names the parts that were left out, and those that were shortened, in the order of the parts.
func missing(parts, packed []part) []string {
	var names []string
	for i, p := range parts {
		switch {
		case len(packed[i].lines) == 0:
			names = append(names, p.name)
		case size(packed[i].lines) < size(p.lines):
			names = append(names, p.name+inPart)
		}
	}
	return names
}

// size is what lines take with their line ends, in quarters of a token.
func size(lines []string) int {
	n := 0
	for _, l := range lines {
		n += quarters(l) + 1
	}
	return n
}

// shorten gives the lines that fit into the allowed quarters: the first ones, the last of them cut at a
// word when it is long, and an ellipsis. It gives none when only a label would be left.
func shorten(p part, allowed int) []string {
	if size(p.lines) <= allowed {
		return p.lines
	}
	if p.whole {
		return nil
	}
	allowed -= quarters(ellipsis) + len("  ") + 1
	var kept []string
	for _, l := range p.lines {
		if n := quarters(l) + 1; n <= allowed {
			kept = append(kept, l)
			allowed -= n
			continue
		}
		if allowed > clipFrom && quarters(l) > clipFrom {
			return append(kept, clip(l, allowed-1-quarters(ellipsis)))
		}
		break
	}
	for len(kept) > 0 && strings.HasSuffix(kept[len(kept)-1], ":") {
		kept = kept[:len(kept)-1]
	}
	if len(kept) == 0 {
		return nil
	}
	return append(kept, indentOf(kept[len(kept)-1])+ellipsis)
}

// clip cuts a line at the last word that fits, or within a word where that would lose more than a quarter. It never
// cuts a character in two.
func clip(l string, allowed int) string {
	end := 0
	for i, r := range l {
		if allowed -= quarters(string(r)); allowed < 0 {
			break
		}
		end = i + len(string(r))
	}
	if space := strings.LastIndexByte(l[:end], ' '); space > end*3/4 {
		end = space
	}
	return strings.TrimRight(l[:end], " ") + ellipsis
}

// indentOf gives at most two spaces, so that an ellipsis stands below the items it follows and not below the text of
// one.
func indentOf(l string) string {
	return l[:min(len(l)-len(strings.TrimLeft(l, " ")), 2)]
}
