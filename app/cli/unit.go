package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/assets"
)

// units maps the arguments of the command unit to the files that it prints.
var units = map[string]string{
	"birthregistry": "birthregistry.service", "litestream": "litestream.service", "litestream.yml": "litestream.yml",
}

// dataFolder is the folder that the service manager makes for the service.
const dataFolder = "/var/lib/birthregistry"

func unitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unit [birthregistry|litestream|litestream.yml]",
		Short: "Print a systemd unit for this program, or for Litestream",
		Long: "Print a systemd unit for this program. The service runs as its own user, sees only its data folder and the backup\n" +
			"folder, gets the key as a credential, and is restarted when the database does not answer.\n\n" +
			"Litestream copies every change to another place within a second. It needs a unit and a configuration file. The first\n" +
			"lines of each say where to put it.",
		Example: "  birthregistry unit | sudo tee /etc/systemd/system/birthregistry.service\n" +
			"  birthregistry unit litestream.yml --replica /mnt/nas/registry",
		ValidArgs: []string{"birthregistry", "litestream", "litestream.yml"},
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
	}
	replica := cmd.Flags().String("replica", "/mnt/backup/birthregistry", "folder that Litestream copies to")
	backups := cmd.Flags().String("backup-dir", "/mnt/backup", "folder that the service may write its backups to")
	program := cmd.Flags().String("program", "", "path at which the service manager finds the program (default: where it is now)")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		name := units["birthregistry"]
		if len(args) == 1 {
			name = units[args[0]]
		}
		text, err := assets.Units.ReadFile("unit/" + name)
		if err != nil {
			return err
		}
		if *program == "" {
			if *program, err = os.Executable(); err != nil {
				return fmt.Errorf("the program cannot find its own path: %w", err)
			}
		}
		db := dataFolder + "/registry.db"
		if f := cmd.Flags().Lookup("db"); f.Changed {
			if db, err = filepath.Abs(f.Value.String()); err != nil {
				return err
			}
		}
		writable := "-" + *backups // "-" lets the service start before the disk is mounted
		if folder := filepath.Dir(db); folder != dataFolder {
			writable += " " + folder
		}
		fill := strings.NewReplacer("PROGRAM", *program, "DATABASE", db, "REPLICA", *replica, "WRITABLE", writable)
		_, err = fill.WriteString(cmd.OutOrStdout(), string(text))
		return err
	})
	return cmd
}
