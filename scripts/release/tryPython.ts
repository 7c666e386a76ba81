/**
 * `npm run release:try-python -- <folder>`: installs the wheel in a folder into a fresh environment, as users do, and
 * uses it there, in a thread and with asyncio.
 */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { command } from './command.ts';
import { packages } from './plan.ts';
import { startTrialService } from './trialService.ts';

const PROGRAM = `
import asyncio
from importlib.metadata import version
from importlib.resources import files

from holdfast import AsyncHoldfast, Holdfast

print(version("holdfast"), files("holdfast").joinpath("py.typed").is_file())
with Holdfast.from_env() as client:
    with client.using("printer", wait="10s") as hold:
        print(hold.resource, hold.fencing_token > 0)

async def main():
    async with AsyncHoldfast.from_env() as client:
        async with client.using("printer", wait="10s") as hold:
            print(hold.resource)

asyncio.run(main())
`;

const [folder = '.'] = process.argv.slice(2);
const wheels = readdirSync(folder).filter((name) => name.endsWith('.whl'));
const place = mkdtempSync(join(tmpdir(), 'holdfast-venv-'));
const service = await startTrialService();
try {
  command('python3', ['-m', 'venv', place]);
  const python = join(place, 'bin', 'python');
  command(python, ['-m', 'pip', 'install', '--quiet', ...wheels.map((name) => resolve(folder, name))]);
  const printed = command(python, ['-c', PROGRAM], { cwd: place, env: service.env });
  const { version } = packages().python;
  deepStrictEqual(printed, `${version} True\nprinter True\nprinter\n`);
  console.log(`${wheels.join(' ')} installs, reserves and releases.`);
} finally {
  service.stop();
  rmSync(place, { recursive: true });
}
