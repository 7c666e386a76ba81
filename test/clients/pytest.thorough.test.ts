/** The pytest plugin of the Python client: real runs of pytest, against a real service. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Ended, env, type Running, service, start, useService } from '../support/commandLine.ts';
import { python } from '../support/languages.ts';
import { installedPython } from '../support/python.ts';
import { until } from '../support/until.ts';

useService();
const folders: string[] = [];
afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

/** A folder with tests. `fixtures` come after the import of hold_fixture. */
function suite(fixtures: string, tests: string): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-pytest-'));
  folders.push(made);
  writeFileSync(join(made, 'conftest.py'), `from holdfast.pytest import hold_fixture\n\n${fixtures}\n`);
  writeFileSync(join(made, 'test_it.py'), `${tests}\n`);
  return made;
}

async function begin(folder: string, ...args: readonly string[]): Promise<Running> {
  const own = { ...env, PYTHONPATH: installedPython() };
  const command = [python.path(), '-m', 'pytest', '-p', 'no:cacheprovider', ...args];
  return start(command, { cwd: folder, env: own, detached: true });
}

const run = async (...all: Parameters<typeof begin>): Promise<Ended> => (await begin(...all)).ended;

/**
 * Tests that note in a file, for each of their turns, the slots that they have. None ends before so many slots were
 * had: a worker that is done would give its slot to one that starts late.
 */
const NOTING = (count: number, seconds: number, slots = 1) => `
import time, pytest

def slots():
    with open("log") as log: return {line.split()[1] for line in log}

@pytest.mark.parametrize("number", range(${count}))
def test_calls(phone, number):
    with open("log", "a") as log: print("begin", *phone.slots, phone.requester, file=log)
    while len(slots()) < ${slots}: time.sleep(0.02)
    time.sleep(${seconds})
    with open("log", "a") as log: print("end", *phone.slots, phone.requester, file=log)
`;

const notesIn = (folder: string) =>
  readFileSync(join(folder, 'log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [what = '', slot = '', requester = ''] = line.split(' ');
      return { what, slot, requester };
    });

/** Asserts that no slot had two holders at a time, and returns who has had each. */
function holdersIn(folder: string): Map<string, Set<string>> {
  const now = new Map<string, string>();
  const all = new Map<string, Set<string>>();
  for (const { what, slot, requester } of notesIn(folder)) {
    if (what === 'begin') {
      expect(now.has(slot)).toBe(false);
      now.set(slot, requester);
      all.set(slot, (all.get(slot) ?? new Set()).add(requester));
    } else now.delete(slot);
  }
  return all;
}

describe.concurrent('a fixture under pytest-xdist', () => {
  test('each of four workers has a slot of its own, which JUnit shows for each test', async () => {
    await service.register({ name: 'four', capacity: 4 });
    const folder = suite('phone = hold_fixture("four", wait="1m", scope="session")', NOTING(8, 0.1, 4));
    const { code, stdout } = await run(folder, '-n', '4', '--junit-xml', 'junit.xml');
    expect(stdout).toContain('8 passed');
    expect(code).toBe(0);
    const holders = holdersIn(folder);
    expect([...holders.keys()].sort()).toEqual(['four_0', 'four_1', 'four_2', 'four_3']);
    expect([...holders.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1]);
    const shown = readFileSync(join(folder, 'junit.xml'), 'utf8').match(/<property name="holdfast_slot" value="four_/g);
    expect(shown).toHaveLength(8);
    expect((await service.active('?resource=four')).body).toEqual([]);
  });

  test('with fewer slots than workers, workers wait, and the report of the test says for what', async () => {
    await service.register({ name: 'two', capacity: 2 });
    const [hold] = (await service.reserve({ resource: 'two', requester: 'ann', note: 'nightly', count: 2 })).body;
    const folder = suite('phone = hold_fixture("two", wait="1m", scope="session")', NOTING(8, 0.1));
    const running = await begin(folder, '-n', '4', '-rP');
    await until('all workers to wait', async () => (await service.waiting('?resource=two')).body.length === 4);
    await service.unreserve({ resource: 'two', requester: 'ann', releaseToken: hold?.releaseToken ?? '' });
    const { code, stdout } = await running.ended;
    expect(stdout).toContain('8 passed');
    expect(code).toBe(0);
    const holders = holdersIn(folder);
    expect([...holders.keys()].sort()).toEqual(['two_0', 'two_1']);
    expect([...holders.values()].reduce((sum, { size }) => sum + size, 0)).toBe(4);
    expect(stdout).toMatch(/Captured holdfast setup -+\nphone waits for two, next: ann has two_0, two_1 \(nightly\)/);
  });

  test('a run that is killed frees its slots when their leases end', async () => {
    const fixtures = 'phone = hold_fixture("killed", wait="1m", ttl="10s", scope="session")';
    const killed = await begin(suite(fixtures, NOTING(1, 60)), '-n', '1');
    await until('the test to hold it', async () => (await service.active('?resource=killed')).body.length > 0);
    killed.kill('SIGKILL', -killed.pid);
    const { code, stdout } = await run(suite(fixtures, NOTING(1, 0)));
    expect(stdout).toContain('phone waits for killed');
    expect(code).toBe(0);
  });
});

describe.concurrent('a fixture', () => {
  test('takes names together, and releases them after each test', async () => {
    const tests = `
def test_one(rig): assert rig.slots == ["rig-1", "licences"]
def test_other(rig): assert rig.slots == ["rig-1", "licences"]`;
    const { code } = await run(suite('rig = hold_fixture(["rig-1", "licences"])', tests));
    expect(code).toBe(0);
    for (const name of ['rig-1', 'licences']) expect((await service.active(`?resource=${name}`)).body).toEqual([]);
  });

  test('shows on the terminal for what it waits', async () => {
    const [hold] = (await service.reserve({ resource: 'busy', requester: 'ann', note: 'nightly' })).body;
    const running = await begin(suite('phone = hold_fixture("busy", wait="1m")', 'def test_it(phone): pass'));
    await running.prints('holdfast: phone waits for busy, next: ann has busy (nightly)');
    await service.unreserve({ resource: 'busy', requester: 'ann', releaseToken: hold?.releaseToken ?? '' });
    expect((await running.ended).stdout).toContain('1 passed');
  });

  test('says that the service cannot be reached, while it tries again', async () => {
    const elsewhere = 'import os\nos.environ["HOLDFAST_URL"] = "http://127.0.0.1:9"';
    const running = await begin(suite(`phone = hold_fixture("far")\n${elsewhere}`, 'def test_it(phone): pass'));
    await running.prints('It is tried again for a while');
    expect(running.stdout()).toContain('holdfast: The service at http://127.0.0.1:9 could not be reached');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(2);
  });

  test('says in a line why it holds nothing', async () => {
    await service.reserve({ resource: 'taken', requester: 'ann', note: 'nightly' });
    const { code, stdout } = await run(suite('phone = hold_fixture("taken")', 'def test_it(phone): pass'));
    expect(stdout).toMatch(
      /ERROR at setup of test_it _+\ntaken: ALREADY_HELD: ann has taken \(nightly\) \(to wait .*\)\n=/,
    );
    expect(code).toBe(1);
  });

  test('leaves the queue at Ctrl-C', async () => {
    await service.reserve({ resource: 'mine', requester: 'ann' });
    const running = await begin(suite('phone = hold_fixture("mine", wait="1m")', 'def test_it(phone): pass'));
    await running.prints('phone waits for mine');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(2);
    expect((await service.waiting('?resource=mine')).body).toEqual([]);
  });

  test('imports neither httpx nor the client until a test uses it', async () => {
    const tests = `
import sys
CLIENT = {"httpx", "anyio", "holdfast._sync", "holdfast._api"}
def test_before(): assert not CLIENT & set(sys.modules)
def test_after(phone): assert CLIENT <= set(sys.modules)`;
    const { code, stdout } = await run(suite('phone = hold_fixture("late")', tests), '-p', 'no:anyio');
    expect(stdout).toContain('2 passed');
    expect(code).toBe(0);
  });
});

describe('a lost lease', () => {
  const LOSING = `
from holdfast import Holdfast

def test_loses(phone):
    with Holdfast.from_env() as other: other.reset()

def test_next(phone): pass`;

  test('is an error of the test at its teardown', async () => {
    const { stdout } = await run(suite('phone = hold_fixture("gone")', LOSING));
    expect(stdout).toContain('2 passed, 1 error');
    expect(stdout).toMatch(/ERROR at teardown of test_loses _+\ngone was released by somebody else meanwhile\n/);
  });

  test('of a wider scope is one too, also if a test asks for it late; no further test begins with it', async () => {
    const asking = 'test_loses(request):\n    phone = request.getfixturevalue("phone")';
    const tests = LOSING.replace('test_loses(phone):', asking).replace(
      'other.reset()',
      'other.reset()\n    while phone.remaining > 0: time.sleep(0.05)',
    );
    const fixtures = 'phone = hold_fixture("gone", ttl="3s", scope="module")';
    const { stdout } = await run(suite(fixtures, `import time${tests}`));
    expect(stdout).toMatch(/ERROR at teardown of test_loses _+\ngone is not held any more.*\n/);
    expect(stdout).toMatch(/ERROR at setup of test_next _+\ngone is not held any more.*\n/);
    expect(stdout).toContain('1 passed, ');
  });
});
