package process

import "io"

// Input returns a reader of r whose end or error begins the drain.
func (l *Life) Input(r io.Reader) io.Reader { return input{r, l} }

type input struct {
	io.Reader
	life *Life
}

func (i input) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if err != nil {
		i.life.endOfInput()
	}
	return n, err
}

// Output returns a writer to w. An error of w begins the drain: the client no longer reads.
func (l *Life) Output(w io.Writer) io.Writer { return output{w, l} }

type output struct {
	io.Writer
	life *Life
}

func (o output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.life.stop()
	}
	return n, err
}
