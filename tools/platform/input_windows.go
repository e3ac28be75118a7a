package platform

import "io"

// PollInput changes nothing here: what a file waits with is decided when it is opened.
func PollInput(input io.Reader, _ ...io.Writer) (_ io.Reader, back func()) { return input, func() {} }
