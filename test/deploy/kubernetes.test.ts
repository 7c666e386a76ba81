/**
 * The manifests in k8s/: as written, and as kustomize builds them if kubectl is installed.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/config/config.ts';
import { configured, isOurs, nameOf, ownWorkloads, rules, WithTemplate } from '../support/manifestRules.ts';
import {
  buildChanged,
  buildOverlay,
  faultsOf,
  hasKubectl,
  type Manifest,
  OVERLAYS,
  readManifests,
  workloadsOf,
} from '../support/manifests.ts';

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

describe('the manifests as they are written', () => {
  const manifests = readManifests();
  rules(manifests);

  test('are read from every file', () => {
    const kinds = new Set(manifests.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual([
      'Deployment',
      'HTTPRoute',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'Namespace',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Service',
      'ServiceMonitor',
      'StatefulSet',
    ]);
  });

  test('with an unknown field or a wrong type are found', async () => {
    const [deployment] = manifests.filter(({ kind }) => kind === 'Deployment');
    const broken = JSON.parse(
      JSON.stringify(deployment)
        .replace('"maxSurge":1', '"maxSurge":1,"maxSurges":1')
        .replace('"revisionHistoryLimit":3', '"revisionHistoryLimit":"3"'),
    );
    expect(await faultsOf(broken)).toEqual([
      expect.stringContaining('revisionHistoryLimit'),
      '.spec.strategy.rollingUpdate.maxSurges is unknown',
    ]);
    const [route] = manifests.filter(({ kind }) => kind === 'HTTPRoute');
    const misspelt = JSON.parse(JSON.stringify(route).replace('"request"', '"requests"'));
    expect(await faultsOf(misspelt)).toEqual(['.spec.rules[0].timeouts.requests is unknown']);
  });
});

/** The values that somebody puts into the Secret of an overlay. */
const SECRETS: Readonly<Record<(typeof OVERLAYS)[number], Record<string, string>>> = {
  local: Object.fromEntries(
    [...readFileSync('k8s/overlays/local/secret.env.example', 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(
      ([, name, value = '']) => [name, value.replace(/<32 letters and digits>/, 'a'.repeat(32))],
    ),
  ),
  production: {
    REDIS_URL: 'rediss://redis.example.com:6379',
    DATABASE_URL: 'postgres://holdfast@postgres.example.com/holdfast',
    KEY_SECRET: 'k'.repeat(32),
    OIDC_CLIENT_SECRET: 'secret',
  },
};

const FromSecret = z.looseObject({
  valueFrom: z.looseObject({ secretKeyRef: z.looseObject({ key: z.string(), optional: z.boolean().default(false) }) }),
});

describe.each(OVERLAYS)('the overlay %s, built by kustomize', (overlay) => {
  if (!hasKubectl) {
    test.skip('needs kubectl, which is not installed here', () => {});
    return;
  }
  const manifests = buildOverlay(overlay);
  rules(manifests);

  test('runs the version of package.json everywhere', () => {
    const images = workloadsOf(manifests).flatMap(({ containers }) => containers.map(({ image }) => image));
    const ours = images.filter(isOurs);
    expect(ours).toHaveLength(2);
    expect(new Set(ours.map((image) => image.split(':').at(-1)))).toEqual(new Set([version]));
    // And no image without a version.
    expect(images.filter((image) => !/:[^/]*\d/.test(image))).toEqual([]);
    const pods = ownWorkloads(manifests).map(({ name }) => manifests.find(({ metadata }) => metadata.name === name));
    for (const pod of pods)
      expect(WithTemplate.parse(pod).spec.template.metadata.labels).toMatchObject({
        'app.kubernetes.io/version': version,
      });
  });

  test('is in the namespace holdfast, which it does not contain', () => {
    expect(manifests.filter(({ metadata }) => metadata.namespace !== 'holdfast').map(nameOf)).toEqual([]);
    expect(manifests.filter(({ kind }) => kind === 'Namespace')).toEqual([]);
  });

  test('denies all traffic that is not allowed', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).toContainEqual(
      expect.objectContaining({ spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } }),
    );
  });

  test('starts with its Secret: callers can get a key or sign in', () => {
    for (const { name, containers } of ownWorkloads(manifests))
      for (const { env } of containers) {
        const values = env.map((variable): [string, string | undefined] => {
          const { data } = FromSecret.safeParse(variable);
          if (data === undefined) return [variable.name, variable.value];
          const { key, optional } = data.valueFrom.secretKeyRef;
          const value = SECRETS[overlay][key];
          expect([name, key, value !== undefined || optional]).toEqual([name, key, true]);
          return [variable.name, value];
        });
        const config = readConfig({ ...configured(manifests), ...Object.fromEntries(values) });
        expect([name, config.apiKeys !== undefined || config.signIn.kind === 'oidc']).toEqual([name, true]);
      }
  });
});

const Users = z.object({ runAsUser: z.number().optional(), runAsGroup: z.number().optional() });
const Route = z.looseObject({
  spec: z.looseObject({
    hostnames: z.array(z.string()),
    rules: z.array(
      z.looseObject({
        matches: z.array(z.looseObject({ path: z.looseObject({ type: z.string(), value: z.string() }) })),
        timeouts: z.looseObject({ request: z.string() }),
      }),
    ),
  }),
});
const IngressHosts = z.looseObject({
  spec: z.looseObject({
    tls: z.array(z.looseObject({ hosts: z.array(z.string()) })),
    rules: z.array(z.looseObject({ host: z.string() })),
  }),
});

test('the page about Kubernetes builds and loads the image that the local overlay runs', () => {
  const page = readFileSync('docs/operations/kubernetes.md', 'utf8');
  for (const command of ['docker build --tag', 'kind load docker-image', 'minikube image load'])
    expect(page).toContain(`${command} holdfast:${version}`);
});

describe.skipIf(!hasKubectl)('access from outside', () => {
  const ofKind = (manifests: readonly Manifest[], wanted: string) => manifests.find(({ kind }) => kind === wanted);
  const withHost = (text: string) => text.replace('https://holdfast.example.com', 'https://locks.example.org');

  test('the route has the host of PUBLIC_URL, which is set in one place', () => {
    const manifests = buildChanged('production', withHost);
    expect(configured(manifests).PUBLIC_URL).toBe('https://locks.example.org');
    expect(Route.parse(ofKind(manifests, 'HTTPRoute')).spec.hostnames).toEqual(['locks.example.org']);
    expect(JSON.stringify(manifests)).not.toMatch(/set-by-the-overlay|holdfast\.example\.com/);
  });

  test('so has the Ingress, in its rule and for TLS', async () => {
    const manifests = buildChanged('production', (text) =>
      withHost(text).replace('components/gateway ', 'components/ingress-nginx '),
    );
    const { tls, rules: all } = IngressHosts.parse(ofKind(manifests, 'Ingress')).spec;
    expect(all.map(({ host }) => host)).toEqual(['locks.example.org']);
    expect(tls.flatMap(({ hosts }) => hosts)).toEqual(['locks.example.org']);
    expect(ofKind(manifests, 'HTTPRoute')).toBeUndefined();
    for (const manifest of manifests) expect(await faultsOf(manifest)).toEqual([]);
  });

  test('event streams have no timeout, and a response may be held for 30 s', () => {
    const { rules: all } = Route.parse(ofKind(buildOverlay('production'), 'HTTPRoute')).spec;
    const timeouts = all.map(({ matches, timeouts: { request } }) => [matches.map(({ path }) => path.value), request]);
    expect(timeouts).toEqual([
      [['/api/v1/events'], '0s'],
      [['/'], '60s'],
    ]);
  });

  test('the production overlay names administrators, and trusts its one proxy', () => {
    expect(configured(buildOverlay('production'))).toMatchObject({ ADMINS: expect.any(String), TRUSTED_PROXIES: '1' });
  });
});

describe.skipIf(!hasKubectl)('the components that are not in an overlay', () => {
  const manifests = hasKubectl
    ? buildChanged('production', (text) => text.replaceAll('  # - ../../', '  - ../../'))
    : [];
  rules(manifests);

  test('migration: a Job of this version, with the image of the API, that Argo CD and Helm run first and replace', () => {
    const [job] = manifests.filter(({ kind }) => kind === 'Job');
    expect(job?.metadata).toMatchObject({
      name: `holdfast-migrate-${version.replaceAll('.', '-')}`,
      annotations: {
        'argocd.argoproj.io/hook': 'PreSync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      },
    });
    const images = ownWorkloads(manifests).flatMap(({ containers }) => containers.map(({ image }) => image));
    expect(images).toEqual(Array.from({ length: 3 }, () => `registry.example.com/holdfast:${version}`));
  });

  test('openshift: no pod asks for a user or a group; without it each asks for user 1000', () => {
    const users = (all: readonly Manifest[]) => ownWorkloads(all).map(({ pod }) => Users.parse(pod.securityContext));
    expect(users(manifests)).toEqual([{}, {}, {}]);
    const asked = { runAsUser: 1000, runAsGroup: 1000 };
    expect(users(buildOverlay('production'))).toEqual([asked, asked]);
  });

  test('private-ca: each pod of the service, the Job too, mounts the certificates that Node is configured to trust', () => {
    const trusting = ownWorkloads(manifests);
    expect(trusting.map(({ kind }) => kind).toSorted()).toEqual(['Deployment', 'Deployment', 'Job']);
    for (const { pod, containers } of trusting) {
      expect(pod).toMatchObject({ volumes: [{ name: 'ca', configMap: { name: 'holdfast-ca' } }] });
      for (const { env, ...container } of containers) {
        expect(env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/holdfast/ca/ca.pem' });
        expect(container).toMatchObject({ volumeMounts: [{ name: 'ca', mountPath: '/etc/holdfast/ca' }] });
      }
    }
    const command = '--from-file=ca.pem';
    for (const file of ['k8s/components/private-ca/kustomization.yaml', 'docs/operations/kubernetes.md'])
      expect(readFileSync(file, 'utf8')).toContain(command);
  });

  test('tracing: an endpoint, and a policy that allows its port', () => {
    const endpoint = new URL(configured(manifests).OTEL_EXPORTER_OTLP_ENDPOINT ?? '');
    const [, namespace] = endpoint.hostname.split('.');
    expect(manifests.find(({ metadata }) => metadata.name === 'tracing')?.spec).toMatchObject({
      egress: [
        {
          to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }],
          ports: [{ protocol: 'TCP', port: Number(endpoint.port) }],
        },
      ],
    });
  });
});
