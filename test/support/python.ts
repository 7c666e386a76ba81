/** The Python client as an installed package, and the Python that runs it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { python } from './languages.ts';

export const PACKAGE = resolve('packages/python');
/** Of mypy, which takes half a minute without it. */
export const CACHE = resolve('node_modules/.cache/mypy');

/** Writes what a build would: the metadata by which pytest finds the plugin. */
const METADATA = `
import sys, tomllib
with open(sys.argv[1], "rb") as file: project = tomllib.load(file)["project"]
with open("METADATA", "w") as file: print(f"Name: {project['name']}\\nVersion: {project['version']}", file=file)
with open("entry_points.txt", "w") as file:
    for group, points in project["entry-points"].items():
        print(f"[{group}]", *(f"{name} = {value}" for name, value in points.items()), sep="\\n", file=file)
`;

let folder: string | undefined;

/** @returns a folder for PYTHONPATH that has the client and its plugin for pytest, as if pip had installed it there */
export function installedPython(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'holdfast-python-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  symlinkSync(join(PACKAGE, 'src/holdfast'), join(made, 'holdfast'));
  const metadata = join(made, 'holdfast-0.0.0.dist-info');
  mkdirSync(metadata);
  execFileSync(python.path(), ['-c', METADATA, join(PACKAGE, 'pyproject.toml')], { cwd: metadata });
  folder = made;
  return made;
}
