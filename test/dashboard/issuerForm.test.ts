/**
 * The form of issuers on the dashboard: all fields of a registration, and presets for GitHub and GitLab that admit a
 * job's JWT as these systems document it (docs/specification.md#registrations-of-issuers).
 */
import { describe, expect, test } from 'vitest';
import { Issuer, NewIssuer } from '../../src/contract/issuers.ts';
import {
  asRegistration,
  IssuerFields,
  presetOf,
  type TypedIssuer,
  typedOf,
} from '../../src/dashboard/components/issuerForm.tsx';
import { requesterOf, unmetBy } from '../../src/domain/registrations.ts';

const AUDIENCE = 'holdfast:acme';
const htmlOf = (typed: TypedIssuer) => String(IssuerFields({ at: '/dashboard/settings', typed }));

test('it has an input for each field of a registration', () => {
  const html = htmlOf(presetOf(undefined, AUDIENCE));
  for (const field of Object.keys(Issuer.shape))
    expect(html).toMatch(new RegExp(`<(input|select|textarea)[^>]* name="${field}"`));
});

test('it offers presets for GitHub and GitLab', () => {
  const html = htmlOf(presetOf(undefined, AUDIENCE));
  expect(html).toMatch(/preset=github#issuer">GitHub Actions<.*preset=gitlab#issuer">GitLab\.com</);
});

test.each([
  [{ conditions: { repository_id: ['4711', '4712'], ref: 'refs/heads/release/*' }, maxPriority: 40, prefix: 'ci/' }],
  [{ conditions: { sub: 'a = b' }, permission: 'read', instances: true, requester: 'k8s/{sub}' }],
  [{ conditions: {} }],
])('a registration comes out of it as it went in: %j', (fields) => {
  const registration = NewIssuer.parse({
    id: 'own',
    issuer: 'https://id.example',
    audience: AUDIENCE,
    jwksUrl: 'https://id.example/jwks',
    ...fields,
  });
  expect(NewIssuer.parse(asRegistration(typedOf(registration)))).toEqual(registration);
});

describe.each([
  [
    'github',
    'repository_id',
    { repository_id: '4711', repository: 'acme/app', ref: 'refs/heads/main', event_name: 'push', run_id: '12' },
    { event_name: 'pull_request_target' },
    'acme/app#12.k3v9x0q2mwd7',
  ],
  [
    'gitlab',
    'project_id',
    { project_id: '4711', project_path: 'acme/app', ref: 'main', ref_protected: 'true', pipeline_id: '12' },
    { ref_protected: 'false' },
    'acme/app#12.k3v9x0q2mwd7',
  ],
])('the preset %s', (name, id, claims, ofStrangers, requester) => {
  const preset = presetOf(name, AUDIENCE);
  const filled = { ...preset, conditions: preset.conditions.replace(`${id} = `, `${id} = 4711`) };

  test(`lacks the ${id}, and is refused without it`, () => {
    expect(NewIssuer.safeParse(asRegistration(preset)).success).toBe(false);
    expect(NewIssuer.safeParse(asRegistration(filled)).success).toBe(true);
  });

  test('then admits jobs of that project alone, each as a requester of its own', () => {
    const registration = NewIssuer.parse(asRegistration(filled));
    expect(registration.audience).toBe(AUDIENCE);
    expect(unmetBy(registration.conditions, claims)).toEqual([]);
    expect(unmetBy(registration.conditions, { ...claims, [id]: '666' })).toEqual([id]);
    expect(unmetBy(registration.conditions, { ...claims, ...ofStrangers })).toEqual(Object.keys(ofStrangers));
    expect(registration.instances).toBe(true);
    expect(requesterOf(registration.requester, claims, 'k3v9x0q2mwd7')).toEqual({ requester });
  });
});
