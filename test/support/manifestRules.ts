/**
 * Rules that all Kubernetes manifests must keep, as tests; and functions that read manifests.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { VARIABLES } from '../../src/config/environment.ts';
import { faultsOf, type Manifest, workloadsOf } from './manifests.ts';

/** Returns a manifest's kind and name, for messages. */
export const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

const Labels = z.record(z.string(), z.string());
const Match = z.object({ matchLabels: Labels });
/** A manifest that runs pods. */
export const WithTemplate = z.looseObject({
  spec: z.looseObject({ template: z.looseObject({ metadata: z.looseObject({ labels: Labels }) }) }),
});
const Selects: Record<string, z.ZodType<Record<string, string>>> = {
  Service: z.looseObject({ selector: Labels }).transform(({ selector }) => selector),
  PodDisruptionBudget: z.looseObject({ selector: Match }).transform(({ selector }) => selector.matchLabels),
  NetworkPolicy: z.looseObject({ podSelector: Match }).transform(({ podSelector }) => podSelector.matchLabels),
};

/** Returns the labels by which a manifest selects pods; none if it selects all. */
const selectorsOf = ({ kind, spec }: Manifest): Record<string, string>[] => {
  const { data } = Selects[kind]?.safeParse(spec) ?? {};
  return data === undefined ? [] : [data];
};

/** Returns true if an image is the service's. */
export const isOurs = (image: string) => /(^|\/)holdfast(:|$)/.test(image);

/** Returns the workloads that run the image of the service. */
export const ownWorkloads = (manifests: readonly Manifest[]) =>
  workloadsOf(manifests).filter(({ containers }) => containers.some(({ image }) => isOurs(image)));

/** Returns the variables of the ConfigMap. */
export const configured = (manifests: readonly Manifest[]): Record<string, string> =>
  Object.assign(
    {},
    ...manifests
      .filter(({ kind, metadata }) => kind === 'ConfigMap' && /^holdfast(-[a-z0-9]{10})?$/.test(metadata.name))
      .map(({ data }) => Labels.parse(data)),
  );

/** Variables that Node or the OpenTelemetry SDK reads. */
export const READ_BY_OTHERS = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'];

/** The old generation of V8 that a variable NODE_OPTIONS sets, in MiB. */
export const oldSpaceOf = (options = '') => Number(/--max-old-space-size=(\d+)/.exec(options)?.[1]);

/** An amount of memory as Kubernetes, Compose or Redis write it, in MiB. */
export const Mebibytes = z.string().transform((text) => {
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi|m|g|mb|gb)$/.exec(text) ?? [];
  return Number(amount) * (/^g/i.test(unit) ? 1024 : 1);
});

const Limited = z.looseObject({ limits: z.looseObject({ memory: Mebibytes }) });

/** The `--maxmemory` among the arguments of a Redis, in MiB. NaN: it has none. */
export const maxmemoryOf = (args: readonly string[] = []) =>
  Mebibytes.parse(args[args.indexOf('--maxmemory') + 1] ?? '');

/** Adds a test for each rule that all manifests must keep, as written and as built. */
export function rules(manifests: readonly Manifest[]): void {
  const workloads = workloadsOf(manifests);

  test('each fits the schema of its kind and has no unknown field', async () => {
    for (const manifest of manifests)
      expect([nameOf(manifest), await faultsOf(manifest)]).toEqual([nameOf(manifest), []]);
  });

  test('no pod can do more than pod security “restricted” allows, write to its image, or call the API server', () => {
    expect(workloads.length).toBeGreaterThanOrEqual(2);
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

  test('every container has requests and limits', () => {
    const amounts = z.object({ cpu: z.string(), memory: z.string() });
    const Resources = z.object({ requests: amounts, limits: amounts });
    for (const { name, containers } of workloads)
      for (const { resources } of containers)
        expect([name, Resources.safeParse(resources).error?.message]).toEqual([name, undefined]);
  });

  test('V8 stops at its own limit before the container’s: old and young generation take three quarters of it', () => {
    const semiSpace = Number(/--max-semi-space-size=(\d+)/.exec(readFileSync('Dockerfile', 'utf8'))?.[1]);
    const services = ownWorkloads(manifests).filter(({ kind }) => kind === 'Deployment');
    expect(services).toHaveLength(2);
    for (const { name, containers } of services)
      for (const { env, resources } of containers) {
        const heap = oldSpaceOf(env.find((variable) => variable.name === 'NODE_OPTIONS')?.value) + 3 * semiSpace;
        expect([name, heap <= 0.75 * Limited.parse(resources).limits.memory]).toEqual([name, true]);
      }
  });

  test('a Redis has a maxmemory, which is at most half of its container’s memory', () => {
    for (const { containers } of workloads)
      for (const { image, args, resources } of containers)
        if (image.startsWith('redis:'))
          expect(maxmemoryOf(args)).toBeLessThanOrEqual(0.5 * Limited.parse(resources).limits.memory);
  });

  test('every workload but Jobs has all three probes', () => {
    const running = workloads.filter(({ kind }) => kind !== 'Job');
    expect(running.length).toBeGreaterThanOrEqual(2);
    for (const { name, containers } of running)
      for (const container of containers)
        expect([name, Object.keys(container)]).toEqual([
          name,
          expect.arrayContaining(['startupProbe', 'livenessProbe', 'readinessProbe']),
        ]);
  });

  test('every Job ends by itself', () => {
    for (const job of manifests.filter(({ kind }) => kind === 'Job'))
      expect(job.spec).toMatchObject({ activeDeadlineSeconds: expect.any(Number) });
  });

  test('every variable that is set is one that the configuration reads', () => {
    const names = Object.keys(configured(manifests));
    for (const { containers } of ownWorkloads(manifests))
      for (const { env } of containers) names.push(...env.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining(['ROLE', 'REDIS_URL']));
    expect(names.filter((name) => ![...VARIABLES, ...READ_BY_OTHERS].includes(name))).toEqual([]);
  });

  test('they contain no secrets: these come from the Secret, which none of them creates', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const SECRET = /URL$|SECRET|PASSWORD|KEYS/;
    for (const { containers } of workloads)
      for (const { env } of containers)
        for (const { name, value } of env) expect([name, value]).toEqual([name, SECRET.test(name) ? undefined : value]);
  });

  test('every service, budget and policy selects pods that exist', () => {
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
