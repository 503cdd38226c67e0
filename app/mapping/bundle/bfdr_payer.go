package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// PayerProfile is the last part of the profile for the Coverage that has the principal payer of a
// delivery.
const PayerProfile = "Coverage-principal-payer-delivery"

// BFDRPayer is a payer in BFDR's value set.
type BFDRPayer struct {
	Option string // an option of the spine's principal_payer
	Code   string // its code in the Source of Payment Typology
	// spelled is the payer's code in BFDR's own code system, which builds before 2.0.0 used.
	spelled string
}

// BFDRPayers lists the payers in BFDR's value set. It leaves out "Unavailable / Unknown" (9999),
// which says nothing.
var BFDRPayers = []BFDRPayer{
	{"private", "5", "privateinsurance"},
	{"medicaid", "2", "medicaid"},
	{"self_pay", "81", "selfpay"},
	{"ihs", "33", "indianhealth"},
	{"tricare", "311", "tricare"},
	{"other_government", "38", "othergov"},
	{"other", "99", "nosource"},
}

// mapPayer sets the principal payer in the draft. It uses the Coverages that have BFDR's profile.
// If there are none, it uses the other Coverages. If they name different payers, or if an
// Observation names another known payer, the payer is left out.
func (c *course) mapPayer(d *birth.Draft) {
	if c.bfdr == nil {
		return
	}
	var principal, others []*coverage
	for _, coverage := range c.bfdr.coverages {
		coverage.payer = payerOf(coverage.Type)
		if mapping.OptionContradicted(birth.Must("principal_payer"), coverage.payer, &coverage.Type, false) {
			c.trace.Drop(coverage.at, "", mapping.TextContradicts)
			continue
		}
		switch {
		case coverage.payer == "":
			c.trace.Drop(coverage.at, "", mapping.UnknownOption)
		case !c.pays(&coverage.Coverage, d):
			c.trace.Drop(coverage.at, "", mapping.DoesNotStand)
		case isPrincipal(&coverage.Coverage):
			principal = append(principal, coverage)
		default:
			c.trace.Drop(coverage.at, "", mapping.Superseded)
			others = append(others, coverage)
		}
	}
	if len(principal) == 0 {
		principal = others
	}
	care := c.states(d.Care)
	care.payer(principal)
	d.Care = care.Values
}

// payer sets the payer that the Coverages name. If they name different payers, or if an Observation
// names another known payer, it removes the payer.
func (s *states) payer(named []*coverage) {
	if len(named) == 0 {
		return
	}
	stated, payer := s.Text("principal_payer"), named[0].payer
	differs := slices.ContainsFunc(named, func(c *coverage) bool { return c.payer != payer })
	if differs || stated != "" && stated != "unknown" && stated != payer {
		s.lose("principal_payer", mapping.Contradicted)
		for _, coverage := range named {
			s.trace.Drop(coverage.at, "", mapping.Contradicted)
		}
		return
	}
	s.text("principal_payer", payer)
	for _, coverage := range named {
		s.trace.Join("principal_payer", -1, coverage.at, "")
	}
}

// payerOf returns the payer that a type of Coverage stands for. It returns "" if there is no such
// payer, or if there are several.
func payerOf(kind fhir.CodeableConcept) (payer string) {
	for _, coding := range kind.Coding {
		for _, p := range BFDRPayers {
			spelled := strings.TrimPrefix(coding.Code, "finclass_") == p.spelled && ofSystem(coding.System, bfdrCodes)
			if !spelled && !(coding.Code == p.Code && ofSystem(coding.System, mapping.SOPTURL)) {
				continue
			}
			if payer != "" && payer != p.Option {
				return ""
			}
			payer = p.Option
		}
	}
	return payer
}

func isPrincipal(c *fhir.Coverage) bool {
	return slices.ContainsFunc(c.Meta.Profile, func(profile string) bool {
		name := strings.ToLower(fhir.LastSegment(profile))
		return strings.HasPrefix(name, "coverage-principal-payer")
	})
}

// counts reports whether a Coverage is active. A Coverage without a status is assumed to be active,
// just as a Procedure without a status is assumed to be completed. A Coverage with a
// modifierExtension isn't active, because the extension may reverse its meaning.
func counts(c *fhir.Coverage) bool {
	stated := c.Status != "" || len(c.StatusElement.All()) > 0
	return (c.Status == "active" || !stated) && len(c.ModifierExtension) == 0
}

// pays reports whether a Coverage paid for the births. It must be active (counts), and its
// beneficiary, if any, must be the mother. It must also have been in force at every birth for which
// the day is known.
func (c *course) pays(coverage *fhir.Coverage, d *birth.Draft) bool {
	if !counts(coverage) {
		return false
	}
	if whom, _ := c.subjects.whom(coverage.Beneficiary); whom != aMother && whom != nobody {
		return false
	}
	start, end := mapping.MomentOf(coverage.Period.Start), mapping.MomentOf(coverage.Period.End)
	for _, child := range d.Children {
		if born := mapping.MomentOf(child.Text("birth_date")); born.Exact() && mapping.OutsidePeriod(start, end, born.First) {
			return false
		}
	}
	return true
}
