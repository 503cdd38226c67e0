package guide

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/assets"
)

var gap = regexp.MustCompile(`\{\{\.(\w+)\}\}`)

// fill replaces the placeholders in a page, such as {{.Base}}, with facts that the code knows. It
// returns an error for an unknown placeholder. It doesn't use text/template, which finds methods by
// name. The linker would then have to keep every method of the program, 3 MB.
func (f Facts) fill(page string) (text string, err error) {
	known := f.known()
	text = gap.ReplaceAllStringFunc(page, func(found string) string {
		say, ok := known[gap.FindStringSubmatch(found)[1]]
		if !ok {
			err = fmt.Errorf("nothing is known of %s", found)
			return found
		}
		return say()
	})
	return text, err
}

// known returns the placeholders that pages may use. For each placeholder, it returns the function
// that makes the text for it.
func (f Facts) known() map[string]func() string {
	return map[string]func() string{
		"Base":               func() string { return f.Base },
		"RateLimit":          func() string { return strconv.Itoa(f.RateLimit) },
		"AnonymousRateLimit": func() string { return strconv.Itoa(f.AnonymousRateLimit) },
		"MaxBody":            func() string { return humanize.IBytes(uint64(f.MaxBodyBytes)) },
		"MaxDepth":           func() string { return strconv.Itoa(fhir.MaxDepth) },
		"BufferTTL":          f.bufferTTL,
		"Samples":            samples,
		"RoleTexts":          roleTexts,
		"Roles":              roles,
		"Answers":            func() string { return problems(true) },
		"Rejections":         func() string { return problems(false) },
		"Exceptions":         exceptions,
		"Codes":              codes,
		"Others":             others,
		"Reasons":            reasons,
		"Reading":            func() string { return f.Reading.About() },
		"BFDRItems":          bfdrItems,
		"BFDRPayers":         bfdrPayers,
		"NotABundle":         func() string { return outcome(fhir.NotABundle, 0) },
		"NoMother":           func() string { return outcome(fhir.NoMother, 8, "Bundle.entry[1].resource.entry") },
	}
}

// bufferTTL returns a text that says how long a submitted Bundle may wait for processing.
func (f Facts) bufferTTL() string {
	if f.BufferFor%time.Hour == 0 {
		return fmt.Sprintf("%.0f hours", f.BufferFor.Hours())
	}
	return f.BufferFor.String()
}

// roleTexts returns a list of the roles, with the purpose of each role.
func roleTexts() string {
	var b strings.Builder
	for _, r := range auth.Roles {
		fmt.Fprintf(&b, "- **%s**: %s\n", r.Label, r.About)
	}
	return b.String()
}

// samples returns a list of links to the sample Bundles.
func samples() string {
	var b strings.Builder
	names, _ := fs.Glob(assets.Samples, "samples/*.json") // the pattern is valid
	for _, name := range names {
		fmt.Fprintf(&b, "- [%[1]s](/docs/samples/%[1]s)\n", path.Base(name))
	}
	return b.String()
}
