package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/store"
)

func practiceCommand() *cobra.Command {
	cmd := keyFileFlag(&cobra.Command{
		Use:   "practice",
		Short: "Add, list and change practices",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	})
	cmd.AddCommand(practiceAdd(), practiceList(), practiceSet())
	return cmd
}

func practiceAdd() *cobra.Command {
	var sandbox, beta bool
	cmd := &cobra.Command{
		Use:     "add NAME",
		Short:   "Add a practice and print its id",
		Example: `  birthregistry practice add "Riverside Midwives" --ehr-beta`,
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			name := strings.TrimSpace(args[0])
			if name == "" || len(name) > 200 {
				return usage{errors.New("the name must have 1 to 200 characters")}
			}
			return with(cmd, func(a *app.App) error {
				var id store.PracticeID
				err := a.DB.Update(func(tx *store.Tx) (err error) {
					id, err = tx.AddPractice(name, sandbox, beta)
					return err
				})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), id)
				return err
			})
		}),
	}
	cmd.Flags().BoolVar(&sandbox, "sandbox", false, "a practice for synthetic data only; it stays one")
	cmd.Flags().BoolVar(&beta, "ehr-beta", false, "enable the partner-EHR beta: API keys can be made")
	return cmd
}

func practiceList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the practices",
		Example: "  birthregistry practice list --json",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return with(cmd, func(a *app.App) error {
				all := []store.Practice{}
				err := a.DB.View(func(v *store.View) error {
					found, err := v.Practices()
					all = append(all, found...)
					return err
				})
				if err != nil {
					return err
				}
				if asJSON(cmd) {
					return printJSON(cmd.OutOrStdout(), all)
				}
				rows := make([][]string, len(all))
				for i, p := range all {
					rows[i] = []string{fmt.Sprint(p.ID), p.Name, yesNo(p.Sandbox), yesNo(p.EHRBeta), p.CreatedAt.Format("2006-01-02")}
				}
				return table(cmd.OutOrStdout(), []string{"ID", "NAME", "SANDBOX", "EHR BETA", "SINCE"}, rows)
			})
		}),
	})
}

func practiceSet() *cobra.Command {
	var beta bool
	cmd := &cobra.Command{
		Use:     "set ID --ehr-beta=true|false",
		Short:   "Enable or withdraw the partner-EHR beta of a practice",
		Long:    "Enable or withdraw the partner-EHR beta of a practice. Keys that were made before it is withdrawn stay valid until they are revoked.",
		Example: "  birthregistry practice set 1 --ehr-beta=true",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			id, err := parsePractice(args[0])
			if err != nil {
				return err
			}
			return with(cmd, func(a *app.App) error {
				return noSuch("practice", a.DB.Update(func(tx *store.Tx) error { return tx.SetEHRBeta(id, beta) }))
			})
		}),
	}
	cmd.Flags().BoolVar(&beta, "ehr-beta", false, "whether API keys can be made")
	_ = cmd.MarkFlagRequired("ehr-beta") // the flag is there
	return cmd
}

func parsePractice(s string) (store.PracticeID, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id < 1 {
		return 0, usage{errors.New("a practice id is a number; see: birthregistry practice list")}
	}
	return store.PracticeID(id), nil
}

// practiceFlag adds --practice and returns its reader.
func practiceFlag(cmd *cobra.Command) func() (store.PracticeID, error) {
	id := cmd.Flags().String("practice", "", "the practice's id")
	_ = cmd.MarkFlagRequired("practice") // the flag is there
	return func() (store.PracticeID, error) { return parsePractice(*id) }
}

// noSuch words a missing row for people.
func noSuch(what string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no such %s", what)
	}
	return err
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
