/** Holds wire.mjs against the protocol's vectors: `node --test`. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { decode, encode, Fault, Frames } from "./wire.mjs";

const VECTORS = new URL("../../protocol/v1/vectors/", import.meta.url);
const LIMITS = { client: { greeting: 512, greeted: 512, open: 2048 }, server: {} };
// What bytes alone can tell; the other faults take the schema, which a bot does without.
const IN_THE_BYTES = new Set(["frame_too_big", "frame_empty", "bad_encoding", "too_complex", "bad_message"]);

const read = (path) => JSON.parse(readFileSync(new URL(path, VECTORS), "utf-8"));
const manifest = read("manifest.json");
const entries = (kind) => manifest[kind].flatMap((file) => read(`${kind}/${file}`).map((entry) => ({ file, ...entry })));
const bytes = (hexadecimal) => Uint8Array.from(Buffer.from(hexadecimal, "hex"));

/** All messages that come of these pieces, and the fault, if there is one, after them. */
function hear(pieces, limit) {
  const frames = new Frames(limit);
  const heard = [];
  try {
    for (const piece of pieces) for (const payload of frames.push(piece)) heard.push(decode(payload));
  } catch (fault) {
    assert(fault instanceof Fault, fault);
    heard.push({ code: fault.code, place: fault.place });
  }
  return heard;
}

/** The frame whole, byte by byte, and with bytes after it. */
const ways = (frame) => [[frame], [...frame].map((byte) => Uint8Array.of(byte)), [frame, Uint8Array.of(0, 0)]];

test("valid frames are read, and written byte for byte", () => {
  for (const { frame, message, comment, file } of entries("valid")) {
    for (const pieces of ways(bytes(frame))) assert.deepEqual(hear(pieces), [message], `${file}: ${comment}`);
    assert.equal(Buffer.from(encode(message)).toString("hex"), frame, `${file}: ${comment}`);
  }
});

test("wider forms are read", () => {
  for (const { frame, message, comment } of entries("tolerated")) {
    for (const pieces of ways(bytes(frame))) assert.deepEqual(hear(pieces), [message], comment);
  }
});

test("faults in the bytes are found, with their codes", () => {
  const faults = entries("rejected").filter(({ error }) => IN_THE_BYTES.has(error.code));
  assert(faults.length > 0);
  for (const { from, state, frame, error, comment, file } of faults) {
    // Which names of messages there are is for the bot to know.
    if (error.code === "bad_message" && typeof hear([bytes(frame)])[0].t === "string") continue;
    for (const pieces of ways(bytes(frame))) {
      assert.deepEqual(hear(pieces, LIMITS[from][state]), [error], `${file}: ${comment}`);
    }
  }
});

test("the sessions are read, message by message", () => {
  for (const { lines, comment } of entries("sessions")) {
    for (const { frame, message } of lines) if (message) assert.deepEqual(hear([bytes(frame)]), [message], comment);
  }
});
