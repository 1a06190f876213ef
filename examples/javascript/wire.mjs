/**
 * Frames and payloads of the Kille protocol (protocol.md §2, §3): bytes to messages and back, with no socket in sight.
 *
 * A payload is looked through before anything is built from it (§3.2), since the library takes more than the protocol does:
 * floats, keys that come twice, text that is not UTF-8, and depth without end.
 */

import { decode as unpack, encode as pack } from "@msgpack/msgpack";

export const MAX_FRAME = 65_536;
const MAX = { depth: 6, items: 256, array: 64, map: 32, string: 1024 };
const INTEGER_MIN = -(2 ** 31);
const INTEGER_MAX = 2 ** 31 - 1;

/** The other end broke the protocol; code and place are for our bye (§10.1). */
export class Fault extends Error {
  constructor(code, place = "") {
    super(place ? `${code} at ${place}` : code);
    this.code = code;
    this.place = place;
  }
}

/** A message as a whole frame. The keys are written in the order that they have in the object (§3.5). */
export function encode(message) {
  const payload = pack(message);
  const frame = new Uint8Array(4 + payload.length);
  new DataView(frame.buffer).setUint32(0, payload.length);
  frame.set(payload, 4);
  return frame;
}

/** The message that a payload is. */
export function decode(payload) {
  scan(payload);
  const message = unpack(payload);
  if (message === null || typeof message !== "object" || Array.isArray(message)) throw new Fault("bad_message");
  if (typeof message.t !== "string") throw new Fault("bad_message", "t");
  return message;
}

/** Cuts a stream into payloads, however it comes in pieces. */
export class Frames {
  #kept = new Uint8Array();

  constructor(limit = MAX_FRAME) {
    this.limit = limit;
  }

  /** The payloads that are complete with these bytes; a fault comes after all that was good before it (§2.3). */
  *push(bytes) {
    const all = new Uint8Array(this.#kept.length + bytes.length);
    all.set(this.#kept);
    all.set(bytes, this.#kept.length);
    this.#kept = all;
    while (this.#kept.length >= 4) {
      const size = new DataView(this.#kept.buffer, this.#kept.byteOffset).getUint32(0);
      if (size === 0) throw new Fault("frame_empty");
      if (size > this.limit) throw new Fault("frame_too_big");
      if (this.#kept.length < 4 + size) return;
      const payload = this.#kept.subarray(4, 4 + size);
      this.#kept = this.#kept.subarray(4 + size);
      yield payload;
    }
  }
}

function scan(payload) {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  // The decoder would drop a mark at the beginning, and two keys that differ in it alone would be one.
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let at = 0;
  let items = 1;

  const take = (count) => {
    if (count > payload.length - at) throw new Fault("bad_encoding");
    at += count;
    return at - count;
  };
  const announce = (count, limit, added, depth) => {
    items += added;
    if (depth > MAX.depth || count > limit || items > MAX.items) throw new Fault("too_complex");
  };
  const integer = (number) => {
    if (number < INTEGER_MIN || number > INTEGER_MAX) throw new Fault("bad_encoding");
  };
  const string = (size) => {
    if (size > MAX.string) throw new Fault("too_complex");
    const start = take(size);
    try {
      return utf8.decode(payload.subarray(start, at));
    } catch {
      throw new Fault("bad_encoding");
    }
  };
  const array = (count, depth) => {
    announce(count, MAX.array, count, depth);
    for (let i = 0; i < count; i++) value(depth);
  };
  const map = (count, depth) => {
    announce(count, MAX.map, 2 * count, depth);
    const keys = new Set();
    for (let i = 0; i < count; i++) {
      const key = value(depth);
      if (typeof key !== "string" || keys.has(key)) throw new Fault("bad_encoding");
      keys.add(key);
      value(depth);
    }
  };
  // Gives back strings only, which is all that a key may be; `depth` is that of the container around the value.
  const value = (depth) => {
    const form = view.getUint8(take(1));
    if (form < 0x80 || form >= 0xe0) return undefined;
    if (form < 0x90) return map(form & 0x0f, depth + 1);
    if (form < 0xa0) return array(form & 0x0f, depth + 1);
    if (form < 0xc0) return string(form & 0x1f);
    switch (form) {
      case 0xc0: case 0xc2: case 0xc3: return undefined;
      case 0xcc: case 0xd0: return void take(1);
      case 0xcd: case 0xd1: return void take(2);
      case 0xce: return integer(view.getUint32(take(4)));
      case 0xcf: return integer(view.getBigUint64(take(8)));
      case 0xd2: return void take(4);
      case 0xd3: return integer(view.getBigInt64(take(8)));
      case 0xd9: return string(view.getUint8(take(1)));
      case 0xda: return string(view.getUint16(take(2)));
      case 0xdb: return string(view.getUint32(take(4)));
      case 0xdc: return array(view.getUint16(take(2)), depth + 1);
      case 0xdd: return array(view.getUint32(take(4)), depth + 1);
      case 0xde: return map(view.getUint16(take(2)), depth + 1);
      case 0xdf: return map(view.getUint32(take(4)), depth + 1);
      default: throw new Fault("bad_encoding");
    }
  };

  value(0);
  if (at < payload.length) throw new Fault("bad_encoding");
}
