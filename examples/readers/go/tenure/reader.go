// Package tenure asks a Tenure sidecar for the generation. The rules are in
// ../../README.md.
//
//	reader := tenure.Reader{Address: "/run/tenure/tenure.sock"}
//	generation, err := reader.Ask().Generation()
//	if err != nil {
//		return err // there is no authority to write, and it says why
//	}
//
// Standard library only. A Reader and a Claim may be shared by goroutines.
package tenure

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

const (
	answerWithin  = time.Second // a sidecar silent for so long is lost
	largestAnswer = 64 * 1024
	unheard       = 20 * time.Second // between questions while not held
	reopenAfter   = 500 * time.Millisecond
)

var digits = regexp.MustCompile(`^[1-9][0-9]{0,15}$`)

// Claim is one answer, good for as long as the sidecar said.
type Claim struct {
	generation string
	until      time.Duration // of sinceBoot
	why        string
}

// Generation is what to attach to a write that begins now. The error says why
// there is no authority to write.
func (c Claim) Generation() (string, error) {
	switch {
	case c.generation == "" && c.why == "":
		return "", errors.New("not asked yet")
	case c.generation == "":
		return "", errors.New(c.why)
	case sinceBoot() >= c.until:
		return "", errors.New("past the time it was told")
	}
	return c.generation, nil
}

func (c Claim) askAgainIn() time.Duration {
	if c.generation == "" {
		return unheard
	}
	return max(c.until-sinceBoot(), time.Millisecond)
}

// Reader asks one sidecar.
type Reader struct {
	Address string // the path of a Unix socket, or "127.0.0.1:7421"
	Lease   string // needed only where the sidecar has several
}

// Ask is the Claim of this moment, within a second, whatever happens.
func (r Reader) Ask() Claim {
	asked := sinceBoot() // before asking: the answer may be slow (S1)
	connection, err := r.open("/v1/generation")
	if err != nil {
		return refusal(err)
	}
	defer connection.Close()
	whole, err := io.ReadAll(io.LimitReader(connection, largestAnswer))
	if err != nil {
		return refusal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(whole)), nil)
	if err != nil {
		return refusal(err)
	}
	defer answer.Body.Close()
	document, err := io.ReadAll(answer.Body)
	if err != nil {
		return refusal(err)
	}
	return read(answer.StatusCode, document, asked)
}

// Watch gives a Claim at once, then whenever something may have changed, until
// ctx ends. An event is only a cue to ask, and so is the end of a claim.
func (r Reader) Watch(ctx context.Context, give func(Claim)) {
	for ctx.Err() == nil {
		r.follow(ctx, give)
		give(r.Ask())
		select {
		case <-ctx.Done():
		case <-time.After(reopenAfter):
		}
	}
}

func (r Reader) follow(ctx context.Context, give func(Claim)) {
	stream, err := r.open("/v1/watch")
	if err != nil {
		return
	}
	defer stream.Close()
	defer context.AfterFunc(ctx, func() { stream.Close() })()
	for part := make([]byte, largestAnswer); ctx.Err() == nil; {
		claim := r.Ask()
		give(claim)
		stream.SetDeadline(time.Now().Add(claim.askAgainIn()))
		_, err := stream.Read(part)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// open sends one request. One deadline for all of it: an answer that comes
// byte by byte is no answer.
func (r Reader) open(path string) (net.Conn, error) {
	network := "tcp"
	if strings.Contains(r.Address, "/") {
		network = "unix"
	}
	deadline := time.Now().Add(answerWithin)
	dialer := net.Dialer{Deadline: deadline}
	connection, err := dialer.Dial(network, r.Address)
	if err != nil {
		return nil, err
	}
	connection.SetDeadline(deadline)
	if r.Lease != "" {
		path += "?lease=" + r.Lease
	}
	_, err = fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: localhost\r\n"+
		"Accept: application/json\r\nConnection: close\r\n\r\n", path)
	if err != nil {
		connection.Close()
		return nil, err
	}
	return connection, nil
}

func refusal(err error) Claim {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Claim{why: "no answer within a second"}
	}
	return Claim{why: "no sidecar to ask: " + err.Error()}
}

// read: an answer that is not understood is no authority.
func read(status int, document []byte, asked time.Duration) Claim {
	switch status {
	case http.StatusOK:
	case http.StatusConflict:
		return Claim{why: "standby"}
	case http.StatusServiceUnavailable:
		return Claim{why: "uncertain"}
	default:
		return Claim{why: fmt.Sprintf("the sidecar answered %d", status)}
	}
	var told struct {
		Generation  string
		RemainingMs struct{ ToRenewBy int32 }
	}
	err := json.Unmarshal(document, &told)
	if err != nil || !digits.MatchString(told.Generation) {
		return Claim{why: "the answer was not understood"}
	}
	left := time.Duration(told.RemainingMs.ToRenewBy) * time.Millisecond
	return Claim{generation: told.Generation, until: asked + left}
}
