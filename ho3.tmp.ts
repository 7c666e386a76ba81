import { setStage, resetAll, loadOver } from './bench/stage.ts';
import { inTurn, Series, figureOf } from './bench/rounds.ts';
import { cycle } from './bench/requests.ts';
import { waitInTurn } from './bench/waiting/handOvers.ts';
const stage = await setStage(() => {});
const rounds = Number(process.env.R ?? 5);
try {
  const cycles = new Series(() => loadOver(stage, stage.service, 1, (one) => cycle(one)));
  const alone = new Series(() => waitInTurn(stage, [stage.service]));
  await inTurn(process.env.ONLY ? [alone] : [cycles, alone], rounds);
  for (const [n, s] of [['cycles', cycles], ['alone', alone]] as const) for (const x of s.samples as any[]) console.log(n, Math.round(x.changesPerSecond ?? x.perSecond), Object.entries(x.cpu).map(([k, v]) => `${k} ${Math.round((v as number) * 100)}`).join(' '), 'us/op', Object.entries(x.cpu).map(([k, v]) => `${k} ${Math.round((v as number) * 1e6/(x.changesPerSecond ?? x.perSecond))}`).join(' '));
  await resetAll(stage, [stage.tenant]);
} finally { if (process.env.PROF) { process.kill(stage.service.pid, 'SIGTERM'); await new Promise((r) => setTimeout(r, 15000)); } await stage.strike(); }
