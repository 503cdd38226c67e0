package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/google/uuid"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/demo"
	"birthregistry/app/drafts"
	"birthregistry/assets"
	"birthregistry/store"
)

// leaveWork gives the demo the kinds of unfinished work that a practice would have: drafts, a
// spreadsheet that nobody has confirmed, an invitation, and a value entered by hand that a push has
// replaced. Without these, some pages would be empty.
func leaveWork(ctx context.Context, out io.Writer, a *app.App, t tryout, c *client, births []byte) error {
	who, err := t.user(ctx, a)
	if err != nil {
		return err
	}
	for n, typed := range unfinished(time.Now().In(who.Practice.Location())) {
		token := uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "draft %d of the demo", n)).String()
		if _, err := a.Drafts.Save(ctx, who, token, 0, drafts.Content{Typed: typed}); err != nil {
			return err
		}
	}
	if _, err := a.Imports.Upload(ctx, who, "births-sample.csv", bytes.NewReader(assets.SampleSpreadsheet)); err != nil {
		return err
	}
	if _, _, err := a.Auth.AddUser(t.practice, "maren@example.org", "Maren Lind", auth.Provider, ""); err != nil {
		return err
	}
	chart, err := replaceByHand(ctx, a, who, c, births)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "left to do: two drafts, a spreadsheet to confirm, an invitation, and a weight of %s that a push has replaced\n", chart)
	return err
}

// user returns the admin of the demo as a signed-in user.
func (t tryout) user(ctx context.Context, a *app.App) (auth.User, error) {
	known, err := store.Read(ctx, a.DB, func(v *store.View) (store.User, error) { return v.UserByEmail(t.email) })
	if err != nil {
		return auth.User{}, err
	}
	who, _, err := a.Auth.UserIn(ctx, known.ID, t.practice)
	return who, err
}

// unfinished returns two unfinished forms: a birth of twins, of whom only the first is filled in,
// and a birth with an unlikely weight.
func unfinished(now time.Time) []url.Values {
	day := func(ago int) []string { return []string{now.AddDate(0, 0, -ago).Format("1/2/2006")} }
	return []url.Values{
		{
			"mother_family_name": {"Larsen"}, "mother_given_names": {"Signe"}, "mother_birth_date": {"4/9/1993"},
			"plurality": {"2"}, "gravida": {"3"}, "parity": {"2"}, "planned_birth_setting": {"birth_center"},
			"child.0.birth_date": day(1), "child.0.birth_datetime.time": {"4:18 am"}, "child.0.sex": {"female"},
			"child.0.birth_weight_g": {"6 lb 2 oz"}, "child.0.delivery_method": {"vaginal_spontaneous"},
			"child.0.apgar_one_minute": {"8"}, "child.0.apgar_five_minute": {"9"},
			"child.1.birth_date": day(1), "child.1.birth_datetime.time": {"4:31 am"},
			"person.0.name": {"Jane Rivers"}, "person.0.credentials": {"CPM"}, "person.0.attending": {"yes"},
		},
		{
			"mother_family_name": {"Haddad"}, "mother_given_names": {"Layla"}, "gravida": {"2"},
			"child.0.birth_date": day(3), "child.0.birth_weight_g": {"480"}, "child.0.gestational_age_weeks": {"39+4"},
		},
	}
}

// replaceByHand corrects a birth weight by hand, and then pushes the same birth again without a
// timestamp. The registry can't know which value is newer, so the record waits for a review.
// replaceByHand returns the record's chart number.
func replaceByHand(ctx context.Context, a *app.App, who auth.User, c *client, births []byte) (chart string, err error) {
	weight := birth.Must("birth_weight_g")
	for n := demoBirths - 2; n > 0; n-- {
		chart = demo.Chart(n)
		id, err := a.Records.Exact(ctx, who.Practice.ID, chart)
		if err != nil {
			return "", err
		}
		base, err := a.Changes.BaseVersion(ctx, who.Practice.ID, id)
		if err != nil {
			return "", err
		}
		stated, known := base.Draft.Children[0].Get(weight.Name)
		if !known {
			continue
		}
		base.Draft.Children[0].Set(weight, birth.Value{Number: stated.Number + 110, Source: birth.Manual})
		form := changes.Form{Draft: base.Draft, Custom: base.Custom, UUID: id, BaseVersion: base.Record.Version}
		if _, err := a.Changes.Save(who, form); err != nil {
			return "", err
		}
		again, err := demo.Unstamped(births, chart)
		if err != nil {
			return "", err
		}
		var p pushed
		return chart, p.push(ctx, c, again)
	}
	return "", errors.New("no birth of the demo has a weight")
}
