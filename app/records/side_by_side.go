package records

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// SideBySide holds two records that are compared before a merge.
type SideBySide struct {
	Stays, Goes Side
	// Parts lists the parts that at least one of the records states. Parts that differ come first.
	Parts []Part
	// Differing is the number of parts that differ.
	Differing int
	// Waits is set if both records are active, look like duplicates, and nobody has marked them as
	// not duplicates.
	Waits bool
	// Merge is the merge of these two records that is in effect, or nil.
	Merge *Resolution
}

// Side is one of the two records in a comparison.
type Side struct {
	store.Record
	Mother   string // the mother's name, with the family name first
	Born     string // the first child's date or time of birth, as stated
	Newborns int
	Events   []Event // the record's newest versions
	More     bool    // whether there are older versions
}

// Part is a part of a merge (birth.Part) in human-readable form.
type Part struct {
	Key, Subject, Label string
	Stays, Goes         string // each record's text, or "" if it doesn't state the part
	StaysFrom, GoesFrom birth.Source
	Differs             bool
	// Take is set if only the record that goes states the part. Unless the reviewer decides
	// otherwise, a merge then copies the part from that record.
	Take bool
}

// eventsPerSide is how many versions of each of the two records are listed.
const eventsPerSide = 5

// SideBySide returns a comparison of two records. It returns ErrNotFound if the practice doesn't
// have both of them.
func (r *Records) SideBySide(ctx context.Context, p store.PracticeID, stays, goes string) (out SideBySide, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		left, err := r.side(v, p, stays)
		if err != nil {
			return err
		}
		right, err := r.side(v, p, goes)
		if err != nil {
			return err
		}
		out.Stays, out.Goes = left.Side, right.Side
		out.parts(left, right)
		fields, err := v.CustomFields(p)
		if err != nil {
			return err
		}
		for _, f := range fields {
			out.add(Part{Key: birth.CustomPart + f.Key, Subject: "Custom fields", Label: f.Label, Stays: left.own[f.Key], Goes: right.own[f.Key]})
		}
		slices.SortStableFunc(out.Parts, func(a, b Part) int { return rank(a) - rank(b) })
		if out.Waits, err = waits(v, p, out.Stays.Record, out.Goes.Record); err != nil {
			return err
		}
		out.Merge, err = r.mergeOf(v, p, out.Stays.Record, out.Goes.Record)
		return err
	})
	return out, store.Translate(err, store.ErrNotFound, ErrNotFound)
}

func rank(p Part) int {
	if p.Differs {
		return 0
	}
	return 1
}

func waits(v *store.View, p store.PracticeID, a, b store.Record) (bool, error) {
	if a.State != birth.Active || b.State != birth.Active {
		return false, nil
	}
	like, err := similar(v, p, a.ID)
	return slices.ContainsFunc(like, func(r store.Record) bool { return r.ID == b.ID }), err
}

// mergeOf returns the merge of two records that is in effect, or nil. Either of the two records may
// be the one that stays.
func (r *Records) mergeOf(v *store.View, p store.PracticeID, a, b store.Record) (*Resolution, error) {
	goes, stays := a, b
	if b.MergedInto == a.ID {
		goes, stays = b, a
	}
	if goes.MergedInto != stays.ID {
		return nil, nil
	}
	merges, err := r.merges(v, p, goes) // the record that stays may have too many merges, but the merge is among the newest ones of the record that goes
	for i, w := range merges {
		if w.May && w.Stays.ID == stays.ID {
			return &merges[i], err
		}
	}
	return nil, err
}

// opened is one of the two records, with its decrypted content.
type opened struct {
	Side
	draft     birth.Draft
	providers []Provider
	own       map[string]string
}

func (r *Records) side(v *store.View, p store.PracticeID, id string) (o opened, err error) {
	if o.Record, err = v.Shown(p, id); err != nil {
		return o, err
	}
	at, err := v.VersionOf(p, o.ID, o.Version)
	if err != nil {
		return o, err
	}
	if o.draft, err = r.open(p, o.UUID, at.Held()); err != nil {
		return o, err
	}
	named, err := v.ProvidersOf(p, o.ID, at.Content)
	if err != nil {
		return o, err
	}
	o.providers = providersOf(named)
	for _, n := range o.providers { // providers are compared in the form in which the page shows them
		o.draft.Providers = append(o.draft.Providers, birth.Provider{Name: n.Name, Credentials: n.Credentials, Role: n.Role, Attending: n.Attending})
	}
	o.Mother, o.Newborns, o.Born = motherOf(o.draft), len(o.draft.Children), bornOf(o.draft)
	if o.own, _, err = r.custom(v, p, o.Record, o.Version); err != nil {
		return o, err
	}
	o.Events, err = r.events(v, p, o.Record, 0, eventsPerSide+1)
	o.More = len(o.Events) > eventsPerSide
	o.Events = o.Events[:min(len(o.Events), eventsPerSide)]
	return o, err
}

func (b *SideBySide) add(p Part) {
	if p.Stays == "" && p.Goes == "" {
		return
	}
	p.Differs = p.Differs || p.Stays != p.Goes
	p.Take = p.Stays == "" && p.Goes != ""
	if p.Differs {
		b.Differing++
	}
	b.Parts = append(b.Parts, p)
}

func (b *SideBySide) parts(stays, goes opened) {
	for _, part := range birth.Parts(stays.draft, goes.draft) {
		p := Part{Key: part.Key, Differs: !part.Same}
		switch part.Key {
		case birth.NewbornsPart:
			p.Subject, p.Label, p.Stays, p.Goes = "", "Newborns", newbornsText(stays.draft), newbornsText(goes.draft)
		case birth.ProvidersPart:
			p.Label, p.Stays, p.Goes = "Providers", lines(stays.providers), lines(goes.providers)
		case birth.TransfersPart:
			p.Label, p.Stays, p.Goes = "Transfers of care", transfersText(stays.draft), transfersText(goes.draft)
		case birth.ConsentPart:
			p.Label, p.Stays, p.Goes = "Consent", ConsentText(stays.draft.Consent), ConsentText(goes.draft.Consent)
		default:
			p.Label = part.Fields[0].Label
			left, right := subjectOf(stays.draft, part.Fields[0], part.Stays), subjectOf(goes.draft, part.Fields[0], part.Goes)
			if part.Fields[0].About == birth.Child {
				p.Subject = "Newborn"
				if len(stays.draft.Children) > 1 {
					p.Subject = fmt.Sprintf("Newborn %d", part.Stays+1)
				}
			}
			p.Stays, p.StaysFrom = partText(left, part.Fields)
			p.Goes, p.GoesFrom = partText(right, part.Fields)
		}
		b.add(p)
	}
}

func subjectOf(d birth.Draft, f *birth.Field, child int) birth.Values {
	switch f.About {
	case birth.Mother:
		return d.Mother
	case birth.Care:
		return d.Care
	}
	return d.Children[child]
}

// partText returns the text of the fields in one part of a merge, and the source of the last of
// these fields. A time of birth includes the date, so the date isn't repeated.
func partText(values birth.Values, fields []*birth.Field) (text string, source birth.Source) {
	var texts []string
	for _, f := range fields {
		v, ok := values.Get(f.Name)
		if !ok || f.Name == "birth_date" && values.Has("birth_datetime") {
			continue
		}
		shown := Text(f, v)
		if len(texts) > 0 {
			shown = lowerLabel(f) + ": " + shown
		}
		texts, source = append(texts, shown), v.Source
	}
	return strings.Join(texts, "; "), source
}

func lowerLabel(f *birth.Field) string { return strings.ToLower(f.Label[:1]) + f.Label[1:] }

func lines[T interface{ Text() string }](all []T) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = one.Text()
	}
	return strings.Join(texts, "; ")
}

func transfersText(d birth.Draft) string {
	all := make([]Transfer, len(d.Transfers))
	for i, t := range d.Transfers {
		all[i] = Transfer{Transfer: t}
	}
	return lines(all)
}

// newbornsText describes every newborn in a few words. It is used if a merge takes all newborns
// from the same record.
func newbornsText(d birth.Draft) string {
	var all []string
	for n, child := range d.Children {
		facts := []string{birth.When(birth.Born(child))}
		for _, name := range []string{"child_sex", "birth_weight_g"} {
			if v, ok := child.Get(name); ok {
				facts = append(facts, Text(birth.Must(name), v))
			}
		}
		all = append(all, fmt.Sprintf("Newborn %d: %s", n+1, strings.Join(facts, ", ")))
	}
	return strings.Join(all, "; ")
}
