package seal_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"birthregistry/app/seal"
)

// Only the recovery key opens a file that is sealed for it. The file is an ordinary age file,
// so the age command opens it as well.
func ExampleSealFile() {
	folder, err := os.MkdirTemp("", "seal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	keyFile := filepath.Join(folder, "recovery.key")
	recipient, err := seal.NewRecovery(keyFile)
	if err != nil {
		fmt.Println(err)
		return
	}

	var backup bytes.Buffer
	sealed, err := seal.SealFile(&backup, []string{recipient})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = io.WriteString(sealed, "a copy of the database")
	if err := sealed.Close(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("readable:", bytes.Contains(backup.Bytes(), []byte("database")))

	opened, err := seal.OpenFile(&backup, keyFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := io.ReadAll(opened)
	fmt.Println(string(content), err)
	// Output:
	// readable: false
	// a copy of the database <nil>
}
