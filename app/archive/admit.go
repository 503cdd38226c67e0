package archive

import (
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// admit checks a row beyond the types of its columns, and puts its content into the form
// that this program stores.
func (r row) admit() error {
	check := admissions[r.table.Name]
	if check != nil && !check(r) {
		return damaged("a row of %s is not as this program writes it", r.table.Name)
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

// admissions are the checks of rows, by member.
var admissions = map[string]func(row) bool{
	"users": func(r row) bool {
		email := r.text("email")
		return len(email) <= 254 && strings.Count(email, "@") == 1 && email == strings.ToLower(email) && !strings.ContainsFunc(email, isUnseen) &&
			len(r.text("name")) <= 200 && !strings.ContainsFunc(r.text("name"), unicode.IsControl)
	},
	"practice": func(r row) bool {
		zone := r.text("time_zone")
		_, err := time.LoadLocation(zone)
		return err == nil && zone != "" && zone != "Local" && r.text("name") != "" && len(r.text("name")) <= 200 &&
			!strings.ContainsFunc(r.text("name"), unicode.IsControl)
	},
	"ingestions": func(r row) bool {
		ended := r.text("status") == string(store.Completed) || r.text("status") == string(store.Failed)
		if r.at("outcome") == nil { // a receipt that has expired
			r.set("outcome", []byte{})
		}
		return ended && r.at("completed_at") != nil && isUUID(r.text("public_id"))
	},
	"imports": func(r row) bool {
		return r.at("ingestion") != nil && r.at("about") != nil && isUUID(r.text("public_id"))
	},
	"undos":         func(r row) bool { return r.at("ended_at") != nil },
	"drafts":        func(r row) bool { return r.at("content") != nil && len(r.text("token")) <= 100 },
	"matches":       func(r row) bool { return r.at("columns") != nil },
	"providers":     func(r row) bool { return r.identity().Key != "" },
	"versions":      row.admitVersion,
	"custom_values": row.admitCustom,
	"records": func(r row) bool {
		chart, ok := birth.Chart(r.text("chart"))
		return ok && chart == r.text("chart") && isUUID(r.text("uuid"))
	},
}

func isUUID(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && len(s) == 36
}

func isUnseen(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// admitVersion lets in only what the spine allows.
func (r row) admitVersion() bool {
	clinical, has := r.at("clinical").(string)
	patient, sealed := r.at("patient").([]byte)
	if !has && !sealed {
		return true
	}
	course, err := birth.Readmit([]byte(clinical), patient)
	if !has || !sealed || err != nil {
		return false
	}
	r.set("clinical", string(course.Clinical()))
	r.set("patient", course.Patient())
	return true
}

func (r row) admitCustom() bool {
	content, _ := r.at("values").([]byte)
	var values map[string]string
	return json.Unmarshal(content, &values) == nil
}

// identity is what identifies a provider.
type identity struct {
	Key string `json:"key"`
	NPI string `json:"npi"`
}

func (r row) identity() (i identity) {
	content, _ := r.at("identity").([]byte)
	if json.Unmarshal(content, &i, json.RejectUnknownMembers(true)) != nil {
		return identity{}
	}
	return i
}
