// Package demo invents the births of a small practice, so that its pages look as they would after
// three years: lists of several pages, statistics with intervals, a pair of possible duplicates.
// The people do not exist. The distributions are roughly those of planned home and birth center
// births in the United States: a few percent are cesareans after a transfer, half have no tear, and
// about a tenth of the facts are not recorded.
//
// Births are written as FHIR R4 BFDR Bundles and pushed like any other. The same random source and
// time give the same births.
package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Births returns a batch Bundle of n invented births, oldest first. The births are spread over
// three years, and the argument until is the end of these years. One more entry repeats the last
// birth under another chart number, so that there is a pair of possible duplicates.
func Births(chance *rand.Rand, n int, until time.Time) ([]byte, error) {
	courses := make([]course, 0, n+1)
	span := 3 * 365 * 24 * time.Hour
	for i := range n {
		from := until.Add(-span + span/time.Duration(n)*time.Duration(i))
		born := from.Add(time.Duration(chance.Int64N(int64(span) / int64(n)))).Truncate(time.Minute)
		c := invent(chance, Chart(i+1), born)
		if until.Sub(born) > sixWeeks {
			c.afterward(chance)
		}
		courses = append(courses, c)
	}
	if n > 0 {
		again := courses[n-1]
		again.chart = Chart(n + 1)
		courses = append(courses, again)
	}
	entries := make([]object, len(courses))
	for i, c := range courses {
		entries[i] = object{"resource": c.bundle()}
	}
	return json.Marshal(object{"resourceType": "Bundle", "type": "batch", "entry": entries}, json.Deterministic(true))
}

// Chart returns the chart number of the nth birth, from 1.
func Chart(n int) string { return fmt.Sprintf("DEMO-%04d", n) }

// Unstamped returns the Bundle of one of the births, without its timestamp. Such a Bundle is like
// one from a system that sends no timestamps. births is what Births returned, and chart is the
// chart number of the birth. Unstamped returns an error if no birth has the chart number.
func Unstamped(births []byte, chart string) ([]byte, error) {
	var batch struct {
		Entry []struct {
			Resource map[string]jsontext.Value `json:"resource"`
		} `json:"entry"`
	}
	if err := json.Unmarshal(births, &batch); err != nil {
		return nil, err
	}
	for _, entry := range batch.Entry {
		var identifier struct {
			Value string `json:"value"`
		}
		if err := json.Unmarshal(entry.Resource["identifier"], &identifier); err != nil {
			return nil, err
		}
		if identifier.Value == chart {
			delete(entry.Resource, "timestamp")
			return json.Marshal(entry.Resource, json.Deterministic(true))
		}
	}
	return nil, fmt.Errorf("demo: no birth has the chart number %s", chart)
}

const sixWeeks = 6 * 7 * 24 * time.Hour

// course is one invented birth. mother and child hold facts. Their keys are names of fields in the
// spine. They leave out facts that nobody recorded.
type course struct {
	chart                string
	family, given, first string
	motherBorn           time.Time
	born                 time.Time
	sex                  string
	consent              bool
	midwife, assistant   midwife
	transfer             string // the words of the Encounter's type, "" for none
	postalCode           string
	mother, child        map[string]any
}

type midwife struct{ id, given, family, credentials string }

var (
	midwives = []midwife{
		{"rivers", "Jane", "Rivers", "CPM"}, {"lind", "Maren", "Lind", "CNM"}, {"abara", "Chidi", "Abara", "CPM"},
	}
	assistants = []midwife{{"sol", "Inés", "Sol", "Student midwife"}, {"kerr", "Abby", "Kerr", "Birth assistant"}}
	families   = []string{
		"Okafor", "Nguyen", "Miller", "Garcia", "Cohen", "Patel", "Yoder", "Larsen", "Rossi", "Haddad", "Kim", "Brooks", "Santos",
		"Novak", "Diaz", "Meyer", "Singh", "Walker", "Ito", "Clarke", "Moreau", "Bauer", "Flores", "Stone", "Reyes", "Webb",
	}
	mothers = []string{
		"Ngozi", "Linh", "Grace", "Lucía", "Miriam", "Asha", "Ruth", "Ingrid", "Elena", "Layla", "Ji-woo", "Tessa", "Ana", "Vera",
		"Sofía", "Clara", "Harpreet", "Joy", "Yui", "Erin", "Noémie", "Hanna", "Paz", "Ivy", "Rosa", "Dinah",
	}
	newborns = map[string][]string{
		"female": {"Zora", "Mai", "Ada", "Luz", "Talia", "Uma", "Leah", "Signe", "Gia", "Noor"},
		"male":   {"Obi", "Minh", "Owen", "Mateo", "Asa", "Rohan", "Eli", "Nils", "Luca", "Sami"},
	}
)

// invent makes up a random birth. Facts that depend on others are chosen last. A transfer, for
// example, depends on the parity.
func invent(r *rand.Rand, chart string, born time.Time) course {
	c := course{
		chart: chart, family: pick(r, families), given: pick(r, mothers), born: born, sex: pick(r, []string{"female", "male"}),
		consent: often(r, 95), midwife: pick(r, midwives), assistant: pick(r, assistants), postalCode: pick(r, []string{"05401", "05701", "05301"}),
		mother: map[string]any{}, child: map[string]any{},
	}
	c.first = pick(r, newborns[c.sex])
	c.motherBorn = born.AddDate(-clamp(normal(r, 31, 4.6), 18, 45), 0, -r.IntN(360))
	parity := clamp(r.ExpFloat64()*1.5, 0, 8)
	setting := pick(r, []string{"home", "home", "home", "birth_center", "birth_center"})
	c.state(r, c.mother, map[string]any{
		"parity": parity, "gravida": parity + 1 + clamp(r.ExpFloat64()*0.5, 0, 3), "previous_cesareans": 0,
		"prenatal_visit_count": clamp(normal(r, 11, 2.5), 2, 18), "planned_birth_setting": setting,
		"labor_onset_type": "spontaneous", "labor_augmented": often(r, 6),
	})
	c.labor(r, setting, parity)
	c.newborn(r)
	c.details(r)
	return c
}

// labor randomly chooses how the birth proceeded. Some first births, and a few other births, end in
// a hospital.
func (c *course) labor(r *rand.Rand, setting string, parity int) {
	at := map[string]string{"home": "home_planned", "birth_center": "birth_center"}[setting]
	method, perineum := "vaginal_spontaneous", pick(r, []string{"intact", "intact", "intact", "first", "second", "second"})
	if likelihood := map[bool]int{true: 17, false: 4}[parity == 0]; often(r, likelihood) {
		at, c.transfer = "hospital", pick(r, []string{"Intrapartum transfer, non-urgent", "Intrapartum transfer, urgent"})
		switch {
		case often(r, 35):
			method, perineum = "cesarean", "intact"
		case often(r, 12):
			method, perineum = "vaginal_vacuum", "second"
		}
	}
	if often(r, 1) {
		perineum = "third"
	}
	loss := 10 * int(math.Exp(normal(r, 3.35, 0.55)))
	c.state(r, c.mother, map[string]any{
		"birth_setting": at, "perineum": perineum, "blood_loss_ml": loss,
		"birth_position": pick(r, []string{"hands_and_knees", "semi_sitting", "side_lying", "kneeling", "water_upright", "squatting"}),
	})
	if at != "hospital" {
		c.state(r, c.mother, map[string]any{"water_immersion": pick(r, []string{"none", "none", "labor", "birth", "both"})})
	}
	c.child["delivery_method"] = method
}

func (c *course) newborn(r *rand.Rand) {
	days := clamp(normal(r, 277, 8.5), 245, 296)
	five := pick(r, []int{9, 9, 9, 9, 9, 10, 10, 8, 8, 7})
	if often(r, 1) {
		five = 5
	}
	c.state(r, c.child, map[string]any{
		"gestational_age_weeks": days / 7, "gestational_age_days": days % 7,
		"birth_weight_g":    10 * clamp(normal(r, 345+1.9*float64(days-277), 41), 180, 520),
		"apgar_one_minute":  max(five-1-r.IntN(2), 1),
		"apgar_five_minute": five, "fetal_presentation": "vertex", "infant_living": true,
		"delayed_cord_clamping": often(r, 93), "breastfed_at_discharge": often(r, 98),
		"breastfed_six_weeks": pick(r, []string{"exclusive", "exclusive", "exclusive", "exclusive", "exclusive", "partial", "none"}),
	})
	c.child["newborn_conditions"] = "none"
	if often(r, 3) {
		c.child["newborn_conditions"] = "nicu"
	}
}

// state adds most of the given facts to about. It randomly leaves some out.
func (c *course) state(r *rand.Rand, about, facts map[string]any) {
	for _, name := range sorted(facts) { // in one order, so that the same chance gives the same births
		if !often(r, 8) {
			about[name] = facts[name]
		}
	}
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func often(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

func normal(r *rand.Rand, mean, deviation float64) float64 { return mean + deviation*r.NormFloat64() }

func clamp(x float64, least, most int) int { return min(max(int(math.Round(x)), least), most) }
