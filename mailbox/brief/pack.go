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

// packParts renders the parts in at most the given number of tokens. The parts are in order of importance, the request
// before the context. The argument left holds parts that the brief omits even if they would fit. packParts returns the
// text, the names of the omitted parts, and the size of the text in tenths of a token.
//
// The sizes of the frame and the footer depend on the kept parts, so packParts finds the room for the parts by trial.
// If a text is too long, it reduces the room by the excess and tries again. Each trial reduces the room by at least a
// tenth of a token, so the loop ends.
func packParts(f frame, parts, left []briefPart, tokens int) (text string, omitted []string, tenths int) {
	all, packed := slices.Concat(parts, left), parts
	asked := slices.IndexFunc(parts, func(p briefPart) bool { return p.context })
	if asked < 0 {
		asked = len(parts)
	}
	absent := omittedParts(all, packed)
	text = f.render(parts, absent, tokens)
	tenths = content.CountTokenTenths(text)
	if tenths > 10*tokens {
		room := 10*tokens - content.CountTokenTenths(f.render(nil, nil, tokens))
		for tenths > 10*tokens && room > 0 {
			first, rest := fitParts(parts[:asked], room)
			known, _ := fitParts(parts[asked:], rest)
			packed = slices.Concat(first, known)
			absent = omittedParts(all, packed)
			text = f.render(packed, absent, tokens)
			tenths = content.CountTokenTenths(text)
			room -= tenths - 10*tokens
		}
	}
	return text, schemas.Map(absent, func(a omittedPart) string { return a.name }), tenths
}

// fitParts shortens parts until they fit into room, in tenths of a token, and returns the unused room. If a part would
// take more than three quarters of the remaining room, it gets only half of that room, so that later parts get a share.
// fitParts reserves room for the beginning of each required part. At the end, room that is still unused goes to the
// first of the shortened parts.
func fitParts(parts []briefPart, room int) ([]briefPart, int) {
	packed := make([]briefPart, len(parts))
	fit := func(i, allowed int) (took int) {
		packed[i] = parts[i]
		packed[i].lines = shortenPart(parts[i], allowed)
		return sizeOfLines(packed[i].lines)
	}
	kept := 0
	for _, p := range parts {
		kept += p.reservedRoom()
	}
	for i, p := range parts {
		kept -= p.reservedRoom()
		free := max(room-kept, 0)
		allowed := free
		if sizeOfLines(p.lines) > free*3/4 {
			allowed = free / 2
			if p.required {
				allowed = max(allowed, min(free, 2*minClip))
			}
		}
		room -= fit(i, allowed)
	}
	for i := range parts {
		before := sizeOfLines(packed[i].lines)
		room -= fit(i, before+room) - before
	}
	return packed, room
}

// reservedRoom returns the room in tenths of a token that fitParts reserves for a part.
func (p briefPart) reservedRoom() int {
	if p.required {
		return minLine
	}
	return 0
}

// omittedParts returns the omitted and the shortened parts in the order of parts. A part without a counterpart in
// packed counts as omitted.
func omittedParts(parts, packed []briefPart) (all []omittedPart) {
	for i, p := range parts {
		switch {
		case i >= len(packed) || len(packed[i].lines) == 0:
			all = append(all, omittedPart{p.name, p})
		case !slices.Equal(packed[i].lines, p.lines) && sizeOfLines(packed[i].lines) < sizeOfLines(p.lines):
			all = append(all, omittedPart{p.name + inPart, p})
		}
	}
	return all
}

// sizeOfLines returns the size of lines with their line ends, in tenths of a token.
func sizeOfLines(lines []string) int {
	n := 0
	for _, l := range lines {
		n += content.CountTokenTenths(l + "\n")
	}
	return n
}

// shortenPart returns the first lines of a part that fit into the allowed tenths of a token, and an ellipsis. If the
// part has shorter lines in its field short, shortenPart tries these lines first. It cuts a long last line between two
// words. It returns nil if only a label would remain, unless the part is required.
func shortenPart(p briefPart, allowed int) []string {
	if sizeOfLines(p.lines) <= allowed {
		return p.lines
	}
	if p.short != nil {
		p.lines, p.short = p.short, nil
		return shortenPart(p, allowed)
	}
	if p.indivisible {
		return nil
	}
	if p.clipEach && allowed > len(p.lines)*minLine {
		return clipLinesEvenly(p.lines, allowed)
	}
	return firstLines(p, allowed)
}

// firstLines returns the first lines of a part that fit, for [shortenPart]. It omits a label at the end whose content
// was cut off.
func firstLines(p briefPart, allowed int) []string {
	allowed -= content.CountTokenTenths("  " + ellipsis + "\n")
	var kept []string
	for _, l := range p.lines {
		if n := content.CountTokenTenths(l + "\n"); n <= allowed {
			kept = append(kept, l)
			allowed -= n
			continue
		}
		if allowed > minClip && content.CountTokenTenths(l) > minClip || p.required && allowed > 0 && len(kept) == 0 {
			return append(kept, clipLine(l, allowed))
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

// clipLinesEvenly clips long lines so that all lines fit and no line is dropped. Each line gets the same room, and long
// lines share the room that short lines do not use. Three rounds distribute nearly all of that room.
func clipLinesEvenly(lines []string, allowed int) []string {
	share := 0
	for range 3 {
		used, long := 0, 0
		for _, l := range lines {
			if n := content.CountTokenTenths(l + "\n"); n <= share {
				used += n
			} else {
				long++
			}
		}
		share = (allowed - used) / max(long, 1)
	}
	return schemas.Map(lines, func(l string) string { return clipLine(l, share-content.CountTokenTenths("\n")) })
}

// clipLine cuts a line that is too long after the last word that fits. If this would lose more than a quarter of the
// allowed length, it cuts within a word. It never splits a character.
func clipLine(l string, allowed int) string {
	if content.CountTokenTenths(l) <= allowed {
		return l
	}
	end := content.PrefixLen(l, allowed-content.CountTokenTenths(ellipsis))
	if space := strings.LastIndexByte(l[:end], ' '); space > end*3/4 {
		end = space
	}
	return strings.TrimRight(l[:end], " ") + ellipsis
}

// indentOf returns the indent of a line, at most two spaces. The ellipsis after cut items gets this indent, so that the
// ellipsis looks like one more item.
func indentOf(l string) string {
	return l[:min(len(l)-len(strings.TrimLeft(l, " ")), 2)]
}
