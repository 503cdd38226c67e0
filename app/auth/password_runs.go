package auth

import "strings"

// run returns the length of the run at the beginning of s. The characters of a run are all the
// same, or follow the alphabet, the numbers or a keyboard in either direction. If they are too few
// to count as a run, run returns 0.
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
		along(8, func(a, b rune) bool { return k.touching(a, b, 3) }) // zigzags; since keys so close to each other also occur by chance, 8 are required
	}
	return longest
}

// keyboards holds the rows of the most common keyboards, with the characters that the keys type
// without shift. shifted replaces each character that the first keyboard types with shift by the
// character that the same key types without shift. For example, it replaces ! with 1.
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

// key is the position of a key on a keyboard. row is its row, and at is its distance from the left,
// in half keys. Each row begins half a key to the right of the row above.
type key struct{ row, at int }

// keyboard maps characters to the positions of their keys.
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

// touching reports whether two keys are neighbors in a row, or lie in neighboring rows. In
// neighboring rows, they must be at most aside half keys apart horizontally.
func (k keyboard) touching(a, b rune, aside int) bool {
	p, known := k[a]
	q, also := k[b]
	if !known || !also || a == b {
		return false
	}
	across, along := max(p.row-q.row, q.row-p.row), max(p.at-q.at, q.at-p.at)
	return across == 0 && along == 2 || across == 1 && along <= aside
}
