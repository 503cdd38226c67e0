package ops

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// unmapProgram releases the pages of the program file that this process has used so far, because
// most of them were needed only at the start. The system keeps the pages in its cache while there
// is room, and maps a page again when it is needed. unmapProgram releases only code and constants
// that were never written to, so nothing can be lost. It ignores errors, because it is only an
// optimization.
func unmapProgram() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close() //nolint:errcheck // only read
	var from, to uintptr
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		if fields := strings.Fields(line); len(fields) == 6 && strings.Contains(fields[0], "-") { // the first line of a mapping
			from, to = 0, 0
			if fields[5] == program && strings.HasPrefix(fields[1], "r-") {
				_, _ = fmt.Sscanf(fields[0], "%x-%x", &from, &to)
			}
			continue
		}
		if from < to && strings.Join(strings.Fields(line), " ") == "Anonymous: 0 kB" {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED)
		}
	}
}
