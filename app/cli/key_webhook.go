package cli

import (
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/app/webhooks"
	"birthregistry/store"
)

func keySet() *cobra.Command {
	var address string
	var off, loopback bool
	cmd := &cobra.Command{
		Use:   "set ID --webhook URL | --no-webhook",
		Short: "Set the webhook that is notified when a key's ingestions end",
		Long: "Set the address to which the registry reports the end of each ingestion that was pushed with a key, and print a new\n" +
			"secret, with which the receiver verifies the messages. It cannot be shown again; to get a new one, set the address\n" +
			"again. With --no-webhook, nothing is reported.",
		Example: "  birthregistry key set 3 --webhook https://ehr.example.org/hooks/birthregistry > webhook.secret",
		Args:    cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&address, "webhook", "", "address of the receiver")
	f.BoolVar(&off, "no-webhook", false, "report nothing")
	loopbackFlag(cmd, "webhook", "receivers of webhooks", &loopback)
	cmd.MarkFlagsOneRequired("webhook", "no-webhook")
	cmd.MarkFlagsMutuallyExclusive("webhook", "no-webhook")
	withoutTwin(cmd, "webhook")
	withoutTwin(cmd, "no-webhook")
	cmd.RunE = onKey(func(cmd *cobra.Command, a *app.App, who auth.User, id int64, _ []string) error {
		if off {
			return store.Translate(a.Webhooks.End(who, id), store.ErrNotFound, errors.New("this key has no webhook"))
		}
		secret, err := a.Webhooks.Set(who, id, address)
		if errors.Is(err, webhooks.ErrBadAddress) {
			return usage{err}
		}
		if err != nil {
			return noSuch("key in force; see: birthregistry key list --practice ID", err)
		}
		return output(cmd, "%s\n", secret)
	}, func(c *app.Config) { c.Webhooks.Loopback = loopback })
	return cmd
}

// deliveriesListed is the maximum number of deliveries that the command lists.
const deliveriesListed = 1000

func keyDeliveries() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "deliveries ID",
		Short:   "List the messages sent to a key's webhook in the last week, newest first",
		Example: "  birthregistry key deliveries 3",
		Args:    cobra.ExactArgs(1),
		RunE: onKey(func(cmd *cobra.Command, a *app.App, who auth.User, id int64, _ []string) error {
			all, err := a.Webhooks.Deliveries(cmd.Context(), who.Practice.ID, id, deliveriesListed)
			if err != nil {
				return err
			}
			return printList(cmd, all, []string{"INGESTION", "STATUS", "ENDED", "STATE", "ATTEMPTS", "LAST", "ANSWER", "PROBLEM"}, func(d store.Delivery) []string {
				return []string{
					d.Ingestion, string(d.Status), d.EndedAt.Format(time.DateTime), string(d.State), strconv.Itoa(d.Attempts),
					day(d.TriedAt, "never"), answered(d.Answer), webhooks.Problems[d.Problem],
				}
			})
		}),
	})
}

func answered(status int) string {
	if status == 0 {
		return ""
	}
	return strconv.Itoa(status)
}

func keySendAgain() *cobra.Command {
	return &cobra.Command{
		Use:     "send-again ID INGESTION",
		Short:   "Report the end of an ingestion to a key's webhook again",
		Example: "  birthregistry key send-again 3 0198c0de-7b1f-7cc2-a1f0-2f6f0a6f0c11",
		Args:    cobra.ExactArgs(2),
		RunE: onKey(func(_ *cobra.Command, a *app.App, who auth.User, id int64, args []string) error {
			return noSuch("delivery; see: birthregistry key deliveries ID", a.Webhooks.SendAgain(who, id, args[1]))
		}),
	}
}
