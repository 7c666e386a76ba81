/**
 * Checks the Lua modules with luacheck (.luacheckrc): part of `npm run lint`. Installs it if it is missing.
 */
import { spawnSync } from 'node:child_process';
import { findOrInstall } from './serverProgram.ts';

const { path, env } = findOrInstall(
  {
    title: 'luacheck',
    names: ['luacheck'],
    folders: ['usr/bin'],
    version: /Luacheck: (\d+)/,
    oldestMajor: 1,
    packages: { apt: 'lua-check', apk: 'luacheck', dnf: 'luacheck', brew: 'luacheck' },
    cache: 'luacheck',
    byHand: 'Install luacheck 1 or newer: https://github.com/lunarmodules/luacheck.',
  },
  console.error,
);
process.exitCode = spawnSync(path, ['lua', '--no-color', '-q'], { env, stdio: 'inherit' }).status ?? 1;
