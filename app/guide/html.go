package guide

import (
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// markdown renders CommonMark with tables. It leaves out raw HTML in a page. The texts of an
// OpenAPI document are CommonMark by definition. Go's own sites use goldmark, which has no
// dependencies.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithHeadingAttribute()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(scrollable{}, 100))),
)

func toHTML(text string) (string, error) {
	var out bytes.Buffer
	err := markdown.Convert([]byte(text), &out)
	return out.String(), err
}

// scrollable renders code and tables, which may be wider than the page, so that they can be
// scrolled by keyboard (WCAG 2.1.1). Tables get their own frame. On a narrow screen, each row becomes
// a card, as on the other pages.
type scrollable struct{}

func (scrollable) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
	r.Register(east.KindTable, table)
	r.Register(east.KindTableCell, tableCell)
}

func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</code></pre>\n")
		return ast.WalkContinue, err
	}
	if _, err := w.WriteString(`<pre tabindex="0"><code>`); err != nil {
		return ast.WalkStop, err
	}
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		text := bytes.ReplaceAll(util.EscapeHTML(line.Value(source)), []byte("&quot;"), []byte(`"`)) // only attributes need &quot;
		if _, err := w.Write(text); err != nil {
			return ast.WalkStop, err
		}
	}
	return ast.WalkContinue, nil
}

func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	text := "<div class=\"scroll\" tabindex=\"0\"><table class=\"cards\">\n"
	if !entering {
		text = "</table></div>\n"
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

// tableCell renders a cell of a table. The cells below the head are labeled with their column's heading.
func tableCell(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	text := `<td data-label="` + html.EscapeString(labelOf(n, source)) + `">`
	switch head := n.Parent().Kind() == east.KindTableHeader; {
	case head && entering:
		text = `<th scope="col">`
	case head:
		text = "</th>\n"
	case !entering:
		text = "</td>\n"
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

// labelOf returns the text of the heading above a cell.
func labelOf(cell ast.Node, source []byte) string {
	heading := cell.Parent().Parent().FirstChild().FirstChild()
	for before := cell.PreviousSibling(); before != nil && heading != nil; before = before.PreviousSibling() {
		heading = heading.NextSibling()
	}
	var text strings.Builder
	if heading != nil {
		_ = ast.Walk(heading, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if part, is := n.(*ast.Text); is && entering {
				text.Write(part.Segment.Value(source))
			}
			return ast.WalkContinue, nil
		})
	}
	return text.String()
}
