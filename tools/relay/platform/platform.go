// Package platform asks the operating system what each one answers in its own way: which processes run, which file
// and which start of the system this is, whether other machines share a directory, and who is at the other end of
// a socket. It also locks files, and replaces them while others read them.
//
// A system that does not know answers with the zero value, or with [errors.ErrUnsupported] where the function has
// an error. Callers treat that as "cannot be checked here", never as "no".
package platform
