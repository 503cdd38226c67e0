package changes

import (
	"errors"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// linkProviders links a record with the providers who took part in the birth,
// each in the role that they had on that day (birth.Career). If the change
// states another role for the attendant, the record takes the role from the
// career.
func (s *Set) linkProviders(t *Target, c *Change, version int) error {
	month := c.course.Facts().BirthMonth
	first, roles, at := len(s.attributions), map[string]birth.Role{}, map[int64]int{}
	for _, named := range c.providers {
		id, role, err := s.provider(named, s.roles[t.ID], month)
		if err != nil {
			return err
		}
		roles[named.named.Key] = role
		if n, again := at[id]; again { // a provider is listed once, as attending if any mention says so
			s.attributions[n].Attending = s.attributions[n].Attending || named.attending
			continue
		}
		at[id] = len(s.attributions)
		s.attributions = append(s.attributions, store.Attribution{
			Record: t.ID, Version: version, Provider: id, Attending: named.attending, Role: role,
		})
	}
	stated := s.roles[t.ID]
	if stated == nil {
		stated = map[int64]birth.Role{}
		s.roles[t.ID] = stated
	}
	clear(stated)
	for _, a := range s.attributions[first:] {
		stated[a.Provider] = a.Role
	}
	c.course = withRoles(c.course, roles)
	return nil
}

// withRoles returns a course whose providers have the roles that count. roles
// holds them by key.
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
	d.Care, d.Providers = slices.Clone(d.Care), slices.Clone(d.Providers)
	d.Care.Set(birth.Must("attendant_type"), stated)
	d.Providers[attendant].Role = role
	return birth.Mask(d)
}

// provider returns the id of a named provider and the role that counts for the
// birth. It adds an unknown provider, and new facts about a known one. before
// holds the roles that the record stated until now, by provider.
//
// An identity that was merged into another still has a career of its own:
// otherwise a role that it gets later would count for earlier births. The
// survivor's name and role come from the survivor's own career.
func (s *Set) provider(named provider, before map[int64]birth.Role, month string) (int64, birth.Role, error) {
	now, thisMonth := named.row, s.tx.Now.Format("2006-01")
	known, ok, err := s.knownAs(named)
	if err != nil {
		return 0, "", err
	}
	if !ok {
		since := month
		if since == "" {
			since = thisMonth
		}
		row, err := s.newProvider(named, since)
		return row.ID, row.Role, err
	}
	if now.Name == "" {
		now.Name = known.Name
	}
	if now.Credentials == "" || birth.IsTyped(named.named.Key) && known.Credentials != "" && now.Role == known.Role {
		now.Credentials, now.Role = known.Credentials, known.Role
	}
	career, was := s.careers[known.ID], before[known.ID]
	if month == thisMonth { // an amendment so soon corrects what the record stated
		was = ""
	}
	role := career.RoleAtBirth(month, was, now.Role)
	since, news := career.Learn(now.Role, was, month, thisMonth)
	if !news && now.Role != known.Role { // a past role, stated again
		return known.ID, role, nil
	}
	if !news && now.Name == known.Name && now.Credentials == known.Credentials {
		return known.ID, role, nil
	}
	now.ID, now.Survivor = known.ID, known.Survivor
	if !news { // another name, or another title for the same
		s.known[string(now.Identity)] = now
		return known.ID, role, s.tx.UpdateProvider(s.practice, now, "")
	}
	s.careers[known.ID] = career.Add(birth.Post{Role: now.Role, Since: since})
	if s.careers[known.ID].Present() != now.Role { // that was the role once
		return known.ID, role, s.tx.LogProvider(s.practice, now, since)
	}
	s.known[string(now.Identity)] = now
	return known.ID, role, s.tx.UpdateProvider(s.practice, now, since)
}

// knownAs returns the provider on file whom a change names: the one with the same stable
// identity, or for a typed name, the only one of the practice with that name and role.
// Nobody types an identifier, so one person stays one provider however they came. Where
// two have the name, it stays open who was meant.
func (s *Set) knownAs(named provider) (known store.Provider, ok bool, err error) {
	identity := string(named.row.Identity)
	if known, ok = s.known[identity]; ok || !birth.IsTyped(named.named.Key) {
		return known, ok, nil
	}
	same, err := s.tx.ProvidersNamed(s.practice, named.row.Name, named.row.Role, 2)
	if err != nil || len(same) != 1 {
		return known, false, err
	}
	if _, read := s.careers[same[0].ID]; !read {
		careers, err := s.tx.Careers(s.practice, []int64{same[0].ID})
		if err != nil {
			return known, false, err
		}
		s.careers[same[0].ID] = careers[same[0].ID]
	}
	s.known[identity] = same[0]
	return same[0], true, nil
}

func (s *Set) newProvider(named provider, since string) (store.Provider, error) {
	row := named.row
	var err error
	if row.Sealed, err = records.SealProvider(s.vault, s.practice, row.Identity, named.named.Key, named.named.NPI); err != nil {
		return row, err
	}
	if row.ID, err = s.tx.AddProvider(s.practice, row, since); err != nil {
		return row, err
	}
	if err := s.joinGroup(&row); err != nil {
		return row, err
	}
	s.known[string(row.Identity)] = row
	s.careers[row.ID] = birth.Career{{Role: row.Role, Since: since}}
	return row, nil
}

// joinGroup makes a new identity join the provider that an admin chose for its
// group.
func (s *Set) joinGroup(row *store.Provider) error {
	into, err := s.tx.JoinedBy(s.practice, row.Group())
	if err != nil || into == 0 {
		return err
	}
	if err := s.tx.SetMerged(s.practice, row.ID, into); err != nil {
		return err
	}
	found, err := s.tx.Provider(s.practice, row.ID)
	row.Survivor = found.Survivor
	return errors.Join(err, s.tx.LogMerge(s.practice, "merge", row.ID, into, 0))
}
