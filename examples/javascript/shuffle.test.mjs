/** The arithmetic of the shuffle against the known answers: node --test */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { commitment, digest, firstDealer, keyOf, packOf } from "./shuffle.mjs";

const vectors = JSON.parse(readFileSync(new URL("../../protocol/game/shuffle.json", import.meta.url), "utf8"));

test("a key gives its pack", () => {
  for (const { key, pack } of vectors.packs) assert.deepEqual(packOf(Buffer.from(key, "hex")), pack);
});

test("a secret and nonces give their packs and the first dealer", () => {
  for (const { secret, match_id: match, nonces, digests, commitment: committed, packs, first_dealer } of vectors.secrets) {
    const drawn = { secret, match, nonces };
    assert.equal(commitment(match, secret), committed);
    nonces.forEach((nonce, seat) => {
      if (nonce !== null) assert.equal(digest(match, seat, nonce), digests[seat]);
    });
    for (const { hand, redeal, key, pack } of packs) {
      assert.equal(keyOf("kille-deck-v1", drawn, hand, redeal).toString("hex"), key);
      assert.deepEqual(packOf(Buffer.from(key, "hex")), pack);
    }
    for (const [seats, dealer] of Object.entries(first_dealer)) assert.equal(firstDealer(drawn, Number(seats)), dealer);
  }
});

test("the transcript of a match is explained by its secret", () => {
  const { match, commitment: committed, commits, nonces, secret, first_dealer: dealer, packs } = vectors.transcript;
  assert.equal(commitment(match, secret), committed);
  nonces.forEach((nonce, seat) => assert.equal(nonce === null ? null : digest(match, seat, nonce), commits[seat]));
  const drawn = { match, secret, nonces };
  assert.equal(firstDealer(drawn, nonces.length), dealer);
  for (const { hand, redeal, pack } of packs) {
    assert.deepEqual(packOf(keyOf("kille-deck-v1", drawn, hand, redeal)), pack);
  }
});
