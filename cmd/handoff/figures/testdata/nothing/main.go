// Command nothing is the lower bound for commands that are over soon: the start and the end of a Go program.
package main

func main() {}
