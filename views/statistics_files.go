package views

import "strings"

// The positions in a chart's file, in the units of the drawing: where the lines of text below
// the drawing begin, and how far apart they are. A line has room for noteLetters characters.
const (
	chartBottom, noteHeight = 176.0, 10.0
	noteLetters             = 88
)

// lines returns the text below the drawing, broken into lines that fit.
func (f ChartFile) lines() (all []string) {
	for _, note := range append(f.Notes[:len(f.Notes):len(f.Notes)], f.Source) {
		line := ""
		for word := range strings.FieldsSeq(note) {
			if line != "" && len([]rune(line+" "+word)) > noteLetters {
				all = append(all, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		all = append(all, line)
	}
	return all
}

// height returns the height of the whole file, which begins 32 units above the drawing.
func (f ChartFile) height() float64 { return 32 + chartBottom + noteHeight*float64(len(f.lines())) }
