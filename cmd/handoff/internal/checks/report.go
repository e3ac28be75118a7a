package checks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"handoff/schemas"
)

const gotest = "gotest"

// junitFile returns the path of a JUnit report. Ok is false if the report has another form.
func junitFile(report string) (path string, ok bool) {
	path, ok = strings.CutPrefix(report, "junit:")
	return strings.TrimSpace(path), ok
}

const noTests = "its report names no test that passed"

// testResults are the tests of a report: passed and failed ones.
type testResults struct{ passed, failed []string }

// problem returns the reason why a report does not show success, or "" if it shows success.
func (r testResults) problem() string {
	switch {
	case len(r.failed) > 0:
		return fileProblem(r.failed, fmt.Sprintf("%d failed", len(r.failed)))
	case len(r.passed) == 0:
		return noTests
	}
	return ""
}

// lostTests returns the tests in before that do not pass in this report.
func (r testResults) lostTests(before []string) []string {
	return slices.DeleteFunc(slices.Clone(before), func(name string) bool {
		_, found := slices.BinarySearch(r.passed, name)
		return found
	})
}

// normalise sorts the tests. It also removes each failed test from the passed tests, because a test may have run twice.
func (r *testResults) normalise() {
	r.failed = slices.Compact(slices.Sorted(slices.Values(r.failed)))
	r.passed = slices.DeleteFunc(r.passed, func(name string) bool {
		_, failed := slices.BinarySearch(r.failed, name)
		return failed
	})
	r.passed = slices.Compact(slices.Sorted(slices.Values(r.passed)))
}

// readReport reads the report of a command, in the form that the check names. The report comes from a file in the tree,
// or from the output of the command.
func readReport(report, tree, printed string) (r testResults, err error) {
	path, isFile := junitFile(report)
	if !isFile {
		f, err := os.Open(printed)
		if err != nil {
			return r, err
		}
		defer f.Close()
		return readGoTest(f)
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return r, err
	}
	defer root.Close()
	info, err := root.Stat(path) // it does not follow links out of the tree
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostOutput {
		return r, fmt.Errorf("%s is no regular file in the tree, of 16 MiB at most", path)
	}
	text, err := root.ReadFile(path)
	if err != nil {
		return r, err
	}
	return readJUnit(bytes.NewReader(text))
}

// removeOldReport removes a report that existed before the command ran, for example a committed report.
func removeOldReport(report, tree string) error {
	path, isFile := junitFile(report)
	if !isFile {
		return nil
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(path); err != nil {
		return nil // there is none, or it is outside of the tree, where it is not read either
	}
	return schemas.IgnoreError(fs.ErrNotExist, root.RemoveAll(path))
}

// readGoTest reads the output of go test -json (see go doc test2json). It ignores lines that are no test events.
func readGoTest(in io.Reader) (r testResults, err error) {
	var line []byte
	for lines := bufio.NewReader(in); err == nil; {
		line, err = lines.ReadBytes('\n')
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) == nil {
			name := strings.TrimSpace(event.Package + " " + event.Test)
			switch {
			case event.Action == "pass" && event.Test != "":
				r.passed = append(r.passed, name)
			case event.Action == "fail" || event.Action == "build-fail":
				r.failed = append(r.failed, name)
			}
		}
	}
	if err = schemas.IgnoreError(io.EOF, err); err == nil {
		r.normalise()
	}
	return r, err
}

// readJUnit reads the test cases of a report at any depth of nested suites.
func readJUnit(in io.Reader) (r testResults, err error) {
	for d := xml.NewDecoder(in); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			r.normalise()
			return r, nil
		}
		if err != nil {
			return r, fmt.Errorf("its report is no XML: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var c struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		}
		if err := d.DecodeElement(&c, &start); err != nil {
			return r, fmt.Errorf("its report is no XML: %w", err)
		}
		switch name := strings.TrimSpace(c.Class + " " + c.Name); {
		case c.Failure != nil || c.Error != nil:
			r.failed = append(r.failed, name)
		case c.Skipped == nil:
			r.passed = append(r.passed, name)
		}
	}
}
