import { startQueue, INSTANCE } from './bench/waiting/queue.ts';
import { loadScripts, defineScripts } from './src/redis/scripts.ts';
import { reserve } from './src/engine/reservations/reserve.ts';
import { unreserve } from './src/engine/reservations/unreserve.ts';
import { beat } from './src/engine/waiting/beat.ts';
import { DEFAULT_TIERS, UNLIMITED } from './src/domain/tiers.ts';
import { createRedis } from './src/redis/client.ts';
const q = await startQueue(() => {});
const { engine, full, redis } = q;
const TIERS = { ...DEFAULT_TIERS, Enterprise: UNLIMITED };
// [pattern, replacement] to insert marks
const marks: [RegExp, string][] = [
  [/^local tenant$/m, "local MT, MN = {}, {}\nlocal function MARK(n) local t = redis.call('TIME') MT[#MT+1] = t[1]*1000000+t[2] MN[#MN+1] = n end\nMARK('start')\nlocal tenant"],
  [/^(local (?:items|method|refused) = [\s\S]*?)$/m, "MARK('prelude')\n$1"],
  [/^(  tenant\.openQueue = function\(\))$/m, "$1\nMARK('>open')"],
  [/^(    tenant\.queue = queue)$/m, "$1\nMARK('opened')"],
  [/^(    tenant\.queue\.settle\(\)\n  end\n  commit\(usage\))$/m, "MARK('>settle')\n    tenant.queue.settle()\n MARK('settled') end\n  commit(usage)\n  MARK('committed')\n  do local l = {} for i = 2, #MT do l[#l+1] = MN[i-1] .. '->' .. MN[i] .. ' ' .. string.format('%d', MT[i]-MT[i-1]) end redis.call('RPUSH', 'prof', table.concat(l, '\\t')) end"],
  [/^(    activateKept\(\)\n    activateExempt\(\))$/m, "MARK('>kept')\nactivateKept()\nMARK('kept')\n    activateExempt()\nMARK('exempt')"],
  [/^(  local done, _, _, refusal, refusals = carryOut\(ticket\))$/m, "MARK('>carryOut')\n$1\nMARK('carriedOut')"],
  [/^(  emitGrant\(ticket, done\))$/m, "MARK('>emitGrant')\n$1"],
  [/^(  changeTicket\(ticket, \{\n    status = 'granted')/m, "MARK('>change')\n$1"],
  [/^(local function ask\(request\))$/m, "$1\nMARK('>ask')"],
  [/^(  local done, place, reply, refusal, refusals = carryOut\(trial\))$/m, "MARK('>ticketOf done')\n$1\nMARK('carryOut done')"],
  [/^(  local trial = \{)$/m, "MARK('ticketOf')\n$1"],
  [/^(  -- The ticket is written, and the queue settled, after)/m, "MARK('feasible')\n$1"],
  [/^(  postponed, pending.items = \{\}, 0)$/m, "MARK('postponed run')\n$1"],
  [/^(    tenant\.queue\.runPostponed\(\))$/m, "MARK('>runPostponed')\n$1\nMARK('ranPostponed')"],
  [/^(  runClaims\(\)\n  settle\(\))$/m, "runClaims() MARK('claimed') settle()\nMARK('settled1')"],
  [/^(  writeRecords\(\)\n)/m, "MARK('>writeRecords')\n$1\nMARK('wroteRecords')\n"],
  [/^(    tenant\.queue\.write\(fields\))$/m, "MARK('>qwrite')\n$1\nMARK('qwritten')"],
];
const scripts = loadScripts(TIERS).map((s) => {
  if (s.name !== 'reserve' && s.name !== 'unreserve') return s;
  let { lua } = s;
  for (const [a, b] of marks) { if (!a.test(lua)) console.log('no', s.name, a); lua = lua.replace(a, b); }
  return { ...s, lua };
});
const r2 = createRedis(`redis://127.0.0.1:${(redis as any).options.port}`, () => {});
if ((redis as any).options.path) console.log((redis as any).options.path);
defineScripts(redis, scripts);
await beat(engine, full.tenant, INSTANCE);
const wait = { waitSeconds: 7200, claimSeconds: 10 };
const call = (c: boolean) => ({ instance: INSTANCE, pollMs: 20000, isContinuation: c });
const ask = async (i: number, c: boolean) => (await reserve(engine, full, [{ resource: 'hot', requester: `w-${i}`, ttlSeconds: 60, ...wait }], call(c))).result;
const N = 64;
let held = await ask(0, false);
for (let i = 1; i < N; i++) await ask(i, false);
let holder = 0;
const steps: Record<string, Record<string, number[]>> = {};
const note = async (w: string) => { const l = await redis.lpop('prof'); if (!l) return; for (const one of l.split('\t')) { const at = one.lastIndexOf(' '); ((steps[w] ??= {})[one.slice(0, at)] ??= []).push(Number(one.slice(at + 1))); } };
for (let n = 0; n < 600; n++) {
  await redis.del('prof');
  await unreserve(engine, full, held); await note('unreserve');
  const next = (holder + 1) % N;
  held = await ask(next, true); await note('claim');
  await ask(holder, false); await note('issue');
  holder = next;
}
for (const [w, s] of Object.entries(steps)) { console.log(w); for (const [k, v] of Object.entries(s)) { v.sort((a, b) => a - b); console.log('   ', k.padEnd(40), v[v.length >> 2]); } }
r2.disconnect();
await q.stop();
