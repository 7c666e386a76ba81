import { startQueue } from './bench/waiting/queue.ts';
import { loadScripts } from './src/redis/scripts.ts';
import { DEFAULT_TIERS, UNLIMITED } from './src/domain/tiers.ts';
const q = await startQueue(() => {});
const TIERS = { ...DEFAULT_TIERS, Enterprise: UNLIMITED };
const us = async (lua: string, keys: string[], argv: string[]) => {
  const sha = (await q.redis.script('LOAD', lua)) as string;
  for (let i = 0; i < 2000; i++) await q.redis.evalsha(sha, keys.length, ...keys, ...argv);
  const r = [];
  for (let k = 0; k < 9; k++) {
    await q.redis.config('RESETSTAT');
    for (let i = 0; i < 500; i++) await q.redis.evalsha(sha, keys.length, ...keys, ...argv);
    r.push(Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await q.redis.info('commandstats'))?.[1]) / 500);
  }
  return r.sort((a, b) => a - b)[4];
};
console.log('empty', await us('return 1', [], []));
for (const s of loadScripts(TIERS)) {
  if (!['reserve', 'unreserve', 'check'].includes(s.name)) continue;
  const keys = s.keys.map((k) => `{t}:${k}`);
  const mark = { reserve: /^local items = readItems/m, unreserve: /^local items = readItems/m, check: /^local refused = look/m }[s.name]!;
  const at = mark.exec(s.lua)!.index;
  const argv = ['x', '', '', s.name === 'reserve' ? 'inst 2000' : '', ''];
  await q.redis.hset('{t}:tenant', 'queue', '1 1 0 1 inf 0 -');
  const cut = (extra: string) => s.lua.slice(0, at) + `if true then ${extra} return 1 end\n` + s.lua.slice(at);
  await q.redis.del(keys[0]!);
  console.log(s.name, 'prelude, no tickets', await us(cut(''), keys, argv.map((x, i) => i === 3 ? '' : x)));
  await q.redis.hset(keys[0]!, 'queue', '1 1 0 1 inf 0 -');
  console.log(s.name, 'prelude, tickets', await us(cut(''), keys, argv));
  console.log(s.name, 'prelude, opened', await us(cut('tenant.openQueue()'), keys, argv));
}
await q.stop();
