package cost_test

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/cli"
	"birthregistry/store"
)

// aMerge merges, undoes merges and pushes, after many merges.
var aMerge = []grows{
	afterMerges("a merge at the end of a chain", logN, (*installation).chain, func(s *installation) { s.merge(s.named["record"], s.named["fresh"]) }),
	afterMerges("a merge into a record", nLogN, (*installation).star, func(s *installation) { s.merge(s.named["fresh"], s.named["record"]) }),
	afterMerges("the undoing of the last merge of a chain", logN, (*installation).chain, (*installation).undo),
	afterMerges("the undoing of the last merge into a record", nLogN, (*installation).star, (*installation).undo),
	afterMerges("an amendment of the record at the end of a chain", logN, (*installation).chain, func(s *installation) { s.pushed(s.last(similar).Bundle()) }),
	afterMerges("a retraction of the record at the end of a chain", logN, (*installation).chain, func(s *installation) {
		c := s.last(similar)
		c.Status, c.Mothers, c.Kids = "entered-in-error", -1, -1
		s.pushed(c.Bundle())
	}),
	afterMerges("an amendment of the first record of a chain", logN, (*installation).chain, func(s *installation) {
		c := similar(0)
		c.Weight = 3100
		s.pushed(c.Bundle())
	}),
	afterMerges("a retraction of a record into which many were merged", nLogN, (*installation).star, func(s *installation) {
		c := similar(0)
		c.Status, c.Mothers, c.Kids = "entered-in-error", -1, -1
		s.pushed(c.Bundle())
	}),
	{"a merge of a midwife into whom many were merged", 12, nLogN, func(s *installation, n int) func() {
		pushes(oneOfMany)(s, n+1)
		s.mergeMidwives(n)
		return func() { require.NoError(s, s.Review.MergeProvider(s.admin, int64(n), int64(n+1))) }
	}},
	{"the undoing of a merge of midwives", 12, nLogN, func(s *installation, n int) func() {
		pushes(oneOfMany)(s, n)
		s.mergeMidwives(n)
		return func() { require.NoError(s, s.Review.UnmergeProvider(s.admin, int64(n-1))) }
	}},
	{"the merge of a group of many identities", 100, nLogN, func(s *installation, n int) func() {
		pushes(newIdentity)(s, n)
		return func() { require.NoError(s, s.Review.MergeGroup(s.admin, 1)) }
	}},
	{"a push of a midwife into whom many were merged", 12, logN, func(s *installation, n int) func() {
		pushes(oneOfMany)(s, n)
		s.mergeMidwives(n)
		c := oneOfMany(0)
		c.Chart = "D"
		return func() { s.pushed(c.Bundle()) }
	}},
}

// afterMerges does something after many merges. A record into which many were merged has as
// many versions, which are read and verified together.
func afterMerges(name string, by order, merges func(*installation, int), act func(*installation)) grows {
	return grows{name + " after many", 12, by, func(s *installation, n int) func() {
		merges(s, n)
		c := similar(0)
		c.Chart = "D"
		s.pushed(c.Bundle())
		s.named["fresh"], s.named["n"] = s.record("D"), fmt.Sprint(n)
		return func() { act(s) }
	}}
}

// undo undoes the last merge.
func (s *installation) undo() {
	s.Helper()
	id, err := strconv.ParseInt(s.named["review"], 10, 64)
	require.NoError(s, err)
	_, err = s.Review.Undo(s.admin, id)
	require.NoError(s, err)
}

// last returns the last course of a chain, with another weight.
func (s *installation) last(of func(int) apptest.Course) apptest.Course {
	n, err := strconv.Atoi(s.named["n"])
	require.NoError(s, err)
	c := of(n)
	c.Weight = 3100
	return c
}

// aCommand are the commands that list something, each with many things to list.
var aCommand = []grows{
	command("births", pushes(distinct), "record", "list", "--practice", "1", "--json"),
	command("births", pushes(distinct), "check"),
	command("versions", versions, "record", "show", "C-000000", "--practice", "1", "--json", "--reveal"),
	command("versions", versions, "record", "show", "C-000000", "--practice", "1", "--json", "--version", "1"),
	command("audit rows", audits, "audit", "list", "--practice", "1", "--limit", "0", "--json"),
	command("audit rows", audits, "audit", "verify"),
	command("keys", func(s *installation, n int) {
		s.write(func(tx *store.Tx) error {
			for i := range n {
				if _, err := tx.AddAPIKey(s.practice, store.APIKey{Label: fmt.Sprint(i)}, fmt.Append(nil, i)); err != nil {
					return err
				}
			}
			return nil
		})
	}, "key", "list", "--practice", "1"),
}

func command(of string, fill func(s *installation, n int), args ...string) grows {
	name := args[0]
	if len(args) > 1 {
		name += " " + args[1]
	}
	return grows{name + " with many " + of, 100, nLogN, func(s *installation, n int) func() {
		fill(s, n)
		args := append(args, "--db", s.DB.Path())
		run := func() {
			var talk bytes.Buffer
			require.Zero(s, cli.Run(s.Context(), args, nil, io.Discard, &talk), "%s", &talk)
		}
		run() // does what is done only once
		return run
	}}
}
