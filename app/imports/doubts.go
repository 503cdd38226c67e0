package imports

import (
	"fmt"
	"regexp"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/sheet"
)

// doubt adds a note about a doubtful attendant to the first birth that names that attendant.
func (f *previewer) doubt(v *rowResult, who birth.Provider) {
	if who.Name == "" || f.doubted[who.Key] {
		return
	}
	f.doubted[who.Key] = true
	v.notes = append(v.notes, sheet.Cell{Row: v.Row, Column: "attendant_name", Text: fmt.Sprintf(
		"A provider on file named %s has another role, or several providers have this name. The import adds another provider. If they are one person, correct the credentials in the file, or have them merged afterward under Review, Providers.", who.Name)})
}

// severalNames matches an attendant's name if it may consist of the names of several people, such
// as "Ann Lee / Mary Poe".
var severalNames = regexp.MustCompile(`[/&+;]| and `)

// doubtNames adds a note to the first birth whose attendant may be several people. The import would
// add them as one provider.
func (f *previewer) doubtNames(v *rowResult) {
	if v.Outcome == "error" || v.Outcome == "unchanged" {
		return
	}
	readable := v.course.Readable()
	name := readable.Care.Text("attendant_name")
	if f.doubted[name] || !severalNames.MatchString(name) {
		return
	}
	f.doubted[name] = true
	v.notes = append(v.notes, sheet.Cell{
		Row: v.Row, Column: "attendant_name",
		Text: "These may be several people, but the import adds them as one provider. Write the name of the one who attended, and add the others to the record afterward.",
	})
}
