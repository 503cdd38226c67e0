package views

import "slices"

// Pages show each figure in two forms: one for the screen, and one for paper. On the screen, the
// figure is exact, because users who see it may open the records. Paper leaves the practice, so the
// figure on paper hides small numbers.

// Twice is a figure in two forms: one for the screen, and one for paper, which may hide small
// numbers.
type Twice struct{ Screen, Paper string }

// Statistics is the overview of a practice's figures.
type Statistics struct {
	Period   PeriodChoice
	Lead     string // what is counted, in a sentence
	Marks    string // what the tags of figures mean
	Notices  []Notice
	Sections []FigureTable
	Export   string // the address of the export, or "" for users who may not export
	Nothing  bool   // set if there is no birth in the period
}

// PeriodChoice holds the controls that select the months of the statistics.
type PeriodChoice struct {
	Label    string
	Presets  []NavItem
	From, To Input
	Path     string
	Mistakes []Mistake
}

// FigureTable is a table of figures. Each row has a drawing of the figure's interval.
type FigureTable struct {
	ID, Title string
	First     string // the heading of the first column
	Compared  bool   // has a column for the published figure
	Trend     bool   // has a column for the line over time
	Rows      []FigureRow
	Under     []FigureLine // lines below the table, for the groups that it doesn't compare
}

// FigureLine is a line below a table. It is about a group that counts in the total, but has no row
// because it isn't compared.
type FigureLine struct {
	Name  string
	Count Twice
	Known bool // set if the fact is known for at least one birth of the group
	Ways  [3]WayIn
}

// WayIn is a number that links to the list of the births that it counts. If Href is "", the number
// has no link.
type WayIn struct{ Href, Number, Label string }

// FigureRow is a row with one figure.
type FigureRow struct {
	Name, Href string
	// Examples: Count is "5 of 41", Rate is "12%", and Range is "5% to 26%".
	Count, Rate, Range Twice
	Bar                Bar
	// Published is a published figure to compare with, and PublishedOf is its source. Word says how
	// the two figures compare.
	Published, PublishedOf, Word string
	Missing                      string // shown only on the screen
	Tags                         []TagText
	Ways                         [3]WayIn // to the births in the count, in its total, and without a known value
	Spark                        string   // the points of its line over time, or ""
}

// Bar is a drawing of an interval. Positions are percentages of the drawing's width.
type Bar struct {
	Drawn            bool
	Low, High, Point float64
	Marks            []float64 // the published figures
	End              string    // the range of the scale, such as 0–20%
}

// MeasurePage is the page about one measure.
type MeasurePage struct {
	Name, Plain      string
	Period           PeriodChoice
	Big, Rate, Range Twice
	None             string // why there is no figure, or "" if there is one
	Tags             []TagText
	Facts            []Fact
	Notices          []Notice
	Published        []PublishedRow
	Peers            string
	Splits           []FigureTable
	Run              RunPicture
	Ways             [3]WayIn // to the births of its counts
	Against          Against
	Funnel           *Funnel // nil if it may not be drawn
	Method           []string
	Export           string
}

// births returns those of the measure's numbers that link to births.
func (m MeasurePage) births() []WayIn {
	return slices.DeleteFunc(slices.Clone(m.Ways[:]), func(w WayIn) bool { return w.Href == "" })
}

// PublishedRow is a published figure with its source.
type PublishedRow struct {
	Label, Value, Years, Population, Note string
	Source, URL                           string
	Word                                  string
	Tags                                  []TagText
}

// Against compares a measure in two periods, and draws both intervals on the same scale. Only the
// screen shows it.
type Against struct {
	Rows     []FigureRow
	Word     string
	From, To Input
	Path     string
	// PeriodFrom and PeriodTo are the beginning and the end of the page's period, as in its
	// address.
	PeriodFrom, PeriodTo string
	Mistakes             []Mistake
}

// RunPicture shows a measure over time, as a drawing and as a table.
type RunPicture struct {
	Title, Summary string
	Dots           []Dot
	Line           string // the points of the line
	Band           string // the corners of the interval
	Median         float64
	MedianText     string
	// Reference is the height of the published figure in the drawing. ReferenceText is "" if there
	// is no published figure.
	Reference     float64
	ReferenceText string
	Scale, Years  []Mark
	Rows          []RunRow
	Withheld      bool // printouts leave it out
	Downloads     Downloads
}

// Funnel is a funnel plot. It shows a practice's share, by its number of births, in relation to the
// pooled figure of the other practices. Band is the area within the 95% limits. Upper and Lower are
// the 99.8% limits.
type Funnel struct {
	Title, Summary     string
	Pooled             float64 // the height of the pooled figure
	Band, Upper, Lower string
	Dot                Dot // this practice
	Scale, Births      []Mark
	Withheld           bool // printouts leave it out
	Downloads          Downloads
}

// Downloads has the addresses of a drawing's files, and the name of the PNG file that the browser
// makes. All of them are "" if the drawing may not be downloaded.
type Downloads struct{ SVG, CSV, PNGName string }

// ChartFile holds the texts around a drawing in a downloaded file. Notes explain the lines of the
// drawing. Source states the practice and the date.
type ChartFile struct {
	Title, Period, Summary string
	Notes                  []string
	Source                 string
}

// Mark is a labeled tick on an axis.
type Mark struct {
	At   float64
	Text string
}

// Dot is a point in a drawing.
type Dot struct{ X, Y float64 }

// RunRow is a row in the table of a measure over time.
type RunRow struct {
	Label, Count, Rate string
	Ways               [3]WayIn
}

// Headline is a figure that the home page shows.
type Headline struct {
	Name, Href, Rate, Count, Range string
	// Line has the points of an SVG polyline that shows the figure in each month of the period. It
	// is "" if no line is drawn. The component headlines sets the size of the drawing. LineText
	// describes the line in words.
	Line, LineText string
}
