package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func practiceCommand() *cobra.Command {
	return keyFileFlag(group("practice", "Add, list and change practices", "", practiceAdd(), practiceList(), practiceSet(), practiceExport(), practiceImport(), practiceForget(), practiceCertificate()))
}

func practiceAdd() *cobra.Command {
	var sandbox, beta bool
	var zone string
	cmd := &cobra.Command{
		Use:     "add NAME",
		Short:   "Add a practice and print its id",
		Example: `  birthregistry practice add "Riverside Midwives" --ehr-beta --time-zone America/New_York`,
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			name := strings.TrimSpace(args[0])
			if name == "" || len(name) > 200 || strings.ContainsFunc(name, unicode.IsControl) { // a terminal would obey those
				return usage{errors.New("the name must have 1 to 200 characters, and no line breaks or control characters")}
			}
			if err := checkZone(zone); err != nil {
				return err
			}
			return with(cmd, func(a *app.App) error {
				var id store.PracticeID
				err := a.DB.Update(func(tx *store.Tx) (err error) {
					if id, err = tx.AddPractice(name, sandbox, beta); err != nil {
						return err
					}
					return tx.SetTimeZone(id, zone)
				})
				if err != nil {
					return err
				}
				return output(cmd, "%d\n", id)
			}, orNew)
		}),
	}
	cmd.Flags().BoolVar(&sandbox, "sandbox", false, "for invented data only; this cannot be changed later")
	cmd.Flags().BoolVar(&beta, "ehr-beta", false, "enable the partner-EHR beta, so that API keys can be created")
	zoneFlag(cmd, &zone)
	return cmd
}

// orNew lets a command create the database and its key if they don't exist yet.
func orNew(config *app.Config) { config.Existing = false }

// zoneFlag adds the flag --time-zone to a command.
func zoneFlag(cmd *cobra.Command, zone *string) {
	cmd.Flags().StringVar(zone, "time-zone", "UTC", "time zone of its pages, such as America/New_York")
}

// checkZone returns an error if zone isn't the name of a time zone. "" and "Local", which is the
// time zone of this machine, aren't allowed.
func checkZone(zone string) error {
	if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
		return usage{errors.New("--time-zone takes a name such as America/New_York or UTC")}
	}
	return nil
}

func practiceList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the practices",
		Example: "  birthregistry practice list --json",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			all, err := store.Read(cmd.Context(), a.DB, (*store.View).Practices)
			if err != nil {
				return err
			}
			return printList(cmd, all, []string{"ID", "NAME", "SANDBOX", "EHR BETA", "SECOND FACTOR", "TIME ZONE", "SINCE"}, func(p store.Practice) []string {
				return []string{fmt.Sprint(p.ID), p.Name, yesNo(p.Sandbox), yesNo(p.EHRBeta), map[bool]string{true: "required", false: "optional"}[p.SecondFactor], p.TimeZone, p.CreatedAt.Format(time.DateOnly)}
			})
		}),
	})
}

func practiceSet() *cobra.Command {
	var beta, factor bool
	var zone string
	cmd := &cobra.Command{
		Use:   "set ID [--ehr-beta=true|false] [--time-zone ZONE] [--second-factor=true|false]",
		Short: "Set the partner-EHR beta, the time zone or the required second factor of a practice",
		Long: "Set the partner-EHR beta, the time zone or the required second factor of a practice.\n\n" +
			"Without the beta, no new API keys can be created; existing keys stay valid until they are revoked.\n\n" +
			"With --second-factor, people without an authenticator app or a passkey are taken to the page that sets one up, and cannot\n" +
			"do anything else in the practice until they have one. Sessions that began with an identity provider are exempt, and so\n" +
			"are API keys.",
		Example: "  birthregistry practice set 1 --ehr-beta=true",
		Args:    cobra.ExactArgs(1),
		RunE: onPractice(func(cmd *cobra.Command, a *app.App, p store.Practice, _ []string) error {
			setBeta, setZone, setFactor := cmd.Flags().Changed("ehr-beta"), cmd.Flags().Changed("time-zone"), cmd.Flags().Changed("second-factor")
			if !setBeta && !setZone && !setFactor {
				return usage{errors.New("nothing to set; use --ehr-beta, --time-zone or --second-factor")}
			}
			if err := checkZone(zone); err != nil {
				return err
			}
			err := a.DB.Update(func(tx *store.Tx) (err error) {
				if setBeta {
					err = tx.SetEHRBeta(p.ID, beta)
				}
				if err == nil && setZone {
					err = tx.SetTimeZone(p.ID, zone)
				}
				return err
			})
			if err == nil && setFactor {
				err = a.Auth.RequireSecondFactor(auth.Operator(p), factor)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&beta, "ehr-beta", false, "whether API keys can be created")
	cmd.Flags().BoolVar(&factor, "second-factor", false, "whether everybody needs a second factor")
	zoneFlag(cmd, &zone)
	return cmd
}

func parsePractice(s string) (store.PracticeID, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id < 1 {
		return 0, usage{errors.New("a practice id is a number; see: birthregistry practice list")}
	}
	return store.PracticeID(id), nil
}

// onPractice adapts the function of a command for cobra. The first argument of the command is the
// ID of the practice on which it works.
func onPractice(fn func(cmd *cobra.Command, a *app.App, p store.Practice, args []string) error) func(*cobra.Command, []string) error {
	return run(func(cmd *cobra.Command, args []string) error {
		return withPractice(cmd, args[0], func(a *app.App, p store.Practice) error { return fn(cmd, a, p, args) })
	})
}

// inPractice adds the flag --practice to a command. The command then opens the installation and
// calls fn with the practice.
func inPractice(cmd *cobra.Command, fn func(cmd *cobra.Command, a *app.App, p store.Practice, args []string) error) *cobra.Command {
	practice := cmd.Flags().String("practice", "", "the practice's id")
	_ = cmd.MarkFlagRequired("practice") // the flag is there
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		return withPractice(cmd, *practice, func(a *app.App, p store.Practice) error { return fn(cmd, a, p, args) })
	})
	return cmd
}

// withPractice opens the installation, reads the practice with this ID, and calls fn with both of
// them.
func withPractice(cmd *cobra.Command, id string, fn func(*app.App, store.Practice) error) error {
	parsed, err := parsePractice(id)
	if err != nil {
		return err
	}
	return with(cmd, func(a *app.App) error {
		p, err := practiceOf(cmd, a, parsed)
		if err != nil {
			return err
		}
		return fn(a, p)
	})
}

func practiceOf(cmd *cobra.Command, a *app.App, id store.PracticeID) (store.Practice, error) {
	p, err := store.Read(cmd.Context(), a.DB, func(v *store.View) (store.Practice, error) { return v.Practice(id) })
	return p, noSuch("practice; see: birthregistry practice list", err)
}

// noSuch converts store.ErrNotFound to an error that states what doesn't exist. It returns any
// other error unchanged.
func noSuch(what string, err error) error {
	return store.Translate(err, store.ErrNotFound, errors.New("there is no such "+what))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
