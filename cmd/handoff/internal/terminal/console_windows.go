package terminal

import (
	"errors"
	"io"
	"os"
)

// Console opens the terminal of this process for reading and writing, even if the standard streams are redirected.
func Console() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return console{in, out}, nil
}

type console struct{ in, out *os.File }

func (c console) Read(p []byte) (int, error)  { return c.in.Read(p) }
func (c console) Write(p []byte) (int, error) { return c.out.Write(p) }
func (c console) Close() error                { return errors.Join(c.in.Close(), c.out.Close()) }
