package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// A drawing of a measure can be downloaded as an SVG or a PNG, and its numbers as a CSV file. The
// server has no fonts, so the browser makes the PNG from the SVG. Without JavaScript, the page
// offers no PNG. A drawing can't be downloaded if it has a figure that printouts leave out.

// drawing is a drawing of a measure. It can be sent in every file format.
type drawing struct {
	kind   string // "chart" or "funnel"
	file   views.ChartFile
	shapes templ.Component
	table  [][]string
}

// downloads returns the addresses of a drawing's files. If the user may not download figures, all
// of them are "".
func downloads(a asked, m *stats.Measure, kind string) views.Downloads {
	if !a.who.May(auth.StatsExport) {
		return views.Downloads{}
	}
	at := func(ending string) string {
		return pages.StatisticsPath + "/" + m.ID + "/" + kind + ending + monthsQuery(a.period)
	}
	return views.Downloads{SVG: at(".svg"), CSV: at(".csv"), PNGName: fileName(a, m, kind) + ".png"}
}

// fileName returns the name of a drawing's files without the extension.
func fileName(a asked, m *stats.Measure, kind string) string {
	return fmt.Sprintf("%s-%s-%s-to-%s", m.ID, kind, a.period.First, a.period.Last)
}

// runLeaves reports whether the chart over time may be downloaded, and so leave the practice.
func runLeaves(run views.RunPicture) bool { return !run.Withheld && len(run.Dots) > 1 }

// GetChart sends the chart that shows a measure over time.
func (h *Statistics) GetChart(c echo.Context) error {
	return h.getDrawing(c, func(a asked, m *stats.Measure, f records.Figures, _ stats.Shown) (drawing, bool) {
		run := runOf(f, m, nearest(h.published[m.ID], "", ""))
		table := slices.DeleteFunc(stats.Table(f.Report, []stats.Measure{*m}, false), func(row []string) bool {
			return row[5] != "time" && row[5] != "by"
		})
		d := drawing{kind: "chart", table: table, shapes: views.RunShapes(run)}
		d.file.Period, d.file.Summary = f.Period.Trend().Label(), run.Summary
		d.file.Notes = []string{"Line: the share, with its 95% interval as a band.", "Dashed: " + run.MedianText + "."}
		if run.ReferenceText != "" {
			d.file.Notes = append(d.file.Notes, "Dotted: the published figure, "+strings.TrimPrefix(run.ReferenceText, "Published: ")+".")
		}
		return d, runLeaves(run)
	})
}

// GetFunnel sends the funnel plot of a measure. It shows the practice's figure, the pooled figure
// of the other practices, and the limits around the pooled figure.
func (h *Statistics) GetFunnel(c echo.Context) error {
	return h.getDrawing(c, func(a asked, m *stats.Measure, f records.Figures, outside stats.Shown) (drawing, bool) {
		n := funnelOf(f, m, outside)
		if n == nil {
			return drawing{}, false
		}
		picture := n.picture()
		d := drawing{kind: "funnel", table: n.table(a.period), shapes: views.FunnelShapes(*picture)}
		d.file.Period, d.file.Summary = a.period.Label(), picture.Summary
		d.file.Notes = []string{
			picture.Summary, "Horizontal axis: births. Dashed line: the other practices together (only records with consent). Band: 95% limits. Dotted lines: 99.8% limits.",
		}
		return d, !n.withheld
	})
}

// getDrawing records the download of a drawing in the audit trail, and then sends the drawing in
// the file format that the address states.
func (h *Statistics) getDrawing(c echo.Context, draw func(asked, *stats.Measure, records.Figures, stats.Shown) (drawing, bool)) error {
	m, a := stats.Lookup(c.Param("measure")), ask(c, time.Now())
	if m == nil || len(a.choice.Mistakes) > 0 {
		return pages.ErrNotFound
	}
	f, err := h.records.Measure(c.Request().Context(), a.who.Practice, a.period, m)
	if err != nil {
		return err
	}
	outside, _ := stats.Outside(f.Report, m)
	d, leaves := draw(a, m, f, outside)
	if !leaves {
		return pages.ErrNotFound
	}
	what := fmt.Sprintf("%s of %s, %s to %s", d.kind, m.ID, a.period.First, a.period.Last)
	if err := h.auth.NoteAlone(a.who, "statistics.export", what); err != nil {
		return err
	}
	d.file.Title = m.Name
	if a.who.Practice.Sandbox {
		d.file.Title = "Synthetic data: " + m.Name
		for i, row := range d.table {
			d.table[i] = slices.Insert(row, 0, map[bool]string{true: "sandbox", false: "yes"}[i == 0])
		}
	}
	d.file.Source = fmt.Sprintf("Source: %s, birth registry, %s", a.who.Practice.Name, time.Now().In(session.Zone(c)).Format("January 2, 2006"))
	return h.sendDrawing(c, d, fileName(a, m, d.kind))
}

// sendDrawing sends a drawing as a file.
func (h *Statistics) sendDrawing(c echo.Context, d drawing, name string) error {
	if strings.HasSuffix(c.Path(), ".csv") {
		h.Attachment(c, name+".csv", pages.CSV)
		return h.sendTable(c, d.table)
	}
	h.Attachment(c, name+".svg", "image/svg+xml")
	return h.Ended(c, views.DrawingFile(d.file, d.shapes).Render(c.Request().Context(), c.Response()))
}

// sendTable sends a table as a CSV file.
func (h *Statistics) sendTable(c echo.Context, rows [][]string) error {
	w := sheet.NewWriter(c.Response())
	for _, row := range rows {
		if err := w.Row(row...); err != nil {
			return h.Ended(c, err)
		}
	}
	return nil
}
