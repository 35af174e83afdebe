// Writes to a store only while the sidecar says held.
//
//	guarded_writer SIDECAR STORE        commands on stdin, an answer each:
//	    ask            held GENERATION | not held: WHY
//	    write VALUE    wrote G | not written: WHY | stale G | unknown: WHY
//	guarded_writer SIDECAR STORE watch  prints each change of the claim
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"tenure.dev/examples/readers/tenure"
)

var client = http.Client{
	Transport: &http.Transport{}, // no proxy
	Timeout:   5 * time.Second,
}

func describe(claim tenure.Claim) string {
	generation, err := claim.Generation()
	if err != nil {
		return "not held: " + err.Error()
	}
	return "held " + generation
}

func write(store string, claim tenure.Claim, value string) string {
	request, err := http.NewRequest("PUT", "http://"+store+"/value",
		strings.NewReader(value))
	if err != nil {
		return "not written: " + err.Error()
	}
	generation, err := claim.Generation() // asked for last, just before the write
	if err != nil {
		return "not written: " + err.Error()
	}
	request.Header.Set("Tenure-Generation", generation)
	answer, err := client.Do(request)
	if err != nil {
		return "unknown: " + err.Error() // it may have been applied
	}
	answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		return "wrote " + generation
	case http.StatusConflict:
		return "stale " + generation // the store knows a higher one
	}
	return "unknown: " + answer.Status
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: guarded_writer SIDECAR STORE [watch]")
		os.Exit(64)
	}
	reader := tenure.Reader{Address: os.Args[1]}
	if len(os.Args) > 3 {
		said := ""
		reader.Watch(context.Background(), func(claim tenure.Claim) {
			if now := describe(claim); now != said {
				fmt.Println(now)
				said = now
			}
		})
	}
	var claim tenure.Claim
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		command, value, _ := strings.Cut(lines.Text(), " ")
		switch command {
		case "ask":
			claim = reader.Ask()
			fmt.Println(describe(claim))
		case "write":
			fmt.Println(write(os.Args[2], claim, value))
		}
	}
}
