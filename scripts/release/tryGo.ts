/**
 * `npm run release:try-go -- <tag>`: runs the tests of the Go client, gets it by the tag that the release pushes, as
 * users do, and uses it in a fresh module. The tag is set in a copy of this repository, which stands for the one on
 * GitHub.
 */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../repository.ts';
import { command } from './command.ts';
import { packages } from './plan.ts';
import { startTrialService } from './trialService.ts';

const { name, version } = packages().go;

const PROGRAM = `package main

import (
	"context"
	"fmt"
	"time"

	"${name}"
)

func main() {
	ctx := context.Background()
	client, err := holdfast.FromEnv(ctx)
	if err != nil {
		panic(err)
	}
	defer client.Close()
	request := holdfast.Request{Resource: "printer", Wait: 10 * time.Second}
	err = client.Using(ctx, request, func(ctx context.Context, h *holdfast.Hold) error {
		fmt.Println(holdfast.Version, h.Resource, h.FencingToken > 0)
		return nil
	})
	if err != nil {
		panic(err)
	}
}
`;

const [tag = ''] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), 'holdfast-go-'));
const copy = join(place, 'copy');
const fresh = join(place, 'fresh');
const service = await startTrialService();
try {
  for (const args of [
    ['vet', './...'],
    ['test', '-count=1', './...'],
  ])
    command('go', args, { cwd: 'packages/go/holdfast', env: service.env });
  command('git', ['clone', '--quiet', process.cwd(), copy]);
  command('git', ['tag', tag], { cwd: copy });
  writeFileSync(
    join(place, 'gitconfig'),
    `[url "file://${copy}"]\n\tinsteadOf = https://github.com/${repository()}\n[safe]\n\tdirectory = *\n`,
  );
  const env = {
    ...service.env,
    GIT_CONFIG_GLOBAL: join(place, 'gitconfig'),
    GOPRIVATE: 'github.com',
    GOFLAGS: '-mod=mod -modcacherw',
    GOMODCACHE: join(place, 'modules'),
  };
  command('mkdir', [fresh]);
  writeFileSync(join(fresh, 'main.go'), PROGRAM);
  const go = (...args: readonly string[]) => command('go', args, { cwd: fresh, env });
  go('mod', 'init', 'example.com/fresh');
  go('get', `${name}@v${version}`);
  deepStrictEqual(go('run', '.'), `${version} printer true\n`);
  console.log(`${name} v${version} is got by its tag, reserves and releases.`);
} finally {
  service.stop();
  rmSync(place, { recursive: true });
}
