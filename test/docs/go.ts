/** Go blocks: as programs with the client, checked and run. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { go } from '../support/languages.ts';

const run = promisify(execFile);
/** Without C, as test/clients builds it: the standard library is compiled once. */
const env = { ...process.env, CGO_ENABLED: '0' };
const PACKAGE = join(import.meta.dirname, '../../packages/go/holdfast');

/** What blocks use that are no whole program. */
const IMPORTS = ['context', 'errors', 'fmt', 'log', 'os', 'os/signal', 'strings', 'sync', 'syscall', 'time'];

/** The block as a program: a block that is none gets `ctx` and `client`, and may leave `err` to be looked at. */
export function goProgram(content: string): string {
  if (/^package main$/m.test(content)) return content;
  const used = IMPORTS.filter((name) => new RegExp(`\\b${name.replace(/.*\//, '')}\\.`).test(content));
  const imports = [...new Set([...used, 'context', 'log'])].map((name) => `"${name}"`).join('\n');
  return `package main

import (
${imports}
"${modulePath()}"
)

func main() {
ctx := context.Background()
client, err := holdfast.FromEnv(ctx)
if err != nil {
log.Fatal(err)
}
_, _ = ctx, client
${content}
if err != nil {
log.Fatal(err)
}
}
`;
}

const modulePath = () => /^module (.+)$/m.exec(readFileSync(join(PACKAGE, 'go.mod'), 'utf8'))?.[1] ?? '';

/** A module with programs, each in a folder of its name. */
function moduleOf(programs: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-go-'));
  const needed = `require ${modulePath()} v0.0.0\n\nreplace ${modulePath()} => ${PACKAGE}\n`;
  writeFileSync(join(folder, 'go.mod'), `module example\n\ngo 1.19\n\n${needed}`);
  for (const [name, text] of programs) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'main.go'), text);
  }
  return folder;
}

/** Checks programs with `go vet`. @returns the errors, each with the program's name; none if there are none */
export async function goErrors(programs: ReadonlyMap<string, string>): Promise<string> {
  const cwd = moduleOf(programs);
  try {
    const vetting = run(go.path(), ['vet', './...'], { cwd, env });
    // Of a command that was killed, or never began, the message alone says so.
    return await vetting.then(
      ({ stderr }) => stderr,
      ({ stderr, message }: { stderr: string; message: string }) => stderr || message,
    );
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Runs a program to its end. @returns what it printed to stdout */
export async function runGo(
  text: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const cwd = moduleOf(new Map([['example', text]]));
  try {
    await run(go.path(), ['build', '-ldflags=-s -w', '-o', join(folder, '.example'), './example'], { cwd, env });
    const options = { cwd: folder, env: { ...env, ...variables }, timeout: 60_000 };
    return (await run(join(folder, '.example'), [], options)).stdout;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
