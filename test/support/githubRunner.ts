/** Runs steps of the action in integrations/github-action as the runner of GitHub Actions does. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Ended, type Running, start } from './commandLine.ts';

const FOLDER = join(import.meta.dirname, '../../integrations/github-action');
const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  outputs: z.record(z.string(), z.unknown()),
  runs: z.object({ using: z.literal('node24'), main: z.string(), post: z.string() }),
});
export const ACTION = Action.parse(parse(readFileSync(join(FOLDER, 'action.yml'), 'utf8')));

const KINDS = { output: 'GITHUB_OUTPUT', env: 'GITHUB_ENV', state: 'GITHUB_STATE' } as const;

/** A job, with the variables that its steps have set. */
export class Job {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-runner-'));
  readonly env: Record<string, string>;

  constructor(env: Readonly<Record<string, string>>) {
    this.env = {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/app',
      GITHUB_RUN_ID: '12',
      RUNNER_TEMP: this.folder,
      ...env,
    };
  }

  /** A step that uses the action. */
  step(inputs: Readonly<Record<string, string>>): Step {
    const unknown = Object.keys(inputs).filter((name) => !(name in ACTION.inputs));
    if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown}`);
    return new Step(this, inputs);
  }
}

export class Step {
  readonly #job: Job;
  readonly #inputs: Record<string, string> = {};
  #state: Record<string, string> = {};
  outputs: Record<string, string> = {};

  constructor(job: Job, inputs: Readonly<Record<string, string>>) {
    this.#job = job;
    for (const [name, { default: value = '' }] of Object.entries(ACTION.inputs))
      this.#inputs[`INPUT_${name.toUpperCase()}`] = inputs[name] ?? value;
  }

  /** Starts the step. */
  async start(): Promise<Running> {
    const files = Object.entries(KINDS).map(([kind, name]) => [name, join(this.#job.folder, `${kind}-file`)] as const);
    for (const [, file] of files) writeFileSync(file, '');
    const running = await this.#node(ACTION.runs.main, Object.fromEntries(files));
    // The runner reads them however the step has ended.
    const ended = running.ended.then((result) => {
      const [output, env, state] = files.map(([, file]) => parsed(readFileSync(file, 'utf8')));
      this.outputs = output ?? {};
      Object.assign(this.#job.env, env);
      this.#state = Object.fromEntries(Object.entries(state ?? {}).map(([name, value]) => [`STATE_${name}`, value]));
      return result;
    });
    return { ...running, ended };
  }

  /** The step, to its end. */
  run = async (): Promise<Ended> => (await this.start()).ended;

  /** The post step, to its end. */
  post = async (): Promise<Ended> => (await this.#node(ACTION.runs.post, this.#state)).ended;

  /** The pid of the process that renews. */
  get renewer(): number {
    return Number(this.#state.STATE_pid);
  }

  #node(file: string, env: Readonly<Record<string, string>>): Promise<Running> {
    return start([process.execPath, join(FOLDER, file)], {
      env: { ...this.#job.env, ...this.#inputs, ...env },
      cwd: this.#job.folder,
      // The runner signals the process of a step alone. Here it is in a group of its own, as on a runner.
      detached: true,
    });
  }
}

/** The values in a file: `name<<end`, lines, `end`. */
function parsed(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let i = 0; i < lines.length - 1; i++) {
    const [, name = '', end = ''] = /^(\w[\w-]*)<<(.+)$/.exec(lines[i] ?? '') ?? [];
    const last = lines.indexOf(end, i + 1);
    if (name === '' || last < 0) throw new Error(`not a value: ${lines[i]}`);
    values[name] = lines.slice(i + 1, last).join('\n');
    i = last;
  }
  return values;
}
