package archive

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// admit checks the content of a row. The values must already have the types of their columns. admit
// also converts the content to the form in which this program stores it.
func (r row) admit() error {
	check := admissions[r.table.Name]
	if check == nil {
		return nil
	}
	if err := check(r); err != nil {
		return damaged("a row of %s %s", r.table.Name, err)
	}
	return nil
}

func (r row) set(name string, value any) {
	for i, c := range r.table.Columns {
		if c.Name == name {
			r.values[i] = value
		}
	}
}

// admissions has a function for each table whose rows are checked, by the table's name
// (store.ArchiveTable).
var admissions = map[string]func(row) error{
	"users": func(r row) error {
		email := r.text("email")
		return shape(len(email) <= 254 && strings.Count(email, "@") == 1 && email == strings.ToLower(email) && !strings.ContainsFunc(email, isUnseen) &&
			utf8.RuneCountInString(r.text("name")) <= 200 && !strings.ContainsFunc(r.text("name"), unicode.IsControl))
	},
	"practice": func(r row) error {
		zone := r.text("time_zone")
		_, err := time.LoadLocation(zone)
		return shape(err == nil && zone != "" && zone != "Local" && r.text("name") != "" && utf8.RuneCountInString(r.text("name")) <= 200 &&
			!strings.ContainsFunc(r.text("name"), unicode.IsControl))
	},
	"ingestions": func(r row) error {
		ended := r.text("status") == string(store.Completed) || r.text("status") == string(store.Failed)
		if r.at("outcome") == nil { // a receipt that has expired
			r.set("outcome", []byte{})
		}
		return shape(ended && r.at("completed_at") != nil && isUUID(r.text("public_id")))
	},
	"imports": func(r row) error {
		return shape(r.at("ingestion") != nil && r.at("about") != nil && isUUID(r.text("public_id")))
	},
	"undos":         func(r row) error { return shape(r.at("ended_at") != nil) },
	"drafts":        func(r row) error { return shape(r.at("content") != nil && len(r.text("token")) <= 100) },
	"matches":       func(r row) error { return shape(r.at("columns") != nil) },
	"providers":     func(r row) error { return shape(r.identity().Key != "") },
	"versions":      row.admitVersion,
	"custom_values": row.admitCustom,
	"records": func(r row) error {
		chart, ok := birth.Chart(r.text("chart"))
		if r.isFuture("stamp") || r.isFuture("saved") {
			return errFuture
		}
		return shape(ok && chart == r.text("chart") && isUUID(r.text("uuid")))
	},
}

// errFuture means that the time stamp of a record is more than a day in the future. The sender
// states this time. Until then, every amendment would be rejected as older than the record.
var errFuture = errors.New("has a stamp in the future; check the clocks of both machines")

func (r row) isFuture(stamp string) bool {
	return r.number(stamp) > time.Now().Add(24*time.Hour).UnixNano()
}

func isUUID(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && len(s) == 36
}

func isUnseen(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// admitVersion removes everything that isn't in the spine (birth.Spine) from a version's content.
// It returns an error if the content can't be read or exceeds a limit.
func (r row) admitVersion() error {
	clinical, has := r.at("clinical").(string)
	patient, sealed := r.at("patient").([]byte)
	if !has && !sealed {
		return nil
	}
	if !has || !sealed {
		return errShape
	}
	course, err := birth.Readmit([]byte(clinical), patient)
	if errors.Is(err, birth.ErrTooMany) {
		return err
	}
	if err != nil {
		return errShape
	}
	r.set("clinical", string(course.Clinical()))
	r.set("patient", course.Patient())
	return nil
}

func (r row) admitCustom() error {
	content, _ := r.at("values").([]byte)
	if !hasAtMost(maxCustom, content) {
		return fmt.Errorf("has more than %d custom fields", maxCustom)
	}
	var values map[string]string
	return shape(json.Unmarshal(content, &values) == nil)
}

func (r row) identity() (i records.ProviderIdentity) {
	content, _ := r.at("identity").([]byte)
	if json.Unmarshal(content, &i, json.RejectUnknownMembers(true)) != nil {
		return records.ProviderIdentity{}
	}
	return i
}
