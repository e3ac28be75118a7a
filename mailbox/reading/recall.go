package reading

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"handoff/mailbox/brief"
	"handoff/schemas"
	"handoff/store"
)

// maxRecalled is the number of similar handoffs, and of handoffs of the workflow, whose content one recall reads.
const maxRecalled = 50

// commonWords has words that say nothing about the subject of a task, and names of many folders and files.
//
//go:embed common_words.txt
var commonWords string

// RecalledTexts returns the ends and decisions of earlier handoffs that are about the same as h, the best first. The
// sender of h chose the maximum number of these handoffs. They share words, tags or files with h. After them come
// decisions of earlier handoffs of the same workflow. It leaves out handoffs of another project, and decisions of h.
//
// It looks at the newest thousand handoffs before h, and at ends before the send of h. So later sends do not change the
// brief of h. Later results can, because a word that many handoffs have counts nothing.
func RecalledTexts(v *store.View, h *schemas.Handoff, r *store.Record) (all []brief.RecalledText, err error) {
	if h.Metadata.Recall == 0 {
		return nil, nil
	}
	alike, err := similarHandoffs(v, recallStems(h), r.ID)
	workflow, unread := Collect(AtMost(maxRecalled, v.NewestFirst(store.IndexByWorkflow(r.Workflow), r.ID)))
	if err = cmp.Or(err, unread); err != nil {
		return nil, err
	}
	ids := slices.SortedFunc(maps.Keys(alike), func(a, b schemas.ID) int { return cmp.Or(cmp.Compare(alike[b], alike[a]), cmp.Compare(b, a)) })
	known, said := append(dependencyIDs(v, *h, r), r.Parent, r.RetryOf), schemas.ValueOrZero(h.Context).AllDecisions()
	found, best := 0, 0.0 // the number of handoffs with texts, and the weight of the first
	for _, id := range schemas.Unique(slices.Concat(ids[:min(len(ids), maxRecalled)], workflow)) {
		near, of := alike[id] > best/3, RecordOrNil(v, id)
		if found == h.Metadata.Recall || of == nil || !near && of.Workflow != r.Workflow {
			continue
		}
		if texts := recallOne(v, h, of, near && of.Ended <= r.Created && !slices.Contains(known, id), &said); len(texts) > 0 {
			all, found, best = append(all, texts...), found+1, cmp.Or(best, alike[id])
		}
	}
	return all, nil
}

// recallOne returns the end of an earlier handoff, if withEnd is true and it has a result, and its decisions that are
// not in `said`. It adds these to `said`. It returns nothing for a handoff that cannot be read, and for one whose
// sender stated another project.
func recallOne(v *store.View, h *schemas.Handoff, of *store.Record, withEnd bool, said *[]schemas.Decision) (all []brief.RecalledText) {
	var sent schemas.Handoff
	unread := v.DecodeContent(of.ID, of.Body, &sent)
	one, other := statedProject(h), statedProject(&sent)
	if unread != nil || len(one) > 0 && len(other) > 0 && !strings.EqualFold(one[0], other[0]) {
		return nil
	}
	if e, err := v.Event(of.Result); withEnd && err == nil && e != nil {
		all = append(all, brief.RecalledText{Of: of.ID, Text: fmt.Sprintf("%s by %s: %s: %s", of.Status, of.Holder, of.Title, EventText(v, *e))})
	}
	for _, d := range schemas.ValueOrZero(sent.Context).AllDecisions() {
		if !slices.Contains(*said, d) {
			*said, all = append(*said, d), append(all, brief.RecalledText{Of: of.ID, Text: fmt.Sprintf("decided by %s: %s", of.From, d.Text())})
		}
	}
	return all
}

// recallStems returns the stems of the words by which a recall finds earlier handoffs. It leaves out common words and
// numbers below a hundred.
func recallStems(h *schemas.Handoff) (stems []string) {
	c, e := schemas.ValueOrZero(h.Context), schemas.ValueOrZero(h.Expectations)
	for _, w := range store.SplitWords(joinTexts(h.Title, h.Task, h.Summary, h.Tags, e.Deliverables, c.Artifacts, fileTexts(c.Files))) {
		_, noNumber := strconv.Atoi(w)
		tooShort := len(w) == 1 || len(w) == 2 && noNumber == nil // such as 17 tests
		if !tooShort && !strings.Contains(commonWords, "\n"+w+"\n") {
			stems = append(stems, wordStem(w))
		}
	}
	return schemas.Unique(stems)
}

// wordStem returns the beginning of a word, which forms of the word share: "implemen" for implements, implementation.
func wordStem(w string) string {
	w = strings.TrimSuffix(w, "s")
	return w[:min(len(w), 8)]
}

// similarHandoffs returns the weights of the handoffs that have words with the given stems. It compares the newest
// [MaxScanned] handoffs below an id. A stem that fewer of them have counts more. Of eight or more handoffs, a stem that
// more than a quarter of them has counts nothing.
func similarHandoffs(v *store.View, stems []string, before schemas.ID) (map[schemas.ID]float64, error) {
	handoffs, weights, n := make([][]schemas.ID, len(stems)), map[schemas.ID]float64{}, 0
	for row, err := range AtMost(MaxScanned, v.WordRows(before)) {
		if err != nil {
			return nil, err
		}
		n++
		for i, stem := range stems {
			if hasStem(row.Value, stem) {
				handoffs[i] = append(handoffs[i], schemas.ID(store.DecodeLastNumber(row.Key)))
			}
		}
	}
	for _, ids := range handoffs {
		for i := 0; i < len(ids) && (n < 8 || len(ids) <= n/4); i++ {
			weights[ids[i]] += math.Log(1 + float64(n)/float64(len(ids)))
		}
	}
	return weights, nil
}

// hasStem reports whether a word of the list has the stem. It does not look at each word, because there may be
// thousands.
func hasStem(list store.WordList, stem string) bool {
	before, after, found := bytes.Cut(list, []byte(stem))
	for ; found; before, after, found = bytes.Cut(after, []byte(stem)) {
		rest, _, _ := bytes.Cut(after, []byte{0})
		if bytes.HasSuffix(before, []byte{0}) && wordStem(stem+string(rest)) == stem {
			return true
		}
	}
	return false
}
