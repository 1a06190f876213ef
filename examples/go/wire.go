// The wire: frames and the part of MessagePack that the protocol uses (protocol/v1/protocol.md §2, §3).

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const maxFrame = 65536 // §2.2

// A Message is the map of a frame. No field is trusted to be there, nor to be what the schema says.
type Message map[string]any

// A Field is one of a message to be sent; the key "t" comes first (§3).
type Field struct {
	Key   string
	Value any
}

func (m Message) text(key string) string { text, _ := m[key].(string); return text }
func (m Message) number(key string) int  { number, _ := m[key].(int); return number }
func (m Message) list(key string) []any  { list, _ := m[key].([]any); return list }
func (m Message) part(key string) Message {
	part, _ := m[key].(Message)
	return part
}

// A fault is something that the other end may not send; it says with what code and place (§10.2).
type fault struct{ code, place string }

func (f fault) Error() string { return f.code + " " + f.place }

func readFrame(from io.Reader) (Message, error) {
	var header [4]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(header[:])
	if size == 0 {
		return nil, fault{"frame_empty", ""}
	}
	if size > maxFrame {
		return nil, fault{"frame_too_big", ""}
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(from, payload); err != nil {
		return nil, err
	}
	reader := reader{rest: payload}
	value, err := reader.value(0)
	if err != nil || len(reader.rest) > 0 {
		return nil, fault{"bad_encoding", ""}
	}
	message, isMap := value.(Message)
	if !isMap || message.text("t") == "" {
		return nil, fault{"bad_message", ""}
	}
	return message, nil
}

func frame(fields ...Field) []byte {
	payload := appendFields(nil, fields)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), payload...)
}

// --- reading ---------------------------------------------------------------------------------------------------------

const maxDepth = 8

var errEncoding = errors.New("no MessagePack of the protocol")

type reader struct{ rest []byte }

func (r *reader) take(count int) ([]byte, error) {
	if count > len(r.rest) {
		return nil, errEncoding
	}
	taken := r.rest[:count]
	r.rest = r.rest[count:]
	return taken, nil
}

func (r *reader) unsigned(count int) (int, error) {
	taken, err := r.take(count)
	number := uint64(0)
	for _, one := range taken {
		number = number<<8 | uint64(one)
	}
	return int(number), err
}

func (r *reader) value(depth int) (any, error) {
	first, err := r.take(1)
	if err != nil || depth > maxDepth {
		return nil, errEncoding
	}
	switch tag := first[0]; {
	case tag < 0x80:
		return int(tag), nil
	case tag < 0x90:
		return r.fields(int(tag&0x0f), depth)
	case tag < 0xa0:
		return r.elements(int(tag&0x0f), depth)
	case tag < 0xc0:
		return r.str(int(tag & 0x1f))
	case tag == 0xc0:
		return nil, nil
	case tag == 0xc2, tag == 0xc3:
		return tag == 0xc3, nil
	case tag >= 0xcc && tag <= 0xcf: // unsigned of 1, 2, 4, 8 bytes
		return r.unsigned(1 << (tag - 0xcc))
	case tag >= 0xd0 && tag <= 0xd3: // and signed
		bytes := 1 << (tag - 0xd0)
		number, err := r.unsigned(bytes)
		shift := 64 - 8*bytes
		return int(int64(number) << shift >> shift), err
	case tag >= 0xd9 && tag <= 0xdb:
		return r.sized(1<<(tag-0xd9), r.str)
	case tag == 0xdc, tag == 0xdd:
		return r.sized(2<<(tag-0xdc), func(count int) (any, error) { return r.elements(count, depth) })
	case tag == 0xde, tag == 0xdf:
		return r.sized(2<<(tag-0xde), func(count int) (any, error) { return r.fields(count, depth) })
	case tag >= 0xe0:
		return int(int8(tag)), nil
	}
	return nil, errEncoding
}

func (r *reader) sized(bytes int, read func(int) (any, error)) (any, error) {
	count, err := r.unsigned(bytes)
	if err != nil || count < 0 || count > len(r.rest) { // whatever it counts has a byte at least
		return nil, errEncoding
	}
	return read(count)
}

func (r *reader) str(count int) (any, error) {
	taken, err := r.take(count)
	return string(taken), err
}

func (r *reader) elements(count, depth int) (any, error) {
	list := []any{}
	for ; count > 0; count-- {
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

func (r *reader) fields(count, depth int) (any, error) {
	message := Message{}
	for ; count > 0; count-- {
		name, err := r.value(depth + 1)
		key, isText := name.(string)
		if _, twice := message[key]; err != nil || !isText || twice {
			return nil, errEncoding
		}
		if message[key], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return message, nil
}

// --- writing ---------------------------------------------------------------------------------------------------------

func appendFields(to []byte, fields []Field) []byte {
	to = append(to, 0x80|byte(len(fields))) // no message of a client has more than 15
	for _, field := range fields {
		to = appendValue(appendValue(to, field.Key), field.Value)
	}
	return to
}

func appendValue(to []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(to, 0xc0)
	case bool:
		if value {
			return append(to, 0xc3)
		}
		return append(to, 0xc2)
	case int: // none that a client sends is negative
		switch {
		case value < 0x80:
			return append(to, byte(value))
		case value < 1<<8:
			return append(to, 0xcc, byte(value))
		case value < 1<<16:
			return binary.BigEndian.AppendUint16(append(to, 0xcd), uint16(value))
		}
		return binary.BigEndian.AppendUint32(append(to, 0xce), uint32(value))
	case string:
		if len(value) < 32 {
			return append(append(to, 0xa0|byte(len(value))), value...)
		}
		return append(append(to, 0xd9, byte(len(value))), value...) // none is longer than 255 bytes
	case []int:
		to = append(to, 0x90|byte(len(value)))
		for _, one := range value {
			to = appendValue(to, one)
		}
		return to
	case []Field:
		return appendFields(to, value)
	}
	panic(fmt.Sprintf("nothing that is sent: %T", value))
}
