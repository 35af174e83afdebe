package tenure

import (
	"syscall"
	"time"
	"unsafe"
)

const clockBoottime = 7

// sinceBoot runs on while the machine is suspended; time.Now() does not.
func sinceBoot() time.Duration {
	var now syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockBoottime,
		uintptr(unsafe.Pointer(&now)), 0)
	if errno != 0 {
		panic("clock_gettime(CLOCK_BOOTTIME): " + errno.Error())
	}
	return time.Duration(now.Nano())
}
