package views

import "strings"

// chartBottom is where the lines of text below the drawing begin, and noteHeight is the distance
// between the lines. Both are in the units of the drawing. noteLetters is how many characters fit
// into a line.
const (
	chartBottom, noteHeight = 176.0, 10.0
	noteLetters             = 88
)

// lines returns the lines of text below the drawing. It breaks texts into lines that fit.
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

// height returns the height of the whole image, in the units of the drawing. The image begins 32
// units above the drawing.
func (f ChartFile) height() float64 { return 32 + chartBottom + noteHeight*float64(len(f.lines())) }
