//go:build !linux

package tenure

import "time"

var start = time.Now()

// sinceBoot stands still while the machine is suspended, on some systems.
func sinceBoot() time.Duration { return time.Since(start) }
