package views

// Figures on the pages are told twice: exactly on the screen, where whoever sees
// them may open the records, and with small numbers left out on paper, which
// leaves the practice.

// Twice is what the screen says and what paper says.
type Twice struct{ Screen, Paper string }

// Statistics is the overview of a practice's figures.
type Statistics struct {
	Period   PeriodChoice
	Lead     string // what is counted, in a sentence
	Notices  []Notice
	Sections []FigureTable
	Export   string // its address; "" for who may not
	Nothing  bool   // no birth in the period
}

// PeriodChoice is how the months are picked.
type PeriodChoice struct {
	Label    string
	Presets  []NavItem
	From, To Input
	Path     string
	Mistakes []Mistake
}

// FigureTable is a table of figures, each with its interval drawn.
type FigureTable struct {
	ID, Title string
	First     string // the heading of the first column
	Compared  bool   // has a column for the published figure
	Trend     bool   // has a column for the line over time
	Rows      []FigureRow
	Under     []Twice // lines below it: what is not compared in it
}

// WayIn is a number that leads to exactly its births. Href is "" where it does not.
type WayIn struct{ Href, Number, Label string }

// FigureRow is one figure.
type FigureRow struct {
	Name, Href string
	// Count is "5 of 41", Rate "12 %", Range "5 to 26 %".
	Count, Rate, Range Twice
	Bar                Bar
	// Published is the figure it is compared with and where that is from, Word
	// how it compares.
	Published, PublishedOf, Word string
	Missing                      string // on the screen only
	Tags                         []TagText
	Ways                         [3]WayIn // of the count, of what it is of, and of what is not known
	Spark                        string   // the points of its line over time, "" for none
}

// Bar is an interval as a picture: places are in hundredths of its width.
type Bar struct {
	Drawn            bool
	Low, High, Point float64
	Marks            []float64 // the published figures
	End              string    // where the scale ends
}

// MeasurePage is one measure with everything about it.
type MeasurePage struct {
	ID, Name, Plain  string
	Period           PeriodChoice
	Big, Rate, Range Twice
	Facts            []Fact
	Notices          []Notice
	Published        []PublishedRow
	Peers            string
	Splits           []FigureTable
	Run              RunPicture
	Ways             [3]WayIn // to the births of its counts
	Chart            string   // the address of the drawing as a file; "" for who may not
	Against          Against
	Funnel           *Funnel // nil where it may not be drawn
	Method           []string
	Export           string
}

// mistakes are those in either choice of months.
func (m MeasurePage) mistakes() []Mistake { return append(m.Period.Mistakes, m.Against.Mistakes...) }

// PublishedRow is a published figure with its source.
type PublishedRow struct {
	Label, Value, Years, Population, Note string
	Source, URL                           string
	Word                                  string
	Tags                                  []TagText
}

// Against compares two periods of a measure: their intervals on one scale. It is shown on
// the screen only.
type Against struct {
	Rows     []FigureRow
	Word     string
	From, To Input
	Path     string
	// Period is that of the page, as its address states it.
	PeriodFrom, PeriodTo string
	Mistakes             []Mistake
}

// RunPicture is a measure over time: a drawing and the table behind it.
type RunPicture struct {
	Title, Summary string
	Dots           []Dot
	Line           string // the points of the line
	Band           string // the corners of the interval
	Median         float64
	MedianText     string
	// Reference is the height of the published figure; ReferenceText is "" without one.
	Reference     float64
	ReferenceText string
	Scale, Years  []Mark
	Rows          []RunRow
	Withheld      bool // nothing of it is shown on paper
}

// Funnel shows where a practice lies around the pooled figure of others: the share against
// the number of births. Band is within the 95 % limits, Upper and Lower the 99.8 % ones.
type Funnel struct {
	Title, Summary     string
	Pooled             float64 // its height
	Band, Upper, Lower string
	Dot                Dot // this practice
	Scale, Births      []Mark
	Withheld           bool // nothing of it is shown on paper
}

// Mark is a mark of an axis.
type Mark struct {
	At   float64
	Text string
}

// Dot is a point of the drawing.
type Dot struct{ X, Y float64 }

// RunRow is a row of the table.
type RunRow struct{ Label, Count, Rate, Missing string }

// Headline is a figure on the home page.
type Headline struct {
	Name, Href, Rate, Count, Range string
	// Line is the figure over the months of the period, as the points of a line within
	// Spark's box, "" when there are too few; LineText says it in words.
	Line, LineText string
}
