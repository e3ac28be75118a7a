package brief

import (
	"slices"
	"strings"

	"handoff/mailbox/content"
	"handoff/schemas"
)

const (
	inPart   = " (in part)"
	ellipsis = "…"
	clipFrom = 160 // tenths of a token: less than this is not worth beginning a line for
	leastOf  = 40  // with less than this for each, a list says nothing
)

// pack renders the parts, which come in order of importance, in a number of tokens: first what is asked, then what is
// known. The names of what is missing come along, those already left out last, and the tenths of the text.
//
// What stands around the parts depends on which of them are there, so the room for them is found by trying: what a text
// has too much is taken from it. Each round takes at least a tenth of a token off the room, so it ends.
func pack(f frame, parts, left []part, tokens int) (text string, omitted []string, tenths int) {
	all, packed := slices.Concat(parts, left), parts
	asked := slices.IndexFunc(parts, func(p part) bool { return p.context })
	if asked < 0 {
		asked = len(parts)
	}
	absent := missing(all, packed)
	text = f.render(parts, absent, tokens)
	tenths = content.Tenths(text)
	if tenths > 10*tokens {
		room := 10*tokens - content.Tenths(f.render(nil, nil, tokens))
		for tenths > 10*tokens && room > 0 {
			first, rest := fill(parts[:asked], room)
			known, _ := fill(parts[asked:], rest)
			packed = slices.Concat(first, known)
			absent = missing(all, packed)
			text = f.render(packed, absent, tokens)
			tenths = content.Tenths(text)
			room -= tenths - 10*tokens
		}
	}
	return text, schemas.Map(absent, func(a absence) string { return a.name }), tenths
}

// fill fits parts into a number of tenths and gives those that remain. A part that would take more than three quarters
// of the room that is left is shortened to half of it, so that those after it have a chance, but one that must be there
// not to less than a line needs to begin. A few words are kept for that one, which those before it do not get; what
// nobody took goes to the first that can use it.
func fill(parts []part, room int) ([]part, int) {
	packed := make([]part, len(parts))
	fit := func(i, allowed int) (took int) {
		packed[i] = parts[i]
		packed[i].lines = shorten(parts[i], allowed)
		return size(packed[i].lines)
	}
	kept := 0
	for _, p := range parts {
		kept += p.least()
	}
	for i, p := range parts {
		kept -= p.least()
		free := max(room-kept, 0)
		allowed := free
		if size(p.lines) > free*3/4 {
			allowed = free / 2
			if p.must {
				allowed = max(allowed, min(free, 2*clipFrom))
			}
		}
		room -= fit(i, allowed)
	}
	for i := range parts {
		had := size(packed[i].lines)
		room -= fit(i, had+room) - had
	}
	return packed, room
}

// least is what is kept for a part in any case, in tenths of a token.
func (p part) least() int {
	if p.must {
		return leastOf
	}
	return 0
}

// missing are the parts that were left out, and those that were shortened, in the order of the parts. Those behind the
// packed ones were all left out.
func missing(parts, packed []part) (all []absence) {
	for i, p := range parts {
		switch {
		case i >= len(packed) || len(packed[i].lines) == 0:
			all = append(all, absence{p.name, p})
		case !slices.Equal(packed[i].lines, p.lines) && size(packed[i].lines) < size(p.lines):
			all = append(all, absence{p.name + inPart, p})
		}
	}
	return all
}

// size is what lines take with their line ends, in tenths of a token.
func size(lines []string) int {
	n := 0
	for _, l := range lines {
		n += content.Tenths(l + "\n")
	}
	return n
}

// shorten gives the lines that fit into the allowed tenths: the first ones, the last of them cut at a word when it is
// long, and an ellipsis. It gives none when only a label would be left, unless the part must be there. A part with heads
// is tried with these before it is cut.
func shorten(p part, allowed int) []string {
	if size(p.lines) <= allowed {
		return p.lines
	}
	if p.heads != nil {
		p.lines, p.heads = p.heads, nil
		return shorten(p, allowed)
	}
	if p.whole {
		return nil
	}
	if p.each && allowed > len(p.lines)*leastOf {
		return evenly(p.lines, allowed)
	}
	return first(p, allowed)
}

// first gives the first lines of a part, as [shorten] does, without a label at the end that would stand alone.
func first(p part, allowed int) []string {
	allowed -= content.Tenths("  " + ellipsis + "\n")
	var kept []string
	for _, l := range p.lines {
		if n := content.Tenths(l + "\n"); n <= allowed {
			kept = append(kept, l)
			allowed -= n
			continue
		}
		if allowed > clipFrom && content.Tenths(l) > clipFrom || p.must && allowed > 0 && len(kept) == 0 {
			return append(kept, clip(l, allowed))
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

// evenly clips lines so that each is there. What short ones leave goes to those that are long. Three rounds share out
// nearly all of that.
func evenly(lines []string, allowed int) []string {
	share := 0
	for range 3 {
		used, long := 0, 0
		for _, l := range lines {
			if n := content.Tenths(l + "\n"); n <= share {
				used += n
			} else {
				long++
			}
		}
		share = (allowed - used) / max(long, 1)
	}
	return schemas.Map(lines, func(l string) string { return clip(l, share-content.Tenths("\n")) })
}

// clip cuts a line that is too long at the last word that fits, or within a word where that would lose more than a
// quarter. It never cuts a character in two.
func clip(l string, allowed int) string {
	if content.Tenths(l) <= allowed {
		return l
	}
	end := content.Within(l, allowed-content.Tenths(ellipsis))
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
