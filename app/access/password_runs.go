package access

import "strings"

// run is how many characters, from the first on, follow the alphabet, the numbers
// or a keyboard, forth or back, or are the same; 0 for too few to tell.
func run(s []rune) (longest int) {
	along := func(least int, step func(a, b rune) bool) {
		n := 1
		for n < len(s) && step(s[n-1], s[n]) {
			n++
		}
		if n >= least {
			longest = max(longest, n)
		}
	}
	along(3, func(a, b rune) bool { return a == b })
	along(3, func(a, b rune) bool { return b == a+1 || a == '9' && b == '0' })
	along(3, func(a, b rune) bool { return b == a-1 || a == '0' && b == '9' })
	for _, k := range keys {
		along(4, func(a, b rune) bool { return k.touching(a, b, 1) })
		along(8, func(a, b rune) bool { return k.touching(a, b, 3) }) // as zigzags do; so near are many by chance
	}
	return longest
}

// keyboards are the rows of those that most people have, and shifted what the first
// has on the same keys with shift.
var (
	keyboards = [][]string{
		{"1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"},
		{"1234567890ß", "qwertzuiopü", "asdfghjklöä", "yxcvbnm,.-"},
		{"1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn"},
	}
	shifted = strings.NewReplacer(
		"!", "1", "@", "2", "#", "3", "$", "4", "%", "5", "^", "6", "&", "7", "*", "8", "(", "9", ")", "0", "_", "-", "+", "=",
		"{", "[", "}", "]", ":", ";", `"`, "'", "<", ",", ">", ".", "?", "/",
	)
)

// unshifted is a text as typed without the shift key.
func unshifted(s string) string { return shifted.Replace(s) }

// key is where a key lies: its row, and half keys from the left, each row being
// half a key to the right of the one above.
type key struct{ row, at int }

// keyboard is where the keys lie.
type keyboard map[rune]key

var keys = func() (all []keyboard) {
	for _, rows := range keyboards {
		where := keyboard{}
		for row, text := range rows {
			for n, r := range []rune(text) {
				where[r] = key{row, 2*n + row}
			}
		}
		all = append(all, where)
	}
	return all
}()

// touching reports whether two keys touch: in a row, or in the next one at most so
// many half keys aside.
func (k keyboard) touching(a, b rune, aside int) bool {
	p, known := k[a]
	q, also := k[b]
	if !known || !also || a == b {
		return false
	}
	across, along := max(p.row-q.row, q.row-p.row), max(p.at-q.at, q.at-p.at)
	return across == 0 && along == 2 || across == 1 && along <= aside
}
