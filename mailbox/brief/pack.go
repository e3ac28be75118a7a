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
	minClip  = 160 // in tenths of a token: a shorter rest of a line is not worth showing
	minLine  = 40  // in tenths of a token: a list with less for each line is useless
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
	absent := omissions(all, packed)
	text = f.render(parts, absent, tokens)
	tenths = content.Tenths(text)
	if tenths > 10*tokens {
		room := 10*tokens - content.Tenths(f.render(nil, nil, tokens))
		for tenths > 10*tokens && room > 0 {
			first, rest := fill(parts[:asked], room)
			known, _ := fill(parts[asked:], rest)
			packed = slices.Concat(first, known)
			absent = omissions(all, packed)
			text = f.render(packed, absent, tokens)
			tenths = content.Tenths(text)
			room -= tenths - 10*tokens
		}
	}
	return text, schemas.Map(absent, func(a omission) string { return a.name }), tenths
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
		kept += p.reserve()
	}
	for i, p := range parts {
		kept -= p.reserve()
		free := max(room-kept, 0)
		allowed := free
		if size(p.lines) > free*3/4 {
			allowed = free / 2
			if p.required {
				allowed = max(allowed, min(free, 2*minClip))
			}
		}
		room -= fit(i, allowed)
	}
	for i := range parts {
		before := size(packed[i].lines)
		room -= fit(i, before+room) - before
	}
	return packed, room
}

// reserve returns the room that fill reserves for a part, in tenths of a token.
func (p part) reserve() int {
	if p.required {
		return minLine
	}
	return 0
}

// omissions returns the omitted and the shortened parts in the order of the parts. Parts beyond the end of packed are
// all omitted.
func omissions(parts, packed []part) (all []omission) {
	for i, p := range parts {
		switch {
		case i >= len(packed) || len(packed[i].lines) == 0:
			all = append(all, omission{p.name, p})
		case !slices.Equal(packed[i].lines, p.lines) && size(packed[i].lines) < size(p.lines):
			all = append(all, omission{p.name + inPart, p})
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
// it is long. It returns nil if only a label would remain, unless the part is required. For a part with short
// lines, it tries these before it cuts.
func shorten(p part, allowed int) []string {
	if size(p.lines) <= allowed {
		return p.lines
	}
	if p.short != nil {
		p.lines, p.short = p.short, nil
		return shorten(p, allowed)
	}
	if p.indivisible {
		return nil
	}
	if p.clipEach && allowed > len(p.lines)*minLine {
		return clipEvenly(p.lines, allowed)
	}
	return firstLines(p, allowed)
}

// firstLines returns the first lines of a part for [shorten], without a label at the end that has no content.
func firstLines(p part, allowed int) []string {
	allowed -= content.Tenths("  " + ellipsis + "\n")
	var kept []string
	for _, l := range p.lines {
		if n := content.Tenths(l + "\n"); n <= allowed {
			kept = append(kept, l)
			allowed -= n
			continue
		}
		if allowed > minClip && content.Tenths(l) > minClip || p.required && allowed > 0 && len(kept) == 0 {
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

// clipEvenly clips lines so that each one stays. Long lines share the room that short lines leave. Three rounds
// distribute nearly all of it.
func clipEvenly(lines []string, allowed int) []string {
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
	end := content.PrefixLen(l, allowed-content.Tenths(ellipsis))
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
