package intake

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// attributeAll enters who took part in a birth, each in the role that they had
// on its day (birth.Career). Where that is another one than the submission says
// of the attendant, what the record says of the attendant's role follows.
func (b *board) attributeAll(e *entry, sub *submission, version int) error {
	month := sub.course.Facts().BirthMonth
	first, roles, at := len(b.people), map[string]birth.Role{}, map[int64]int{}
	for _, named := range sub.providers {
		id, role, err := b.provider(named, b.roles[e.ID], month)
		if err != nil {
			return err
		}
		roles[named.named.Key] = role
		if n, again := at[id]; again { // a provider stands there once, attending if any mention says so
			b.people[n].Attending = b.people[n].Attending || named.attending
			continue
		}
		at[id] = len(b.people)
		b.people = append(b.people, store.Attribution{
			Record: e.ID, Version: version, Provider: id, Attending: named.attending, Role: role,
		})
	}
	said := b.roles[e.ID]
	if said == nil {
		said = map[int64]birth.Role{}
		b.roles[e.ID] = said
	}
	clear(said)
	for _, a := range b.people[first:] {
		said[a.Provider] = a.Role
	}
	sub.course = withRoles(sub.course, roles)
	return nil
}

// withRoles returns a course whose providers have the roles that count, by key.
func withRoles(c birth.Course, roles map[string]birth.Role) birth.Course {
	d := c.Draft()
	attendant := slices.IndexFunc(d.Providers, func(p birth.Provider) bool { return p.Attending })
	if attendant < 0 {
		return c
	}
	was := d.Providers[attendant].Role
	role := roles[d.Providers[attendant].Key]
	stated, ok := d.Care.Get("attendant_type")
	if role == was || !ok || stated.Text != string(was) {
		return c
	}
	stated.Text = string(role)
	d.Care = slices.Clone(d.Care)
	d.Care.Set(birth.Must("attendant_type"), stated)
	return birth.Mask(d)
}

// provider returns the id of a named provider and the role that counts for the
// birth, entering a provider that is new and what is new of one that is known.
// before are the roles that the record said until now, by provider.
//
// An identity that was merged into another has a career of its own all the same:
// else a role that it comes to afterwards would count for births before it. What
// the survivor is called and does is told by the survivor's own.
func (b *board) provider(named provider, before map[int64]birth.Role, month string) (int64, birth.Role, error) {
	now, thisMonth := named.row, b.tx.Now.Format("2006-01")
	known, ok := b.known[string(now.Identity)]
	if !ok {
		since := month
		if since == "" {
			since = thisMonth
		}
		row, err := b.newProvider(named, since)
		return row.ID, row.Role, err
	}
	if now.Name == "" {
		now.Name = known.Name
	}
	if now.Credentials == "" {
		now.Credentials, now.Role = known.Credentials, known.Role
	}
	career, was := b.careers[known.ID], before[known.ID]
	if month == thisMonth { // an amendment so soon corrects what the record said
		was = ""
	}
	role := career.RoleAtBirth(month, was, now.Role)
	since, news := career.Learn(now.Role, was, month, thisMonth)
	if !news && now.Role != known.Role { // how it was, said again
		return known.ID, role, nil
	}
	if !news && now.Name == known.Name && now.Credentials == known.Credentials {
		return known.ID, role, nil
	}
	now.ID, now.Survivor = known.ID, known.Survivor
	if !news { // another name, or another title for the same
		b.known[string(now.Identity)] = now
		return known.ID, role, b.tx.UpdateProvider(b.practice, now, "")
	}
	b.careers[known.ID] = career.Add(birth.Post{Role: now.Role, Since: since})
	if b.careers[known.ID].Present() != now.Role { // it was so once
		return known.ID, role, b.tx.LogProvider(b.practice, now, since)
	}
	b.known[string(now.Identity)] = now
	return known.ID, role, b.tx.UpdateProvider(b.practice, now, since)
}

func (b *board) newProvider(named provider, since string) (store.Provider, error) {
	row := named.row
	var err error
	if row.Sealed, err = records.SealProvider(b.vault, b.practice, row.Identity, named.named.Key, named.named.NPI); err != nil {
		return row, err
	}
	if row.ID, err = b.tx.AddProvider(b.practice, row, since); err != nil {
		return row, err
	}
	if err := b.join(&row); err != nil {
		return row, err
	}
	b.known[string(row.Identity)] = row
	b.careers[row.ID] = birth.Career{{Role: row.Role, Since: since}}
	return row, nil
}
