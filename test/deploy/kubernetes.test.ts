/**
 * The manifests in k8s/: as written always; as kustomize builds them where there is a kubectl.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { VARIABLES } from '../../src/config/environment.ts';
import {
  buildOverlay,
  faultsOf,
  hasKubectl,
  type Manifest,
  OVERLAYS,
  readManifests,
  workloadsOf,
} from '../support/manifests.ts';

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

const Labels = z.record(z.string(), z.string());
const Match = z.object({ matchLabels: Labels });
const WithTemplate = z.looseObject({
  spec: z.looseObject({ template: z.looseObject({ metadata: z.looseObject({ labels: Labels }) }) }),
});
const Selects: Record<string, z.ZodType<Record<string, string>>> = {
  Service: z.looseObject({ selector: Labels }).transform(({ selector }) => selector),
  PodDisruptionBudget: z.looseObject({ selector: Match }).transform(({ selector }) => selector.matchLabels),
  NetworkPolicy: z.looseObject({ podSelector: Match }).transform(({ podSelector }) => podSelector.matchLabels),
};

/** The labels by which it selects pods; none where it selects all. */
const selectorsOf = ({ kind, spec }: Manifest): Record<string, string>[] => {
  const { data } = Selects[kind]?.safeParse(spec) ?? {};
  return data === undefined ? [] : [data];
};

/** What all manifests must be like, however they came about. */
function rules(manifests: readonly Manifest[]): void {
  const workloads = workloadsOf(manifests);
  const ours = workloads.filter(({ containers }) => containers.some(({ image }) => /(^|\/)holdfast(:|$)/.test(image)));

  test('each is what the schema of its kind asks for, with no field that this does not know', async () => {
    for (const manifest of manifests)
      expect([nameOf(manifest), await faultsOf(manifest)]).toEqual([nameOf(manifest), []]);
  });

  test('no pod can do more than pod security “restricted” allows, nor write to its image, nor ask the API server', () => {
    expect(workloads.length).toBeGreaterThanOrEqual(3);
    for (const { name, pod, containers } of workloads) {
      expect({ name, ...pod }).toMatchObject({
        name,
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext } of containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  test('every container says what it needs and what it may take', () => {
    const amounts = z.object({ cpu: z.string(), memory: z.string() });
    const Resources = z.object({ requests: amounts, limits: amounts });
    for (const { name, containers } of workloads)
      for (const { resources } of containers)
        expect([name, Resources.safeParse(resources).error?.message]).toEqual([name, undefined]);
  });

  test('whatever goes on running has all three probes', () => {
    const running = workloads.filter(({ kind }) => kind !== 'Job');
    expect(running.length).toBeGreaterThanOrEqual(2);
    for (const { name, containers } of running)
      for (const container of containers)
        expect([name, Object.keys(container)]).toEqual([
          name,
          expect.arrayContaining(['startupProbe', 'livenessProbe', 'readinessProbe']),
        ]);
  });

  test('every variable that is set is one that the configuration reads', () => {
    const maps = manifests.filter(
      ({ kind, metadata }) => kind === 'ConfigMap' && /^holdfast(-[a-z0-9]{10})?$/.test(metadata.name),
    );
    const names = maps.flatMap((map) => Object.keys(z.record(z.string(), z.string()).parse(map.data)));
    for (const { containers } of ours) for (const { env } of containers) names.push(...env.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining(['ROLE', 'REDIS_URL', 'DATABASE_URL', 'KEY_SECRET']));
    expect(names.filter((name) => !VARIABLES.includes(name))).toEqual([]);
  });

  test('nothing secret is in them: it comes from the Secret, which none of them makes', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const SECRET = /URL$|SECRET|PASSWORD|KEYS/;
    for (const { containers } of workloads)
      for (const { env } of containers)
        for (const { name, value } of env) expect([name, value]).toEqual([name, SECRET.test(name) ? undefined : value]);
  });

  test('whatever is selected by a service, a budget or a policy is there', () => {
    const pods = manifests.flatMap((manifest) => {
      const { data } = WithTemplate.safeParse(manifest);
      // The base adds this label when it is built.
      return data === undefined
        ? []
        : [{ 'app.kubernetes.io/name': 'holdfast', ...data.spec.template.metadata.labels }];
    });
    const selectors = manifests.flatMap(selectorsOf);
    expect(selectors.length).toBeGreaterThan(4);
    for (const selector of selectors) expect(pods).toContainEqual(expect.objectContaining(selector));
  });
}

describe('the manifests as they are written', () => {
  const manifests = readManifests();
  rules(manifests);

  test('of every file are read', () => {
    const kinds = new Set(manifests.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual([
      'Deployment',
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

  test('an unknown field and a wrong type are found', async () => {
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
  });
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
    const ours = images.filter((image) => /(^|\/)holdfast:/.test(image));
    expect(ours).toHaveLength(3);
    expect(new Set(ours.map((image) => image.split(':').at(-1)))).toEqual(new Set([version]));
    // And nothing of which nobody says which version.
    expect(images.filter((image) => !/:[^/]*\d/.test(image))).toEqual([]);
  });

  test('is in one namespace', () => {
    const elsewhere = manifests.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'holdfast',
    );
    expect(elsewhere.map(nameOf)).toEqual([]);
  });

  test('denies whatever is not allowed', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).toContainEqual(
      expect.objectContaining({ spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } }),
    );
  });
});
