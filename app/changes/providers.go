package changes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// linkProviders links a record with the providers who took part in the birth. Each provider is
// linked with the role that they had at the birth (birth.Career.RoleAtBirth), which may differ from
// the role that the change states.
func (s *Set) linkProviders(t *Target, c *Change, version int) error {
	month := c.course.BirthMonth()
	first, resolved, at := len(s.attributions), map[string]birth.Provider{}, map[int64]int{}
	for _, named := range c.providers {
		id, role, err := s.provider(named, s.roles[t.ID], month)
		if err != nil {
			return err
		}
		resolved[named.named.Key] = s.as(named, role)
		if n, again := at[id]; again { // each provider is linked only once, and as the attendant if any mention says so
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
	c.course = attendedBy(c.course, resolved)
	return nil
}

// as returns a provider in the form in which the record lists them: in the given role and, if a
// person typed the name, with the name and credentials that are on file.
func (s *Set) as(named provider, role birth.Role) birth.Provider {
	p := named.named
	p.Role = role
	if known, ok := s.known[string(named.row.Identity)]; ok && birth.IsTyped(p.Key) {
		p.Name, p.Credentials = known.Name, known.Credentials
	}
	return p
}

// attendedBy returns the course with the attendant's role, name and credentials taken from
// resolved, which maps keys to providers. If the course states a type of attendant that differs
// from the attendant's role, attendedBy returns the course unchanged.
func attendedBy(c birth.Course, resolved map[string]birth.Provider) birth.Course {
	d := c.Draft()
	at := slices.IndexFunc(d.Providers, func(p birth.Provider) bool { return p.Attending })
	if at < 0 {
		return c
	}
	was := d.Providers[at]
	now, ok := resolved[was.Key]
	stated, _ := d.Care.Get("attendant_type")
	if !ok || now == was || stated.Text != string(was.Role) {
		return c
	}
	d.Care, d.Providers = slices.Clone(d.Care), slices.Clone(d.Providers)
	d.Providers[at] = now
	for field, text := range map[string]string{
		"attendant_type": string(now.Role), "attendant_name": now.Name, "attendant_credentials": now.Credentials,
	} {
		if v, stated := d.Care.Get(field); stated && text != "" { // replaces the text and keeps the source
			v.Text = text
			d.Care.Set(birth.Must(field), v)
		}
	}
	return birth.Mask(d)
}

// provider returns the ID of a provider whom a change names, and the role that they had at the
// birth. It adds an unknown provider. It updates a known provider if the change states something
// new. before holds the roles that the record has stated until now, by provider ID. month is the
// month of the birth.
//
// If a provider was merged into another one, new roles are still added to the roles of the merged
// provider, and the other provider keeps its name and role. Otherwise the merged provider's roles
// wouldn't show when a role began, and earlier births would get that role, too.
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
	key, typed := string(now.Identity), birth.IsTyped(named.named.Key)
	if now.Name == "" || typed && !(bytes.Equal(known.Identity, now.Identity) && inOneCase(known.Name)) {
		now.Name = known.Name // a typed name replaces another one only if that one was typed carelessly
	}
	if named.named.Untitled() || now.Role == known.Role && (now.Credentials == "" || typed && known.Credentials != "") {
		now.Credentials, now.Role = known.Credentials, known.Role
	}
	career, was := s.careers[known.ID], before[known.ID]
	if month == thisMonth { // the birth was this month, so an amendment corrects the role
		was = ""
	}
	role := career.RoleAtBirth(month, was, now.Role)
	since, news := career.Learn(now.Role, was, month, thisMonth)
	if !news && now.Role != known.Role { // the stated role is one that the provider had in the past
		return known.ID, role, nil
	}
	if !news && now.Name == known.Name && now.Credentials == known.Credentials {
		return known.ID, role, nil
	}
	now.ID, now.Identity, now.NPI, now.Survivor = known.ID, known.Identity, known.NPI, known.Survivor
	if !news { // the role is the same, and only the name or the credentials differ
		s.known[key], s.known[string(now.Identity)] = now, now
		return known.ID, role, s.tx.UpdateProvider(s.practice, now, "")
	}
	s.careers[known.ID] = career.Add(birth.Post{Role: now.Role, Since: since})
	if s.careers[known.ID].Present() != now.Role { // the stated role is one that the provider had in the past
		return known.ID, role, s.tx.LogProvider(s.practice, now, since)
	}
	s.known[key], s.known[string(now.Identity)] = now, now
	return known.ID, role, s.tx.UpdateProvider(s.practice, now, since)
}

// knownAs returns the provider on file whom a change means: the provider with the same key or, if a
// person typed the name, the provider whose name matches. People don't type identifiers, so without
// matching by name, one provider would become several.
func (s *Set) knownAs(named provider) (known store.Provider, ok bool, err error) {
	identity := string(named.row.Identity)
	if known, ok = s.known[identity]; ok || !birth.IsTyped(named.named.Key) {
		return known, ok, nil
	}
	same, err := s.tx.ProvidersNamed(s.practice, named.row.Name, mostNamesakes)
	if err != nil {
		return known, false, err
	}
	if known, ok = meant(named.named, same); !ok {
		return known, false, nil
	}
	if _, read := s.careers[known.ID]; !read {
		careers, err := s.tx.Careers(s.practice, []int64{known.ID})
		if err != nil {
			return known, false, err
		}
		s.careers[known.ID] = careers[known.ID]
	}
	s.known[identity] = known
	return known, true, nil
}

// inOneCase reports whether a name is all lower case or all upper case.
func inOneCase(name string) bool {
	return name == strings.ToLower(name) || name == strings.ToUpper(name)
}

// mostNamesakes is the maximum number of providers with the same name that are read. If there are
// that many, no match is certain.
const mostNamesakes = 50

// meant returns the provider on file whom a typed name means. It is the provider with the same name
// or, if several providers have the name, the one with the typed role. meant returns false if no
// provider has the name, if several may be meant, or if the only provider with the name has another
// role.
func meant(typed birth.Provider, known []store.Provider) (store.Provider, bool) {
	if len(known) >= mostNamesakes {
		return store.Provider{}, false
	}
	known = slices.DeleteFunc(known, func(k store.Provider) bool { return birth.SpokenName(k.Name) != birth.SpokenName(typed.Name) })
	inRole := slices.DeleteFunc(slices.Clone(known), func(k store.Provider) bool { return k.Role != typed.Role })
	if len(inRole) > 0 && !typed.Untitled() {
		known = inRole
	}
	if len(known) == 0 || !onePerson(known) {
		return store.Provider{}, false
	}
	first := known[0]
	return first, typed.MayBe(birth.Provider{Name: first.Name, Credentials: first.Credentials, Role: first.Role})
}

// onePerson reports whether providers with the same name are one person: they were merged into each
// other, or they have the same NPI.
func onePerson(known []store.Provider) bool {
	first := known[0]
	return !slices.ContainsFunc(known, func(k store.Provider) bool {
		return cmp.Or(k.Survivor, k.ID) != cmp.Or(first.Survivor, first.ID) && (len(k.NPI) == 0 || !bytes.Equal(k.NPI, first.NPI))
	})
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

// joinGroup merges a new provider into the one that an admin has chosen for its group, if there is
// one. Providers belong to the same group if they have the same name, and the same NPI or none.
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

// Meant returns the provider on file whom a typed name will match when it is saved. If no provider
// has the name, known is the zero value. If providers have the name but it isn't certain which of
// them is meant, open is true, and saving adds the typed name as a new provider.
func (w *Writer) Meant(ctx context.Context, p store.PracticeID, typed birth.Provider) (known store.Provider, open bool, err error) {
	same, err := store.Read(ctx, w.db, func(v *store.View) ([]store.Provider, error) {
		return v.ProvidersNamed(p, typed.Name, mostNamesakes)
	})
	if err != nil || len(same) == 0 {
		return known, false, err
	}
	known, ok := meant(typed, same)
	return known, !ok, nil
}
