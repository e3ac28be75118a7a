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
	clipFrom = 160 // in tenths of a token: a shorter rest of a line is not worth showing
	leastOf  = 40  // in tenths of a token: a list with less for each line is useless
)

// pack renders the parts, which are in order of importance, in a number of tokens: first the request, then the context.
// It returns the text, the names of the omitted parts with those of left at the end, and the size of the text in tenths
// of a token.
//
// The frame and the footer depend on the packed parts, so pack finds the room for the parts by trial: it subtracts the
// excess of a text from the room and tries again. Each round reduces the room by at least a tenth of a token, so the
// loop ends.
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

// fill fits parts into a room of tenths and returns the unused room. It shortens a part that would take more than three
// quarters of the room to half of the room, so that later parts get a share. A required part keeps at least enough to
// begin a line. fill reserves a few words for the required part and refuses them to earlier parts. In the end it gives
// unused room to the first part that can use it.
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

// least returns the room that fill reserves for a part, in tenths of a token.
func (p part) least() int {
	if p.must {
		return leastOf
	}
	return 0
}

// missing returns the omitted and the shortened parts in the order of the parts. Parts beyond the end of packed are all
// omitted.
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

// size returns the size of lines with their line ends, in tenths of a token.
func size(lines []string) int {
	n := 0
	for _, l := range lines {
		n += content.Tenths(l + "\n")
	}
	return n
}

// shorten returns the first lines that fit into the allowed tenths and an ellipsis. It cuts the last line at a word if
// it is long. It returns nil if only a label would remain, unless the part is required. For a part with heads, it tries
// the heads before it cuts.
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

// first returns the first lines of a part for [shorten], without a label at the end that has no content.
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

// evenly clips lines so that each one stays. Long lines share the room that short lines leave. Three rounds distribute
// nearly all of it.
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

// clip cuts a line that is too long at the last word that fits, or within a word if the cut at a word would lose more
// than a quarter. It never splits a character.
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

// indentOf returns the indent of a line, at most two spaces, so that an ellipsis stands below the items and not below
// the text of an item.
func indentOf(l string) string {
	return l[:min(len(l)-len(strings.TrimLeft(l, " ")), 2)]
}
