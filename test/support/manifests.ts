/**
 * Kubernetes manifests: read, built by kustomize, and held against the API's own schemas.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

const FOLDER = fileURLToPath(new URL('../../k8s/', import.meta.url));
export const OVERLAYS = ['local', 'production'] as const;

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type Manifest = z.infer<typeof Manifest>;

const Kustomization = z.looseObject({ patches: z.array(z.looseObject({ path: z.string().optional() })).default([]) });

const parseManifests = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return Manifest.parse(document.toJS());
  });

/** Every manifest as it is written, but for kustomizations and patches, which are none by themselves. */
export function readManifests(): Manifest[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const kustomizations = files.filter((file) => file.endsWith('kustomization.yaml'));
  const patches = kustomizations.flatMap((file) =>
    Kustomization.parse(parse(readFileSync(join(FOLDER, file), 'utf8'))).patches.flatMap(({ path }) =>
      path === undefined ? [] : [relative('.', join(file, '..', path))],
    ),
  );
  return files
    .filter((file) => ![...kustomizations, ...patches].includes(file))
    .flatMap((file) => parseManifests(readFileSync(join(FOLDER, file), 'utf8')));
}

/** Returns true if there is a kubectl here: no package of npm's or Debian's has a kustomize. */
export const hasKubectl = ((): boolean => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const build = (folder: string): Manifest[] =>
  parseManifests(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' }));

/** Returns what `kubectl apply -k` would send. */
export const buildOverlay = (name: string): Manifest[] => build(join(FOLDER, 'overlays', name));

/**
 * Builds an overlay as somebody would after changing its kustomization.yaml. The repository stays as it is.
 * @param change takes the text of that file and returns the changed text
 */
export function buildChanged(overlay: string, change: (text: string) => string): Manifest[] {
  const copy = mkdtempSync(join(tmpdir(), 'holdfast-manifests-'));
  try {
    cpSync(FOLDER, join(copy, 'k8s'), { recursive: true });
    cpSync(join(FOLDER, '..', 'deploy'), join(copy, 'deploy'), { recursive: true });
    const folder = join(copy, 'k8s', 'overlays', overlay);
    const file = join(folder, 'kustomization.yaml');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    return build(folder);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The packages with the schemas of groups that Kubernetes itself does not have. */
const MODELS: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

/**
 * Faults that the API server would refuse, or silently drop: by the schema of the manifest's kind, and fields that the
 * schema does not know. The validators are generated code that reads each field it knows of, and no other: so the
 * fields that they did not read are unknown.
 */
export async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const [group = ''] = apiVersion.split('/');
  const models = MODELS[group] ?? 'kubernetes-models';
  const module: unknown = await import(`${models}/${apiVersion}/${kind}`);
  const model = z
    .custom<NewableFunction>((value) => typeof value === 'function')
    .parse(z.looseObject({ [kind]: z.unknown() }).parse(module)[kind]);
  const unread: (() => string[])[] = [];
  const faults: string[] = [];
  try {
    // Some validators find their schema through the prototype.
    const watched: unknown = Object.setPrototypeOf(watchReads(manifest, '', unread), model.prototype);
    Reflect.apply(Reflect.get(model.prototype, 'validate'), watched, []);
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  return [...faults, ...unread.flatMap((fields) => fields()).map((path) => `${path} is unknown`)];
}

/** A copy whose reads are noted: each object in it adds a function that tells which of its fields were not read. */
function watchReads(value: unknown, path: string, unread: (() => string[])[]): unknown {
  if (Array.isArray(value)) return value.map((item, i) => watchReads(item, `${path}[${i}]`, unread));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, watchReads(field, `${path}.${name}`, unread)]);
  const read = new Set<string | symbol>();
  const names = Object.keys(value);
  unread.push(() => names.filter((name) => !read.has(name)).map((name) => `${path}.${name}`));
  return new Proxy<object>(Object.fromEntries(fields), {
    get: (target, name) => {
      read.add(name);
      return Reflect.get(target, name);
    },
  });
}

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
  securityContext: z.unknown().optional(),
  resources: z.unknown().optional(),
});
export type Container = z.infer<typeof Container>;
const PodSpec = z.looseObject({
  containers: z.array(Container),
  initContainers: z.array(Container).default([]),
  securityContext: z.unknown().optional(),
});
export type PodSpec = z.infer<typeof PodSpec>;
const WithPods = z.looseObject({ spec: z.looseObject({ template: z.looseObject({ spec: PodSpec }) }) });

export interface Workload {
  readonly name: string;
  readonly kind: string;
  readonly pod: PodSpec;
  readonly containers: readonly Container[];
}

/** Whatever runs pods. */
export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap((manifest) => {
    const { data } = WithPods.safeParse(manifest);
    if (data === undefined) return [];
    const pod = data.spec.template.spec;
    const { kind, metadata } = manifest;
    return [{ name: metadata.name, kind, pod, containers: [...pod.containers, ...pod.initContainers] }];
  });
}
