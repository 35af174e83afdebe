// Writes to a store only while the sidecar says held.
//
//   guarded_writer.mjs SIDECAR STORE        commands on stdin, an answer each:
//       ask            held GENERATION | not held: WHY
//       write VALUE    wrote G | not written: WHY | stale G | unknown: WHY
//   guarded_writer.mjs SIDECAR STORE watch  prints each change of the claim

import http from 'node:http';
import readline from 'node:readline';

import { Claim, Reader } from './tenure_reader.mjs';

function describe(claim) {
  try {
    return `held ${claim.generation()}`;
  } catch (why) {
    return `not held: ${why.message}`;
  }
}

function put(store, value, generation) {
  return new Promise((resolve, reject) => {
    const request = http.request(`http://${store}/value`, {
      method: 'PUT',
      headers: { 'Tenure-Generation': generation },
      signal: AbortSignal.timeout(5000),
    });
    request.on('response', (answer) => resolve(answer.resume().statusCode));
    request.on('error', reject);
    request.end(value);
  });
}

async function write(store, claim, value) {
  let generation;
  try {
    generation = claim.generation(); // asked for last, just before the write
  } catch (why) {
    return `not written: ${why.message}`;
  }
  try {
    const status = await put(store, value, generation);
    if (status === 200) return `wrote ${generation}`;
    if (status === 409) return `stale ${generation}`; // the store knows a higher one
    return `unknown: ${status}`;
  } catch (error) {
    return `unknown: ${error.message}`; // it may have been applied
  }
}

const [sidecar, store, mode] = process.argv.slice(2);
const reader = new Reader(sidecar);
if (mode === 'watch') {
  let said = '';
  for await (const claim of reader.watch()) {
    const now = describe(claim);
    if (now !== said) console.log(now);
    said = now;
  }
}
let claim = Claim.none('not asked yet');
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [command, value] = line.split(' ', 2);
  if (command === 'ask') {
    claim = await reader.ask();
    console.log(describe(claim));
  } else if (command === 'write') {
    console.log(await write(store, claim, value));
  }
}
