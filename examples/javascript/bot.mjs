/**
 * A bot for Kille, written from protocol/v1/protocol.md alone (§12):
 *
 *     node bot.mjs 127.0.0.1 4747 --name Ada --room Krogen --matches 1 seats=4 computers=3
 *
 * With --pin and the fingerprint that `kille serve` prints it speaks TLS, as it has to from another machine (§2.4). It
 * joins the room, or makes it with these options if there is none, plays its matches, and says how they ended as one
 * line of JSON. With --tournament it signs up for one, and plays wherever it is called (§6.13). It has its part in each shuffle, and stops where one is false (`shuffle.mjs`). When the line is lost it comes back with its ticket (§4.5). It
 * remembers nothing of the table, as each question holds all that may be known.
 */

import { createHash } from "node:crypto";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { parseArgs } from "node:util";

import { Part } from "./shuffle.mjs";
import { decode, encode, Fault, Frames } from "./wire.mjs";

const VERSION = 1;
const ACTIONS = ["stand", "swap", "kuku", "ask", "accept", "refuse", "depends"]; // by bit (§5.1)
const KUKU = 19; // §11.1
const WEAK = 7; // half of what may be dealt is lower than this "5" (§11.1)
const OPTIONS = {
  seats: 4, format: "pots", length: "short", dealt_harlekin: "high", pots: 0, computers: 0,
  level: "easy", clock: 30, pace: 800, window: 0, rest: 0, watching: "everyone", coach: "allowed",
};
// What an answer may be refused as because the table has gone on meanwhile (§7.4).
const LATE = new Set(["old_turn", "overtaken", "paused", "not_playing", "no_hand", "already_answered"]);

// What a server hangs up for that may be better at another try (§4.5).
const PASSING = new Set(["busy", "silent", "too_slow", "shutting_down", "internal"]);
const PATIENCE = 600_000; // ms for which a server that is gone is sought
const HOLDS = 2000; // ms after which a line was no mere part of the search for one

/** The line has ended, and there may be another. */
class Lost extends Error {}

/** What the system says of a line is that it is lost. */
const lost = (error) => ("code" in error && !(error instanceof Fault) ? new Lost(error.message) : error);

/** Whether a question can be answered: it is ours, we have a card, and the actions are those of its view (§11.9). */
function check({ legal, view }) {
  const { seat, cards, origins, phase, to_act: toAct } = view;
  const inHand = origins.filter((origin) => origin !== null).length;
  const answers = {
    turn: view.can_ask ? ["stand", "swap", "ask"] : ["stand", "swap"],
    asked: ["refuse", { 2: "accept", 3: "depends" }[inHand]],
    middle: ["accept", "refuse"],
  }[phase];
  if (seat === null) throw new Fault("bad_field", "view.seat");
  if (toAct !== seat) throw new Fault("bad_field", "view.to_act");
  if (typeof cards[seat] !== "number") throw new Fault("bad_field", "view.cards");
  const fits = (word) => answers?.includes(word) || (word === "kuku" && cards[seat] === KUKU);
  if (ACTIONS.some((word, bit) => Boolean((legal >> bit) & 1) !== Boolean(fits(word)))) {
    throw new Fault("bad_field", "legal");
  }
}

/** The strategy, all of it: call Kuku, and get rid of what is weak. */
function choose({ legal, view }) {
  const mine = view.cards[view.seat];
  const weak = mine < WEAK || view.low[view.seat];
  const wishes = ["kuku", ...(weak ? ["ask", "swap", "accept", "depends"] : ["stand", "refuse"])];
  const words = ACTIONS.filter((_, bit) => (legal >> bit) & 1);
  return wishes.find((wish) => words.includes(wish)) ?? words[0];
}

/** Messages over TCP, kept alive by pings (§8.1). */
class Line {
  #heard = Date.now();

  constructor(socket) {
    this.socket = socket.setNoDelay(true);
    this.messages = this.#receive();
  }

  send(message) {
    this.socket.write(encode(message));
  }

  close() {
    clearInterval(this.timer);
    this.socket.destroy();
  }

  bye(code, place = "") {
    clearInterval(this.timer);
    if (this.socket.writable) this.socket.end(encode({ t: "bye", code, place, versions: [VERSION] }));
    // Nothing more is read (§4.4); who does not close in turn is not waited for.
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), 1000).unref();
  }

  keepAlive({ ping_ms: asked = 5000, silence_ms = 15_000 }) {
    const ping_ms = Math.min(Math.max(asked, 500), 60_000); // no flood of pings, whatever the server says
    this.timer = setInterval(() => {
      const silent = Date.now() - this.#heard;
      if (silent >= silence_ms) {
        this.bye("silent");
        this.socket.destroy(new Lost("the server is silent"));
      } else if (silent >= ping_ms) this.send({ t: "ping", n: 0 });
    }, ping_ms);
  }

  async next() {
    const { value, done } = await this.messages.next().catch((error) => Promise.reject(lost(error)));
    if (done) throw new Lost("the line is lost");
    return value;
  }

  async *#receive() {
    const frames = new Frames();
    // By itself the loop would destroy the socket at a fault, and our bye with it.
    for await (const bytes of this.socket.iterator({ destroyOnReturn: false })) {
      this.#heard = Date.now();
      for (const payload of frames.push(bytes)) {
        const message = decode(payload);
        if (message.t === "ping") this.send({ t: "pong", n: message.n });
        else if (message.t === "bye") {
          this.socket.destroy(); // a bye is not answered (§4.4)
          const kind = PASSING.has(message.code) ? Lost : Error;
          throw new kind(`the server says bye: ${message.code} ${message.place}`.trimEnd());
        } else if (message.t !== "pong") yield message;
      }
    }
  }
}

/** Who we are, and how far we have come: over as many lines as it takes. */
class Bot {
  ends = []; // how our matches ended
  #ticket = null;
  #id = 0;
  #seats = [];
  #playing = false;
  #end = null; // of the match that is being played
  #parts = new Set(); // commands of the shuffle
  #shuffle = new Part((t, fields) => this.#parts.add(this.command(t, fields)));

  constructor({ name, room, tournament, matches }, options) {
    Object.assign(this, { name, room, tournament, matches, options });
  }

  get hasTicket() {
    return this.#ticket !== null;
  }

  get #isDone() {
    return this.tournament === undefined && this.ends.length >= this.matches;
  }

  command(t, fields = {}) {
    this.line.send({ t, id: ++this.#id, ...fields });
    return this.#id;
  }

  async answerTo(id) {
    for (;;) {
      const message = await this.line.next();
      if (message.id === id) return message;
    }
  }

  /** To the end of what we came for, or of the line. */
  async go(line) {
    this.line = line;
    const isBack = this.hasTicket;
    const resumed = await this.#greet();
    if (resumed !== "room" && isBack) this.#missed();
    const isIn = resumed === "room" || this.#isDone || (await (this.tournament === undefined ? this.#enter() : this.#signUp(isBack)));
    if (isIn) await this.#play();
    line.bye("done");
  }

  async #greet() {
    const ticket = this.#ticket;
    this.line.send({ t: "hello", versions: [VERSION], agent: "bot.mjs", name: this.name, bot: true, ticket, password: null });
    const welcome = await this.line.next();
    if (welcome.t !== "welcome") throw new Fault("unexpected", "t");
    if (welcome.version !== VERSION) throw new Fault("unsupported_version", "version");
    this.name = welcome.name;
    this.#ticket = welcome.ticket;
    this.#id = Math.max(this.#id, welcome.last_id);
    this.line.keepAlive(welcome.settings);
    return welcome.resumed;
  }

  /** Who comes first makes the room; somebody else may, between our two questions. */
  async #enter() {
    let answer;
    for (const t of ["join", "create", "join"]) {
      const given = t === "create" ? { options: this.options } : {};
      answer = await this.answerTo(this.command(t, { room: this.room, ...given, password: null }));
      if (answer.t === "ok") return true;
      if (!["no_such_room", "room_exists"].includes(answer.code)) break;
    }
    throw new Error(`cannot enter ${this.room}: ${answer.code}`);
  }

  /** Whether we take part; who comes back may find that it has ended. */
  async #signUp(isBack) {
    const { tournament } = this;
    const answer = await this.answerTo(this.command("sign_up", { tournament }));
    if (answer.t === "ok" || (isBack && answer.code === "already_entered")) return true;
    if (isBack) return false;
    throw new Error(`cannot enter ${tournament}: ${answer.code}`);
  }

  /** The match has gone on to its end without us; it may be that we were told how. */
  #missed() {
    if (this.#playing) this.ends.push(this.#end ?? { winner: null, points: {} });
    this.#playing = false;
    this.#end = null;
  }

  /** In a tournament the server leads from table to table, until it is over. */
  async #play() {
    const inTournament = this.tournament !== undefined;
    const withoutKuku = (ask) => choose({ ...ask, legal: ask.legal & ~(1 << ACTIONS.indexOf("kuku")) });
    let question;
    let call;
    let ready;
    while (!this.#isDone) {
      const message = await this.line.next();
      if (message.room?.seats) this.#seats = message.room.seats.map(({ name }) => name);
      this.#shuffle.hear(message, this.#seats.indexOf(this.name));
      if (this.#shuffle.doubt) throw new Error(this.#shuffle.doubt);
      if (message.t === "snapshot") {
        const { status } = message.room;
        const isPlaying = ["playing", "paused"].includes(status);
        if (!isPlaying) this.#missed();
        this.#playing = isPlaying;
        if (status === "open" && !inTournament && !this.#isDone) ready = this.command("ready", { ready: true });
      } else if (message.t === "ask") {
        check(message);
        question = message;
        call = undefined; // a call that is refused now was for another question
        const chosen = choose(question);
        if (chosen === "kuku") call = this.command("kuku", { seq: question.seq });
        else this.act(question, chosen);
      } else if (message.t === "no" && message.id === call) {
        // Calls are counted as commands (§8.3); the question is open still.
        this.act(question, withoutKuku(question));
      } else if (message.t === "no" && this.#parts.has(message.id)) {
        this.#parts.delete(message.id); // our part in the shuffle came too late (§7.8)
      } else if (message.t === "no" && message.id === ready && ["too_fast", "cannot_save"].includes(message.code)) {
        await sleep(1000);
        ready = this.command("ready", { ready: true });
      } else if (message.t === "no" && message.code === "cannot_save") {
        await sleep(1000); // nothing was done (§6.11)
        this.act(question, withoutKuku(question));
      } else if (message.t === "no" && !LATE.has(message.code)) {
        throw new Error(`refused: ${message.code}`);
      } else if (message.t === "hand") {
        this.#playing = true;
      } else if (message.t === "end") {
        const points = Object.fromEntries(this.#seats.map((name, seat) => [name, message.points[seat]]));
        this.#end = { winner: message.winner === null ? null : this.#seats[message.winner], points };
      } else if (message.t === "room" && message.news === "ended" && this.#end) {
        this.#missed(); // only now, as the secret comes between (§7.8)
        if (!this.#isDone) ready = this.command("ready", { ready: true });
      } else if (inTournament && message.t === "room" && ["table_over", "failed", "closed"].includes(message.news)) {
        if (this.#end) this.#missed(); // in the lobby again: the next table is called by itself
        this.#playing = false;
      } else if (inTournament && message.t === "tournament_news" && ["over", "cancelled"].includes(message.news)) {
        return;
      } else if (inTournament && message.t === "tournament_news" && message.news === "dropped_out" && message.who === this.name) {
        throw new Error("dropped out");
      } else if (message.t === "room" && ["failed", "closed"].includes(message.news)) {
        throw new Error("the room is gone");
      } else if (message.t === "room" && message.news === "kicked" && message.who === this.name) {
        throw new Error("sent away by the host");
      }
    }
    await this.answerTo(this.command("leave"));
  }

  act({ turn }, word) {
    this.command("act", { turn, do: word });
  }
}

/** A line in which others may have written: nothing in it moves the cursor, or hides what comes after it. */
function clean(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

/** A socket, in TLS where there is a pin: with the one key whose fingerprint it is, whatever its certificate says (§2.4). */
function connect(port, host, pin) {
  return new Promise((resolve, reject) => {
    const fail = (error) => reject(lost(error));
    if (pin === undefined) {
      const socket = net.connect({ port, host }, () => resolve(socket)).once("error", fail);
      return;
    }
    const socket = tls.connect({ port, host, rejectUnauthorized: false, minVersion: "TLSv1.2" }, () => {
      const { publicKey } = socket.getPeerX509Certificate();
      const found = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" })).digest("hex");
      if (found === pin.toLowerCase()) resolve(socket);
      else socket.destroy(new Error(`the server has another key: ${found}`));
    }).once("error", fail);
  });
}

/** Over one line after the other, half a second after the first is lost, then one, and so on up to ten (§12, point 5). */
async function run(bot, toServer) {
  let attempts = 0;
  let since = Date.now();
  for (;;) {
    let line;
    const began = Date.now();
    try {
      line = new Line(await toServer());
      await bot.go(line);
      return;
    } catch (error) {
      if (Date.now() > began + HOLDS) [attempts, since] = [0, Date.now()];
      if (!(error instanceof Lost) || !bot.hasTicket || Date.now() > since + PATIENCE) {
        if (error instanceof Fault) line?.bye(error.code, error.place);
        else line?.bye("done");
        throw error;
      }
      line?.close();
    }
    await sleep(Math.min(500 * 2 ** attempts, 10_000) * (1 - Math.random() / 2));
    attempts += 1;
  }
}

const USAGE = "usage: node bot.mjs HOST PORT [--name NAME] [--room ROOM | --tournament NAME] [--matches N] [--pin HEX] [OPTION=VALUE …]";

/** What the command line says; one that says nothing we know is a line, not a trace. */
function given() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        name: { type: "string", default: "Script" },
        room: { type: "string", default: "Krogen" },
        tournament: { type: "string" },
        matches: { type: "string", default: "1" },
        pin: { type: "string" },
      },
    });
  } catch (error) {
    console.error(clean(error.message.split(". ")[0]));
    return { positionals: [], values: { help: false } };
  }
}

const { positionals, values } = given();
const [host, port, ...chosen] = positionals;
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
if (!port) {
  console.error(USAGE);
  process.exit(2);
}
const options = { ...OPTIONS };
for (const option of chosen) {
  const [key, value] = option.split("=");
  options[key] = /^\d+$/.test(value) ? Number(value) : value;
}

const bot = new Bot({ ...values, matches: Number(values.matches) }, options);
try {
  await run(bot, () => connect(Number(port), host, values.pin));
  console.log(clean(JSON.stringify({ name: bot.name, room: values.tournament ?? values.room, matches: bot.ends })));
} catch (error) {
  console.error(clean(String(error.message)));
  process.exitCode = 1;
}
