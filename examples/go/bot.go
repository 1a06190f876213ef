// A bot for Kille, written from protocol/v1/protocol.md alone (§12), with the standard library of Go:
//
//	go run . 127.0.0.1 4747 --name Ada --room Krogen --matches 1
//
// It joins the room, or makes one for four with three computers, plays its matches and says who won. When its line is
// lost it comes back with its ticket. It speaks plain text, which a server takes from its own machine alone (§2.4).
package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

const (
	version = 1
	kuku    = 19 // §11.1
	weak    = 7  // half of what may be dealt is lower than this "5"
	silence = 15 * time.Second
)

var actions = []string{"stand", "swap", "kuku", "ask", "accept", "refuse", "depends"} // by bit (§5.1)

// What an answer may be refused as because the table has gone on meanwhile (§7.4).
var late = map[string]bool{
	"old_turn": true, "overtaken": true, "paused": true, "not_playing": true, "no_hand": true, "already_answered": true,
}

var options = []Field{
	{"seats", 4}, {"format", "pots"}, {"length", "short"}, {"dealt_harlekin", "high"}, {"pots", 0}, {"computers", 3},
	{"level", "easy"}, {"clock", 30}, {"pace", 0}, {"window", 0}, {"rest", 0}, {"watching", "everyone"},
	{"coach", "allowed"},
}

// errEnd is why there is nothing more to do; a lost line is none.
type errEnd struct{ error }

type bot struct {
	address, room string
	name          string
	matches       int
	ticket        any // nil: none yet
	line          net.Conn
	in            *bufio.Reader
	id            int
	ready, call   int // commands that wait for their answer
	seats         []any
	question      Message // nil: none is open
	nonce         []byte
	match         string // that the nonce is for
	end           Message
}

func (b *bot) send(t string, fields ...Field) {
	// Where it cannot be sent, the line is lost, which the next reading tells.
	_, _ = b.line.Write(frame(append([]Field{{"t", t}}, fields...)...))
}

func (b *bot) command(t string, fields ...Field) int {
	b.id++
	b.send(t, append([]Field{{"id", b.id}}, fields...)...)
	return b.id
}

func (b *bot) bye(code, place string) {
	b.send("bye", Field{"code", code}, Field{"place", place}, Field{"versions", []int{version}})
	_ = b.line.Close()
}

// next gives what is no matter of the line itself (§8.1).
func (b *bot) next() (Message, error) {
	for {
		_ = b.line.SetReadDeadline(time.Now().Add(silence / 3))
		if _, err := b.in.Peek(1); errors.Is(err, os.ErrDeadlineExceeded) {
			b.send("ping", Field{"n", 0})
			_ = b.line.SetReadDeadline(time.Now().Add(silence))
		}
		message, err := readFrame(b.in)
		if err != nil {
			return nil, err
		}
		switch message.text("t") {
		case "ping":
			b.send("pong", Field{"n", message.number("n")})
		case "pong":
		case "bye":
			_ = b.line.Close() // a bye is not answered (§4.4)
			return nil, errEnd{fmt.Errorf("the server says bye: %s %s", message.text("code"), message.text("place"))}
		default:
			return message, nil
		}
	}
}

func (b *bot) answerTo(id int) (Message, error) {
	for {
		message, err := b.next()
		if err != nil || message.number("id") == id && message["seq"] == nil {
			return message, err
		}
	}
}

// connect greets, and says whether we are where we were.
func (b *bot) connect() (bool, error) {
	line, err := net.DialTimeout("tcp", b.address, 5*time.Second)
	if err != nil {
		return false, err
	}
	b.line, b.in = line, bufio.NewReader(line)
	b.send("hello", Field{"versions", []int{version}}, Field{"agent", "bot.go"}, Field{"name", b.name},
		Field{"bot", true}, Field{"ticket", b.ticket}, Field{"password", nil})
	welcome, err := b.next()
	if err != nil {
		return false, err
	}
	if welcome.text("t") != "welcome" {
		return false, fault{"unexpected", "t"}
	}
	if welcome.number("version") != version {
		return false, fault{"unsupported_version", "version"}
	}
	b.name, b.ticket = welcome.text("name"), welcome["ticket"]
	if last := welcome.number("last_id"); last > b.id {
		b.id = last
	}
	b.question, b.call = nil, 0
	return welcome.text("resumed") == "room", nil
}

// enter joins the room, or makes it; somebody else may do so between our two questions.
func (b *bot) enter() error {
	code := ""
	for _, t := range []string{"join", "create", "join"} {
		fields := []Field{{"room", b.room}}
		if t == "create" {
			fields = append(fields, Field{"options", options})
		}
		answer, err := b.answerTo(b.command(t, append(fields, Field{"password", nil})...))
		if err != nil || answer.text("t") == "ok" {
			return err
		}
		if code = answer.text("code"); code != "no_such_room" && code != "room_exists" {
			break
		}
	}
	return errEnd{fmt.Errorf("cannot enter %s: %s", b.room, code)}
}

func (b *bot) seat() int {
	for number, one := range b.seats {
		if seat, _ := one.(Message); seat.text("name") == b.name {
			return number
		}
	}
	return -1
}

// act answers the open question: it calls Kuku, unless that was refused, and gets rid of what is weak.
func (b *bot) act(mayCall bool) error {
	if b.question == nil {
		return nil
	}
	view, legal := b.question.part("view"), map[string]bool{}
	for bit, word := range actions {
		legal[word] = b.question.number("legal")>>bit&1 == 1
	}
	seat, cards, low := view.number("seat"), view.list("cards"), view.list("low")
	if seat >= len(cards) || seat >= len(low) {
		return fault{"bad_field", "view"}
	}
	card, isSeen := cards[seat].(int)
	if !isSeen {
		return fault{"bad_field", "view.cards"}
	}
	if legal["kuku"] && mayCall {
		b.call = b.command("kuku", Field{"seq", b.question.number("seq")})
		return nil
	}
	wishes := []string{"stand", "refuse"}
	if card < weak || low[seat] == true {
		wishes = []string{"ask", "swap", "accept", "depends", "refuse"}
	}
	for _, wish := range wishes {
		if legal[wish] {
			b.command("act", Field{"turn", b.question.number("turn")}, Field{"do", wish})
			return nil
		}
	}
	return fault{"bad_field", "legal"}
}

// shuffle draws our part in the packs (§7.8); whether the server kept to it, `raw_client.py` shows how to check.
func (b *bot) shuffle(message Message) error {
	seat := b.seat()
	switch {
	case message.text("t") == "shuffle" && seat >= 0 && message.number("seats")>>seat&1 == 1:
		match, err := hex.DecodeString(message.text("match"))
		if err != nil {
			return fault{"bad_field", "match"}
		}
		b.match, b.nonce = message.text("match"), make([]byte, 32)
		if _, err := rand.Read(b.nonce); err != nil {
			return errEnd{err}
		}
		text := append(append(append([]byte("kille-nonce-v1"), match...), byte(seat)), b.nonce...)
		digest := sha256.Sum256(text)
		b.command("commit", Field{"match", b.match}, Field{"commit", hex.EncodeToString(digest[:])})
	case message.text("t") == "commits" && b.nonce != nil:
		b.command("reveal", Field{"match", b.match}, Field{"nonce", hex.EncodeToString(b.nonce)})
		b.nonce = nil
	}
	return nil
}

func (b *bot) getReady() { b.ready = b.command("ready", Field{"ready", true}) }

// refused says what to do about it.
func (b *bot) refused(message Message) error {
	id, code := message.number("id"), message.text("code")
	switch {
	case id == b.call:
		b.call = 0
		return b.act(false)
	case code == "too_fast" || code == "cannot_save":
		time.Sleep(time.Second)
		if id == b.ready {
			b.getReady()
			return nil
		}
		return b.act(false)
	case late[code], code == "not_shuffling":
		return nil
	}
	return errEnd{fmt.Errorf("refused: %s", code)}
}

// play goes on until the matches are played, or the line is lost.
func (b *bot) play() error {
	for b.matches > 0 {
		message, err := b.next()
		if err != nil {
			return err
		}
		if room := message.part("room"); room != nil {
			b.seats = room.list("seats")
		}
		switch message.text("t") {
		case "ask":
			b.question, b.call = message, 0 // a call that is refused now was for another question
			err = b.act(true)
		case "no":
			err = b.refused(message)
		case "shuffle", "commits":
			err = b.shuffle(message)
		case "end":
			b.end = message
		case "room":
			err = b.news(message)
		}
		if err != nil {
			return err
		}
	}
	_, err := b.answerTo(b.command("leave"))
	return err
}

func (b *bot) news(message Message) error {
	switch news := message.text("news"); {
	case news == "ended" && b.end != nil: // only now, as the secret comes between (§7.8)
		b.tell()
		b.matches, b.end = b.matches-1, nil
		if b.matches > 0 {
			b.getReady()
		}
	case news == "failed", news == "closed", news == "kicked" && message.text("who") == b.name:
		return errEnd{fmt.Errorf("the seat is gone: %s", news)}
	}
	return nil
}

func (b *bot) tell() {
	winner, isWon := b.end["winner"].(int)
	if !isWon || winner >= len(b.seats) {
		fmt.Println("broken off")
		return
	}
	seat, _ := b.seats[winner].(Message)
	fmt.Printf("%q wins\n", seat.text("name"))
}

// run plays over as many lines as it takes.
func (b *bot) run() error {
	wait := 500 * time.Millisecond
	for hasBeenIn := false; ; {
		isBack, err := b.connect()
		if err == nil {
			wait = 500 * time.Millisecond
			if !isBack {
				err = b.enter()
				b.getReady()
			}
			hasBeenIn = true
			if err == nil {
				err = b.play()
			}
		}
		var end errEnd
		var wrong fault
		switch {
		case err == nil:
			b.bye("done", "")
			return nil
		case errors.As(err, &wrong):
			b.bye(wrong.code, wrong.place)
			return err
		case errors.As(err, &end), !hasBeenIn, b.ticket == nil, wait > 60*time.Second:
			if b.line != nil {
				b.bye("done", "")
			}
			return err
		}
		_ = b.line.Close()
		time.Sleep(wait)
		wait *= 2
	}
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: bot HOST PORT [--name NAME] [--room ROOM] [--matches N]")
		os.Exit(2)
	}
	flags := flag.NewFlagSet("bot", flag.ExitOnError)
	name := flags.String("name", "Gopher", "")
	room := flags.String("room", "Krogen", "")
	matches := flags.Int("matches", 1, "")
	_ = flags.Parse(os.Args[3:])
	b := &bot{address: net.JoinHostPort(os.Args[1], os.Args[2]), name: *name, room: *room, matches: *matches}
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, strconv.Quote(err.Error()))
		os.Exit(1)
	}
}
