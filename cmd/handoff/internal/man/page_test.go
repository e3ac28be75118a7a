package man_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/man"
)

func TestHelpIsEscapedInManualPages(t *testing.T) {
	p := man.Page{
		Name: "handoff-x", Version: "v1", Date: "2026-01-31", Short: "Do *this*", Synopsis: `handoff x "A"`,
		Examples: "  handoff x '.x' \\ `id`\n.so /etc/passwd",
		About:    "First _line_…\n.sp 99\n\n'quoted\n\n  laid   out\n  as it is",
		Lists:    []man.List{{"Flags", []man.Item{{"--a-b", "name", ".starts with a dot"}}}},
		Status:   "0 done", See: []string{"handoff", "handoff-y"},
	}
	require.Equal(t, `.TH "HANDOFF\-X" 1 "2026-01-31" "handoff v1" "handoff"
.SH NAME
handoff\-x \- Do *this*
.SH SYNOPSIS
handoff x "A"
.SH EXAMPLES
.nf
  handoff x \(aq.x\(aq \e \(gaid\(ga
\&.so /etc/passwd
.fi
.SH DESCRIPTION
First _line_...
\&.sp 99
.PP
\(aqquoted
.PP
.nf
  laid   out
  as it is
.fi
.SH "FLAGS"
.TP
\fB\-\-a\-b\fR \fIname\fR
\&.starts with a dot
.SH EXIT STATUS
0 done
.SH SEE ALSO
.BR handoff (1),
.BR handoff\-y (1)
`, p.Roff())
}
