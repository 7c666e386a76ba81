import { startQueue, INSTANCE } from './bench/waiting/queue.ts';
import { reserve } from './src/engine/reservations/reserve.ts';
import { unreserve } from './src/engine/reservations/unreserve.ts';
import { beat } from './src/engine/waiting/beat.ts';
const q = await startQueue(() => {});
const { engine, full, redis } = q;
await beat(engine, full.tenant, INSTANCE);
const usOf = async () => {
  const s = await redis.info('commandstats');
  return Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(s)?.[1] ?? 0);
};
const sums: Record<string, number[]> = {};
const timed = async <T,>(what: string, run: () => Promise<T>) => {
  const before = await usOf();
  const r = await run();
  (sums[what] ??= []).push((await usOf()) - before);
  return r;
};
const wait = { waitSeconds: 7200, claimSeconds: 10 };
const call = (c: boolean) => ({ instance: INSTANCE, pollMs: 20000, isContinuation: c });
const ask = async (i: number, c: boolean) => (await reserve(engine, full, [{ resource: 'hot', requester: `w-${i}`, ttlSeconds: 60, ...wait }], call(c))).result;
const N = Number(process.env.N ?? 64);
let held = await ask(0, false);
for (let i = 1; i < N; i++) await ask(i, false);
let holder = 0; const mon = await redis.duplicate().monitor(); mon.on('monitor',(_t:string,a:string[],src:string)=>{ if(src==='lua'||a[0]==='evalsha') console.log(a[0]==='evalsha'?'==':'  ', a.map(x=>x.slice(0,60)).join(' ').slice(0,a[0]==='evalsha'?20:260).replace(/[^ -~]/g,'.'))});
for (let n = 0; n < 3; n++) {
  await timed('unreserve', () => unreserve(engine, full, held));
  const next = (holder + 1) % N;
  held = await timed('claim', () => ask(next, true));
  if (held[0].status !== 'ACQUIRED') throw new Error(JSON.stringify(held));
  await timed('issue', () => ask(holder, false));
  holder = next;
}
for (let n = 0; n < 3; n++) {
  const { result } = await timed('plain reserve', () => reserve(engine, q.empty, [{ resource: 'x' + n, requester: `w`, ttlSeconds: 60 }]));
  await timed('plain unreserve', () => unreserve(engine, q.empty, result));
}
for (const [k, v] of Object.entries(sums)) { v.sort((a, b) => a - b); console.log(k.padEnd(18), 'median', v[v.length >> 1], 'p99', v[Math.floor(v.length * .99)], 'mean', (v.reduce((a, b) => a + b) / v.length).toFixed(1)); }
if (process.env.MON) {
  const { loadScripts } = await import('./src/redis/scripts.ts');
}
await q.stop();
