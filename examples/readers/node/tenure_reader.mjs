// Asks a Tenure sidecar for the generation. The rules are in ../README.md.
//
//   const reader = new Reader('/run/tenure/tenure.sock');
//   const claim = await reader.ask();
//   await store.write(row, claim.generation());  // or throws NotHeld
//
// Node 18 or later and no package.

import { readFileSync } from 'node:fs';
import http from 'node:http';

const ANSWER_WITHIN_MS = 1000; // a sidecar that says nothing for so long is lost
const LARGEST_ANSWER = 64 * 1024;
const UNHEARD_MS = 20_000; // between questions while not held and nothing comes
const REOPEN_AFTER_MS = 500;
const LONGEST_CLAIM = 1_000_000_000; // milliseconds: more is a mistake

// Runs on while the machine is suspended; performance.now() does not, and
// os.uptime() is rounded to seconds. Hundredths of a second, rounded down.
function bootMs() {
  return Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000;
}

const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n);
const nowMs = process.platform === 'linux' ? bootMs : monotonicMs;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// There is no authority to write; the message says why.
export class NotHeld extends Error {}

// One answer, good for as long as the sidecar said.
export class Claim {
  #generation;
  #untilMs;
  #why;

  constructor(generation, untilMs, why = '') {
    this.#generation = generation;
    this.#untilMs = untilMs;
    this.#why = why;
  }

  static none(why) {
    return new Claim('', 0, why);
  }

  // What to attach to a write that begins now. Throws NotHeld.
  generation() {
    if (!this.#generation) throw new NotHeld(this.#why);
    if (nowMs() >= this.#untilMs) throw new NotHeld('past the time it was told');
    return this.#generation;
  }

  askAgainInMs() {
    return this.#generation ? Math.max(1, this.#untilMs - nowMs()) : UNHEARD_MS;
  }
}

export class Reader {
  #where;
  #query;

  // address: the path of a Unix socket, or '127.0.0.1:7421'. lease: needed only
  // where the sidecar has several.
  constructor(address = '/run/tenure/tenure.sock', lease = '') {
    const [host, port] = address.split(':');
    this.#where = address.includes('/') ? { socketPath: address } : { host, port };
    this.#query = lease ? `?lease=${lease}` : '';
  }

  // The Claim of this moment, within a second, whatever happens.
  async ask() {
    const asked = nowMs(); // before asking: the answer may be slow (S1)
    try {
      // One limit for all of it: what comes byte by byte is no answer.
      const answer = await this.#open(
        '/v1/generation',
        AbortSignal.timeout(ANSWER_WITHIN_MS),
      );
      let document = '';
      for await (const part of answer) {
        document += part;
        if (document.length > LARGEST_ANSWER) throw new Error('an answer without end');
      }
      return read(answer.statusCode, document, asked);
    } catch (error) {
      if (error.name === 'AbortError' || error.cause?.name === 'TimeoutError') {
        return Claim.none('no answer within a second');
      }
      return Claim.none(`no sidecar to ask: ${error.message}`);
    }
  }

  // Yields a Claim at once, then whenever something may have changed, without
  // end. An event is only a cue to ask, and so is the end of a claim.
  async *watch() {
    for (;;) {
      yield* this.#follow();
      yield await this.ask();
      await pause(REOPEN_AFTER_MS);
    }
  }

  async *#follow() {
    let wake = () => {};
    let cues = 0;
    let ended = false;
    const cue = () => {
      cues += 1;
      wake();
    };
    const end = () => {
      ended = true;
      wake();
    };
    const stop = new AbortController();
    this.#open('/v1/watch', stop.signal).then((stream) => {
      stream.on('data', cue).on('close', end).on('error', end);
    }, end);
    try {
      while (!ended) {
        const heard = cues;
        const claim = await this.ask();
        yield claim;
        if (ended || cues > heard) continue; // it came while we asked
        let timer;
        await new Promise((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, claim.askAgainInMs());
        });
        clearTimeout(timer);
      }
    } finally {
      stop.abort();
    }
  }

  #open(path, signal) {
    return new Promise((resolve, reject) => {
      const request = http.get({
        ...this.#where,
        path: path + this.#query,
        agent: false, // a connection of its own, and closed after it
        headers: { Host: 'localhost', Accept: 'application/json' },
        signal,
      });
      request.on('response', resolve).on('error', reject);
    });
  }
}

// An answer that is not understood is no authority.
function read(status, document, asked) {
  if (status === 409) return Claim.none('standby');
  if (status === 503) return Claim.none('uncertain');
  if (status !== 200) return Claim.none(`the sidecar answered ${status}`);
  try {
    const told = JSON.parse(document);
    const left = told.remainingMs.toRenewBy;
    // A generation that came as a number may have lost digits on its way.
    if (Number.isSafeInteger(left) && left < LONGEST_CLAIM &&
        typeof told.generation === 'string' && /^[1-9][0-9]{0,15}$/.test(told.generation)) {
      // Rounded down once more: the clock shows hundredths of a second.
      return new Claim(told.generation, asked + left - 10);
    }
  } catch {
    // As below.
  }
  return Claim.none('the answer was not understood');
}
