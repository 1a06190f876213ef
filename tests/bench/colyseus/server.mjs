// Rooms of four that relay: `node server.mjs messages|schema BYTES`. An action is told to all four seats at once, in a
// message of about so many bytes, or in a state that has changed by as many. Nothing else is done.

import process from "node:process";

process.env.NODE_ENV = "production"; // before it is imported, which packs more slowly otherwise

const { Room, Server } = await import("@colyseus/core");
const { schema } = await import("@colyseus/schema");
const { WebSocketTransport } = await import("@colyseus/ws-transport");

const [how, bytes] = process.argv.slice(2);
const AROUND = { messages: 17, schema: 5 }[how]; // what is sent besides the text: its kind, names and number
const TEXT = "x".repeat(Number(bytes) - AROUND - 4);

class Relayed extends Room {
  maxClients = 4;
  seq = 0;

  onCreate() {
    this.onMessage("act", () => {
      this.seq += 1;
      this.broadcast("turn", { seq: this.seq, pad: TEXT + String(this.seq % 10000).padStart(4, "0") });
    });
  }
}

const State = schema({ text: "string" });

class Kept extends Room {
  maxClients = 4;
  seq = 0;
  state = new State();
  patchRate = null; // each action at once, as a message is

  onCreate() {
    this.onMessage("act", () => {
      this.seq += 1;
      this.state.text = TEXT + String(this.seq % 10000).padStart(4, "0");
      this.broadcastPatch();
    });
  }
}

const transport = new WebSocketTransport();
const server = new Server({ transport, greet: false, gracefullyShutdown: false });
server.define("table", { messages: Relayed, schema: Kept }[how]);
await server.listen(0, "127.0.0.1", 1024);
process.stdout.write(`kille join 127.0.0.1:${transport.server.address().port}\n`);
process.stdin.on("end", () => process.exit(1)).resume(); // …with whoever started it
