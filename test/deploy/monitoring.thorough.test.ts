/**
 * Alerts and dashboard: the service has each metric that they use. Each alert fires, and is in the runbook and the
 * dashboard.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readManifests } from '../support/manifests.ts';
import { parseTypes } from '../support/samples.ts';
import { startInstance } from '../support/service.ts';
import { databaseEnv, KINDS } from '../support/tenancy.ts';

const Rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.object({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});
const RUNBOOK = 'docs/operations/runbook';

const { groups } = Rules.parse(parse(readFileSync('deploy/alerts.yml', 'utf8')));

const Dashboard = z.looseObject({
  panels: z.array(
    z.looseObject({ title: z.string(), targets: z.array(z.looseObject({ expr: z.string() })).default([]) }),
  ),
});
const dashboard = Dashboard.parse(JSON.parse(readFileSync('deploy/grafana/dashboards/holdfast.json', 'utf8')));

const rules = groups.flatMap((group) => group.rules);
const alerts = groups.flatMap(({ rules }) => rules.map(({ alert, expr }): [string, string] => [alert, expr]));
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }): [string, string] => [title, expr]),
);

/** Metric and the label names that are asked of it: `name{label="…"}`, or `by (label)` anywhere around it. */
const asked = (expr: string) => ({
  names: [...expr.matchAll(/\b(?:holdfast|nodejs|process)_\w+/g)].map(([name]) => name),
  labels: [...expr.matchAll(/\bby \(([^)]*)\)|(\w+)(?:=~|!~|!=|=)"/g)].flatMap(([, by = '', matched = '']) =>
    [...by.split(/,\s*/), matched].filter((label) => label !== ''),
  ),
});

/** Returns true if the service has it; of a histogram, by the names of its samples. */
const has = (types: ReadonlyMap<string, string>, name: string) =>
  types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';

/** Which Prometheus itself gives to whatever it scrapes, or a histogram to its buckets. */
const GIVEN = ['job', 'instance', 'le'];
/** All that src/telemetry/metrics.ts has. */
const OURS = [
  'method',
  'route',
  'status',
  'verb',
  'outcome',
  'limit_type',
  'script',
  'reason',
  'queue',
  'kind',
  'result',
];

let scraped: string;
let types: ReadonlyMap<string, string>;
beforeAll(async () => {
  const { url, drop } = await KINDS.PGlite();
  const holdfast = await startInstance({ keys: [], env: { METRICS_PORT: '0', ...databaseEnv(url) } });
  scraped = await holdfast.scrape();
  types = parseTypes(scraped);
  await holdfast.stop();
  await drop();
});

describe.each([
  ['alerts', alerts],
  ['dashboard', panels],
] as const)('the %s', (_, all) => {
  test('ask only for metrics that the service has, by labels that they have', () => {
    expect(all.length).toBeGreaterThan(10);
    for (const [where, expr] of all) {
      const { names, labels } = asked(expr);
      expect([where, names.length > 0]).toEqual([where, true]);
      expect([where, names.filter((name) => !has(types, name))], 'the service has no such metric').toEqual([where, []]);
      expect([where, labels.filter((label) => ![...GIVEN, ...OURS].includes(label))]).toEqual([where, []]);
    }
  });
});

const TESTS = 'deploy/alerts.test.yml';
const Tests = z.looseObject({ tests: z.array(z.looseObject({ name: z.string() })) });
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

describe('the alerts', () => {
  test.skipIf(!hasPromtool)(
    'each fire in their test, and none with healthy values or in a short outage (needs promtool)',
    () => {
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', TESTS], { encoding: 'utf8' });
      expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
    },
  );

  test('each have a test of their name', () => {
    const { tests } = Tests.parse(parse(readFileSync(TESTS, 'utf8')));
    const hint = `give each alert a test of its name in ${TESTS}, in the order of deploy/alerts.yml`;
    expect(
      tests.map(({ name }) => name),
      hint,
    ).toEqual(['healthy', 'a short outage', ...rules.map(({ alert }) => alert)]);
  });

  test('each have a page in the runbook, to which they link, and the runbook lists them in the same order', () => {
    const pages = readdirSync(RUNBOOK).filter((file) => file !== 'README.md');
    const hint = `each alert of deploy/alerts.yml needs a page in ${RUNBOOK}, and each page an alert`;
    expect(pages.toSorted(), hint).toEqual(rules.map(({ alert }) => `${alert}.md`).toSorted());
    const index = readFileSync(`${RUNBOOK}/README.md`, 'utf8');
    const listed = [...index.matchAll(/^\| \[(Holdfast\w+)\]\(\1\.md\) \| (\w+) \|/gm)].map(([, alert, level]) => [
      alert,
      level,
    ]);
    const rows = `give each alert a row in ${RUNBOOK}/README.md, in the order of deploy/alerts.yml`;
    expect(listed, rows).toEqual(rules.map(({ alert, labels }) => [alert, labels.severity]));
    for (const { alert, annotations } of rules) expect(annotations.runbook_url).toBe(`${RUNBOOK}/${alert}.md`);
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s: its page has the same sections as the others',
    (alert) => {
      const page = readFileSync(`${RUNBOOK}/${alert}.md`, 'utf8');
      const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
      expect(headings).toEqual([alert, 'Impact', 'Check', 'Act']);
    },
  );

  test('each are shown by a panel of the dashboard', () => {
    const family = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const shown = panels.map(([, expr]) => new Set(asked(expr).names.map(family)));
    const unseen = alerts.filter(([, expr]) => {
      const names = asked(expr).names.map(family);
      return !shown.some((panel) => names.every((name) => panel.has(name)));
    });
    expect(unseen, 'show their metrics in a panel of deploy/grafana/dashboards/holdfast.json').toEqual([]);
  });

  test('have names of their own', () => {
    expect(new Set(alerts.map(([alert]) => alert)).size).toBe(alerts.length);
  });

  test('are the same for the Prometheus Operator', () => {
    const rule = readManifests().find(({ kind }) => kind === 'PrometheusRule');
    const hint = 'copy the groups of deploy/alerts.yml to k8s/components/monitoring/prometheusRule.yaml';
    expect(rule?.spec, hint).toEqual({ groups });
  });
});

test.skipIf(!hasPromtool)(
  'the metrics keep Prometheus’s conventions, but for three of prom-client’s (needs promtool)',
  () => {
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: scraped, encoding: 'utf8' });
    const named = `${stdout}${stderr}`
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(named.toSorted()).toEqual(['handles', 'requests', 'resources'].map((name) => `nodejs_active_${name}_total`));
  },
);

describe('docs/operations/monitoring.md', () => {
  test('says of every metric of the service’s own what it is', () => {
    const ours = [...types.keys()].filter((name) => name.startsWith('holdfast_'));
    const rows = readFileSync('docs/operations/monitoring.md', 'utf8').match(/^\| `.*$/gm) ?? [];
    const told = rows.flatMap((row) => [...row.matchAll(/`(holdfast_\w+)`/g)].map(([, name]) => name));
    expect(told.toSorted(), 'give each metric a row in the tables of that page').toEqual(ours.toSorted());
  });
});

describe('the dashboard', () => {
  test('shows every metric of the service’s own', () => {
    const ours = [...types.keys()].filter((name) => name.startsWith('holdfast_'));
    const shown = panels
      .flatMap(([, expr]) => asked(expr).names)
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    const unseen = ours.filter((name) => !shown.includes(name));
    expect(unseen, 'add panels to deploy/grafana/dashboards/holdfast.json').toEqual([]);
  });
});
