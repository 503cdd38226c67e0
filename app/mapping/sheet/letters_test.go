package sheet

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
)

func TestAFileThatIsNotUTF8IsReadInTheRightLettersOrRefusedWithWhatToDo(t *testing.T) {
	sniffed := func(by *charmap.Charmap, text string) (Encoding, error) {
		encoded, err := by.NewEncoder().String("mother,chart\n" + text + ",1\n")
		if err != nil { // it lacks the letter
			return "", unreadable(0, asCSV)
		}
		var s Sniffer
		for _, b := range []byte(encoded) { // wherever the parts end
			_, err := s.Write([]byte{b})
			require.NoError(t, err)
		}
		return s.Encoding()
	}
	for by, want := range map[*charmap.Charmap]Encoding{charmap.Windows1252: Windows1252, charmap.Macintosh: MacRoman} {
		for _, text := range []string{
			"José", "Peña", "López", "Élodie", "Jesús", "Schröder", "Müller", "Björk", "Sørensen", "Strauß", "André", "Chloë", "Núñez", "Ångström",
			"JOSÉ", "PEÑA", "MÜLLER", "LÓPEZ", "O’Brien", "D’Angelo", "Solís", "mother’s", "didn’t", "Smith–Jones", "home – birth", "9–10", "“at home”",
			"39½", "98°", "Öykü", "Çelik", "François", "Zoë", "Ñusta", "Æsa", "Íñigo", "waiting…", "JOÃO", "Conceição", "GARÇON", "Žofia", "Tomáš",
			"SMITH–JONES", "MARY\u00a0ANN", "midwives’", "5’ 4”", "38º", "“home”", "home—birth", "1 • 2", "9 °C", "Solís’s", "¿Sí?",
		} {
			e, err := sniffed(by, text)
			if err == nil {
				require.Equal(t, want, e, "%s in %s", text, want)
				continue
			}
			require.ErrorAs(t, err, new(*Problem))
			require.ErrorContains(t, err, "CSV UTF-8")
		}
	}
}

func TestTheLettersThatArriveMostProveTheirEncoding(t *testing.T) {
	for by, texts := range map[*charmap.Charmap][]string{
		charmap.Windows1252: {"José", "Peña", "López", "Élodie", "Jesús", "Schröder", "Müller", "JOSÉ", "PEÑA", "MÜLLER", "O’Brien", "mother’s", "Smith–Jones", "François"},
		charmap.Macintosh:   {"José", "Élodie", "Müller", "André", "Zoë", "Ramírez and José", "mother’s", "Núñez and José", "Sørensen", "François"},
	} {
		for _, text := range texts {
			encoded, err := by.NewEncoder().String("mother\n" + text + "\n")
			require.NoError(t, err)
			var s Sniffer
			_, err = s.Write([]byte(encoded))
			require.NoError(t, err)
			_, err = s.Encoding()
			require.NoError(t, err, "%s in %s", text, by)
		}
	}
}
