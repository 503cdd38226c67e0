package auth

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth/internal/cost"
)

const email = "olive.kim@riverside-midwives.example.org"

func TestAPasswordHasAtLeastFifteenCharactersOfAnyKind(t *testing.T) {
	for password, want := range map[string]error{
		"":                      ErrShortPassword,
		"fourteen chars":        ErrShortPassword,
		"fifteen charact":       nil,
		"correct horse battery": nil,
		"ein Kuckuck im Korb":   nil,
		"пять слов о погоде":    nil,
		"裏庭の柿の木に鳥が三羽とまる":  ErrShortPassword,
		"裏庭の柿の木に鳥が三羽とまる朝": nil,
		"!-%#_/(=?)+:;,&'":  nil,
		"x7#Kq2!vB9@mZ4$":   nil,
		"48210573961842057": nil, // not a sequence
		"🐴🐰🐺🐹🐭🐶🐱🐦🐲🐼🐻🐨🐯🐮":                                    ErrShortPassword,
		"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301": ErrShortPassword, // seven é in fourteen code points
		strings.Repeat("x", 257):                            ErrLongPassword,
	} {
		require.Equal(t, want, CheckPassword(password, email), "%q", password)
	}
}

func TestPW_1_APasswordThatRepeatsItselfOrFollowsSomethingIsRefusedWithTheReason(t *testing.T) {
	for _, password := range []string{
		"aaaaaaaaaaaaaaa", "                   ", "🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴", strings.Repeat("e\u0301", 15), strings.Repeat("x", 256),
		"abcabcabcabcabc", "ababababababab ab", "ABCabcABCabcABC", "cuckoo cuckoo cuckoo", "Kuckuck!Kuckuck!", "basketballbasketball", "Basketball-basketball7", strings.Repeat("x7#Kq2!v", 32), "wordwordwordword1",
		"123456789012345", "098765432109876", "abcdefghijklmnop", "zyxwvutsrqponmlk", "1234567890abcdef", "aaaabbbbccccdddd",
		"1 2 3 4 5 6 7 8 9", "1-2-3-4-5-6-7-8-9-0", "a.b.c.d.e.f.g.h.i", "12345678987654321", "111222333444555666",
		"qwertyuiopasdfg", "QWERTZUIOPasdfgh", "azertyuiopqsdfgh", "1qaz2wsx3edc4rfv", "!QAZ@WSX#EDC$RFV", "q1w2e3r4t5y6u7i8", "poiuytrewqlkjhgf",
		"qwertyuiop12345", "asdfghjkl123456", "zxcvbnm,./zxcvbnm", "abcdefgh12345678", "(){}[]<>(){}[]<>"[0:8] + "11111111",
		"абвгдежзийклмноп",
	} {
		require.Contains(t, []error{ErrSimplePassword, ErrCommonPassword}, CheckPassword(password, email), "%q", password)
	}
	require.Equal(t, ErrSimplePassword, CheckPassword("abcabcabcabcabc", email))
}

func TestPW_1_TheCommonestPasswordsAreRefusedWithTheReason(t *testing.T) {
	for _, password := range []string{
		"momsanaladventure", "MomsAnalAdventure", "Mailcreated5240", "lytdybrbdfvgbhf", "23176djivanfros!", // of 15 characters or more
		"iloveyou1234567", "password1234567", "P@ssword-123456789", "Monkey Dragon 1234", "Princess11111111", // shorter ones, extended
	} {
		require.Equal(t, ErrCommonPassword, CheckPassword(password, email), "%q", password)
	}
	require.Less(t, len(commonPasswords), 150<<10, "it goes with every program")
	require.Greater(t, strings.Count(commonPasswords, "\n"), 11_000)
	require.True(t, isCommon("password"))
	require.False(t, isCommon("passwore"))
	require.Regexp(t, `^#[^\n]*\n(#[^\n]*\n)+([0-9a-f]{10}\n)+$`, commonPasswords)
	lines := strings.Fields(commonPasswords[commonHead:])
	require.True(t, slices.IsSorted(lines), "it is searched by halves")
	require.True(t, listed(lines[0]) && listed(lines[len(lines)-1]), "its first and its last are found")
}

func TestPW_1_TheAddressAndItsPartsAndTheServiceAreRefusedWithTheReason(t *testing.T) {
	for _, password := range []string{
		email, strings.ToUpper(email), "olive.kim@riverside", "OliveKimRiverside", "riverside-midwives", "RiversideMidwives1",
		"midwivesriverside", "example.org/olive", "kim.olive.kim.olive", "Olive-Riverside-12", "olive@riverside!",
		"Birth Registry 1", "birth-registry-2026", "the birth registry", "birthregistrybirth", "OliveBirthRegistry",
	} {
		require.Equal(t, ErrPlainPassword, CheckPassword(password, email), "%q", password)
	}
	for _, password := range []string{"olive trees need sun", "midwives like chocolate", "a registry of lost umbrellas"} {
		require.NoError(t, CheckPassword(password, email), "%q: a part does not spoil the rest", password)
	}
	require.NoError(t, CheckPassword("gentle rain at dawn", "1@2.34"), "an address of little forbids nothing")
	require.NoError(t, CheckPassword("gentle rain at dawn", ""))
}

// The advice works: CheckPassword accepts unrelated words, even short and common ones, and
// what a password manager makes.
func TestPassphrasesAndRandomPasswordsAreAccepted(t *testing.T) {
	words := strings.Fields("able acid aged also area army away baby back ball band bank base bath bear beat bell belt bird blow blue boat body bone book boot " +
		"horse house human lemon light lunch money mouse music night north ocean paper peace phone pilot plant queen river round salad scale water tiger summer")
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var phrase []string
		for len(strings.Join(phrase, " ")) < minPassword || len(phrase) < 4 {
			phrase = append(phrase, words[r.IntN(len(words))])
		}
		text := strings.Join(phrase, " ")
		if n := len(phrase); len(slices.Compact(slices.Sorted(slices.Values(phrase)))) < n {
			continue
		}
		require.NoError(t, CheckPassword(text, email), "%q", text)
		random := make([]byte, minPassword)
		for n := range random {
			random[n] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[r.IntN(62)]
		}
		require.NoError(t, CheckPassword(string(random), email), "%q", random)
	}
}

func TestALongPasswordCostsNoMoreToJudgeThanOneOfSixtyFourCharacters(t *testing.T) {
	made := func(n int) float64 {
		return testing.AllocsPerRun(1, func() { _ = CheckPassword(strings.Repeat("ab1!x", 51)[:n], email) })
	}
	require.InDelta(t, made(64), made(255), 10)
}

func TestAPasswordIsKeptAsAnArgon2idPHCString(t *testing.T) {
	h := newHashing()
	h.cost = cost.Full
	stored, err := h.of("correct horse battery")
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`), stored)
	again, err := h.of("correct horse battery")
	require.NoError(t, err)
	require.NotEqual(t, stored, again, "salted")
	for password, want := range map[string]bool{
		"correct horse battery":  true,
		"correct horse batterY":  false,
		"correct horse battery ": false,
		"":                       false,
	} {
		right, err := h.matches(stored, password)
		require.NoError(t, err)
		require.Equal(t, want, right, "%q", password)
		right, err = h.matches(h.decoy(), password)
		require.NoError(t, err)
		require.False(t, right)
	}
	composed, err := h.of("crème brûlée pour tous")
	require.NoError(t, err)
	right, err := h.matches(composed, "cre\u0300me bru\u0302le\u0301e pour tous")
	require.NoError(t, err)
	require.True(t, right, "however the keyboard composes it")
	for _, bad := range []string{"", "x", "$argon2i$v=19$m=19456,t=2,p=1$AAAA$AAAA", h.phcHead(), h.phcHead() + "$", h.phcHead() + "AAAA$AAAA", stored + "x"} {
		_, err := h.matches(bad, "correct horse battery")
		require.Error(t, err, bad)
		require.NotContains(t, err.Error(), "$", "the stored hash is not told")
	}
}

func TestTooManyHashesAtATimeHaveToWait(t *testing.T) {
	h := newHashing()
	for range hashesAtATime { // all slots are taken
		h.slots <- struct{}{}
	}
	var wg sync.WaitGroup
	for range hashesWaiting + hashesAtATime {
		wg.Go(func() {
			if _, err := h.sum("x", make([]byte, saltSize)); err != nil {
				t.Error(err)
			}
		})
	}
	require.Eventually(t, func() bool { return h.waiting.Load() == hashesWaiting+hashesAtATime }, 3*time.Minute, time.Millisecond)
	_, err := h.sum("x", make([]byte, saltSize))
	require.ErrorAs(t, err, new(Wait))
	for range hashesAtATime {
		<-h.slots
	}
	wg.Wait()
	require.Zero(t, h.waiting.Load())
	_, err = h.sum("x", make([]byte, saltSize))
	require.NoError(t, err)
}
