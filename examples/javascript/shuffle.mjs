/**
 * The shuffle that all have a part in, from protocol/v1/protocol.md §7.8 and protocol/game/README.md alone: our nonce, the
 * check of what is revealed at last, and the packs that follow from it.
 */

import { createHash, createHmac, randomBytes } from "node:crypto";

const PACK = [
  "blaren", "blompottan", "kransen", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
  "vardshus", "kavall", "husu", "husar", "kuku", "harlekin",
].flatMap((card) => [card, card]);

const bytes = (hex) => Buffer.from(hex, "hex");
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const hmac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();
const text = (word) => Buffer.from(word, "ascii");

function u32be(number) {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(number);
  return buffer;
}

function u64be(number) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(number));
  return buffer;
}

export function commitment(match, secret) {
  return sha256(text("kille-commit-v1"), bytes(match), bytes(secret)).toString("hex");
}

export function digest(match, seat, nonce) {
  return sha256(text("kille-nonce-v1"), bytes(match), Buffer.from([seat]), bytes(nonce)).toString("hex");
}

/** Numbers below m, each as likely as any, for m after m. */
function* stream(key) {
  let m = yield;
  for (let j = 0; ; j += 1) {
    for (const byte of hmac(key, text("kille-shuffle-v1"), u64be(j))) {
      if (byte < 256 - (256 % m)) m = yield byte % m;
    }
  }
}

function below(key) {
  const numbers = stream(key);
  numbers.next();
  return (m) => numbers.next(m).value;
}

/** The key of a pack ("kille-deck-v1") or of the first dealer ("kille-dealer-v1"). */
export function keyOf(purpose, { match, secret, nonces }, hand, redeal) {
  const all = nonces.map((nonce) => (nonce === null ? Buffer.alloc(32) : bytes(nonce)));
  const committed = bytes(commitment(match, secret));
  return hmac(bytes(secret), text(purpose), bytes(match), u32be(hand), u32be(redeal), committed, ...all);
}

export function packOf(key) {
  const draw = below(key);
  const cards = [...PACK];
  for (let i = cards.length - 1; i > 0; i -= 1) {
    const k = draw(i + 1);
    [cards[i], cards[k]] = [cards[k], cards[i]];
  }
  return cards;
}

export function firstDealer(drawn, seats) {
  return below(keyOf("kille-dealer-v1", drawn, 0, 0))(seats);
}

/** Our part in the shuffle of each match, as its messages come; `say` sends a command. */
export class Part {
  constructor(say) {
    this.say = say;
    this.doubt = null; // the first thing that was not as it should be
  }

  hear(message, seat) {
    const isAwaited = seat >= 0 && Boolean((message.seats >> seat) & 1);
    switch (message.t) {
      case "shuffle":
        this.#begin(message);
        if (isAwaited) this.#commit(seat);
        break;
      case "shuffle_state": // what was published while we were away
        if (message.match !== this.drawn?.match) this.#begin(message);
        if (message.commits === null) {
          if (isAwaited) this.#commit(seat);
        } else {
          this.commits = message.commits;
          if (this.nonce !== null && !this.#isIn(seat)) this.nonce = null; // it was lost with the line
          if (isAwaited && this.nonce !== null) this.#reveal();
          if (message.nonces !== null) this.#compare(message.nonces);
        }
        break;
      case "commits":
        this.commits = message.commits;
        if (this.nonce === null) break;
        if (this.#isIn(seat)) this.#reveal();
        else this.#complain("our nonce is not in");
        break;
      case "nonces":
        this.#compare(message.nonces);
        break;
      case "hand":
        if (message.hand === 1) this.dealer = message.dealer;
        break;
      case "secret":
        this.drawn.secret = message.secret;
        if (commitment(this.drawn.match, message.secret) !== this.start.commitment) this.#complain("another secret");
        else if (this.dealer !== null && this.dealer !== (this.start.dealer ?? firstDealer(this.drawn, this.drawn.nonces.length))) {
          this.#complain("another first dealer");
        }
        break;
      default:
    }
  }

  #begin(start) {
    this.drawn = { match: start.match, nonces: [], secret: null };
    this.start = start;
    this.nonce = null;
    this.dealer = null; // of the first hand, if we hear of it
  }

  #commit(seat) {
    this.nonce ??= randomBytes(32).toString("hex");
    this.say("commit", { match: this.drawn.match, commit: digest(this.drawn.match, seat, this.nonce) });
  }

  #isIn(seat) {
    return this.commits[seat] === digest(this.drawn.match, seat, this.nonce);
  }

  #reveal() {
    this.say("reveal", { match: this.drawn.match, nonce: this.nonce });
  }

  #compare(nonces) {
    this.drawn.nonces = nonces;
    nonces.forEach((nonce, k) => {
      const told = nonce === null ? null : digest(this.drawn.match, k, nonce);
      if (told !== this.commits[k]) this.#complain(`seat ${k} has another nonce than its digest says`);
    });
  }

  #complain(what) {
    this.doubt ??= `the shuffle is false: ${what}`;
  }
}
