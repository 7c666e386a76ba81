/**
 * A real nginx before instances of the service, configured by deploy/nginx.conf.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/freePort.ts';
import { startGuarded } from '../../scripts/guardedProcess.ts';
import type { Balancer } from './haproxy.ts';

/** Distributions put it into a folder that only root has in its PATH. */
const NGINX = { path: 'nginx', env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` } };

export const hasNginx = spawnSync(NGINX.path, ['-v'], { env: NGINX.env }).status === 0;

/** The deployed configuration, before instances on ports of this machine. */
function configurationFor(port: number, ports: readonly number[]): string {
  const deployed = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  const servers = /^ {2}server 10[^;]*;\n/gm;
  const [server = ''] = deployed.match(servers) ?? [];
  const here = ports.map((one) => server.replace(/10[\d.]+:8080/, `127.0.0.1:${one}`)).join('');
  const changed = deployed
    .replace(server, 'HERE\n')
    .replace(servers, '')
    .replace('HERE\n', here)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`);
  // The usual /etc/nginx/nginx.conf of a distribution, but in this folder. As root it would run as nobody, who cannot
  // read the folder. One process, since workers outlive a master that is killed.
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${name};`);
  return `user root;
daemon off;
master_process off;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
${own.join('\n')}
${changed}}
`;
}

/**
 * Starts nginx.
 * @param ports of the instances
 */
export async function startNginx(ports: readonly number[]): Promise<Balancer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-nginx-'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configurationFor(port, ports));
  const server = await startGuarded(NGINX, folder, ['-p', folder, '-e', 'stderr', '-c', file], { port });
  return { url: `http://127.0.0.1:${port}`, ...server };
}
