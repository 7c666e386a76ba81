/**
 * The form that registers an issuer of JWTs, or changes it (docs/specification.md#registrations-of-issuers).
 * Conditions are lines, so that the form needs no script. Presets fill in what GitHub and GitLab have in common.
 */
import { z } from 'zod';
import { type Conditions, type Registration, valuesOf } from '../../domain/registrations.ts';
import { TOKEN_PERMISSIONS, type TokenPermission } from '../../domain/rights.ts';
import { DEFAULT_PRIORITY, MAX_PRIORITY } from '../../domain/waiting.ts';
import { refuseField } from '../form.ts';

/** A checkbox that is not checked is not sent. */
export const checkbox = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** The form as it is sent. */
export const IssuerForm = z.object({
  id: z.string(),
  issuer: z.string(),
  audience: z.string(),
  jwksUrl: z.string(),
  conditions: z.string(),
  isForEverybody: checkbox,
  permission: z.string(),
  prefix: z.string(),
  maxPriority: z.coerce.number(),
  requester: z.string(),
  instances: checkbox,
  /** Set by the form that changes a registration. */
  isChange: checkbox,
});
export type TypedIssuer = z.output<typeof IssuerForm>;

/** The registration that a form describes, not checked yet. */
export function asRegistration({ conditions: lines, isForEverybody, isChange: _, ...rest }: TypedIssuer): unknown {
  const conditions = conditionsIn(lines);
  const isEmpty = Object.keys(conditions).length === 0;
  if (isEmpty !== isForEverybody)
    refuseField(
      'conditions',
      isEmpty ? 'say whose JWTs you mean, or check “everybody”' : '“everybody” has no conditions',
    );
  return { ...rest, conditions };
}

/** Reads conditions, one `claim = value` a line. Lines with the same claim are alternatives. */
function conditionsIn(lines: string): Conditions {
  const values = new Map<string, string[]>();
  for (const line of lines.split(/\r?\n/).filter((one) => one.trim() !== '')) {
    const at = line.indexOf('=');
    if (at < 0) refuseField('conditions', `write “claim = value”, not “${line.trim()}”`);
    const claim = line.slice(0, at).trim();
    values.set(claim, [...(values.get(claim) ?? []), line.slice(at + 1).trim()]);
  }
  return Object.fromEntries([...values].map(([claim, [first = '', ...others]]) => [claim, oneOrMany(first, others)]));
}

/** A single value is no list, as most registrations have it. */
const oneOrMany = (first: string, others: readonly string[]) => (others.length === 0 ? first : [first, ...others]);

const linesOf = (conditions: Conditions): string =>
  Object.entries(conditions)
    .flatMap(([claim, condition]) => valuesOf(condition).map((value) => `${claim} = ${value}`))
    .join('\n');

/** A registration as the form has it. */
export const typedOf = ({ conditions, ...rest }: Registration): TypedIssuer => ({
  ...rest,
  conditions: linesOf(conditions),
  isForEverybody: Object.keys(conditions).length === 0,
  isChange: true,
});

const ANOTHER: Omit<TypedIssuer, 'audience'> = {
  id: '',
  issuer: '',
  jwksUrl: '',
  conditions: '',
  isForEverybody: false,
  permission: 'reserve',
  prefix: '',
  maxPriority: DEFAULT_PRIORITY,
  requester: '{sub}',
  instances: false,
  isChange: false,
};

/** Presets of the form. Their conditions lack values that only the tenant knows. */
const PRESETS: Readonly<Record<string, { readonly name: string; readonly typed: Omit<TypedIssuer, 'audience'> }>> = {
  github: {
    name: 'GitHub Actions',
    typed: {
      ...ANOTHER,
      id: 'github',
      issuer: 'https://token.actions.githubusercontent.com',
      jwksUrl: 'https://token.actions.githubusercontent.com/.well-known/jwks',
      conditions: 'repository_id = \nref = refs/heads/main\nevent_name = push',
      requester: '{repository}#{run_id}',
      instances: true,
    },
  },
  gitlab: {
    name: 'GitLab.com',
    typed: {
      ...ANOTHER,
      id: 'gitlab',
      issuer: 'https://gitlab.com',
      jwksUrl: 'https://gitlab.com/oauth/discovery/keys',
      conditions: 'project_id = \nref_protected = true',
      requester: '{project_path}#{pipeline_id}',
      instances: true,
    },
  },
};

/** The first values of the form. @param audience the tenant's own */
export const presetOf = (name: string | undefined, audience: string): TypedIssuer => ({
  ...(PRESETS[name ?? '']?.typed ?? ANOTHER),
  audience,
});

const DESCRIBED: Readonly<Record<TokenPermission, string>> = {
  reserve: 'reserve and release',
  read: 'only read',
};

interface FieldsProps {
  /** The address of the page. */
  readonly at: string;
  readonly typed: TypedIssuer;
}

export const IssuerFields = ({ at, typed }: FieldsProps) => (
  <form method="post" action={`${at}/issuers`} class="fields" id="issuer">
    <h3>{typed.isChange ? `Change the issuer “${typed.id}”` : 'Register an issuer'}</h3>
    {!typed.isChange && (
      <p>
        Begin with{' '}
        {Object.entries(PRESETS).map(([preset, { name }], i) => (
          <>
            {i > 0 && ' or '}
            <a href={`${at}?preset=${preset}#issuer`}>{name}</a>
          </>
        ))}
        .
      </p>
    )}
    {typed.isChange && <input type="hidden" name="isChange" value="1" />}
    <label>
      Id <input name="id" required maxlength={64} value={typed.id} readonly={typed.isChange} autocomplete="off" />
    </label>
    <label>
      Issuer <input name="issuer" required maxlength={512} value={typed.issuer} autocomplete="off" />
    </label>
    <label>
      Audience <input name="audience" required maxlength={512} value={typed.audience} autocomplete="off" />
    </label>
    <label>
      Address of its keys (JWKS){' '}
      <input type="url" name="jwksUrl" required maxlength={512} value={typed.jwksUrl} autocomplete="off" />
    </label>
    <label>
      Conditions, one “claim = value” a line{' '}
      <textarea name="conditions" rows={5} autocomplete="off" spellcheck={false}>
        {typed.conditions}
      </textarea>
    </label>
    <p class="hint">
      All claims must match. Lines with the same claim are alternatives. A value may end with <code>*</code> after{' '}
      <code>/</code> or <code>:</code>.
    </p>
    <label class="check">
      <input type="checkbox" name="isForEverybody" checked={typed.isForEverybody} /> No conditions: everybody to whom
      the issuer gives such a JWT
    </label>
    <TokenFields typed={typed} />
    <p class="buttons">
      <button type="submit">{typed.isChange ? 'Save the issuer' : 'Register the issuer'}</button>{' '}
      {typed.isChange && (
        <a class="button" href={at}>
          Cancel
        </a>
      )}
    </p>
  </form>
);

const TokenFields = ({ typed }: { typed: TypedIssuer }) => (
  <>
    <label>
      Tokens may{' '}
      <select name="permission">
        {TOKEN_PERMISSIONS.toReversed().map((one) => (
          <option value={one} selected={one === typed.permission}>
            {DESCRIBED[one]}
          </option>
        ))}
      </select>
    </label>
    <label>
      Only names that start with (optional){' '}
      <input name="prefix" value={typed.prefix} placeholder="ci/" autocomplete="off" />
    </label>
    <label>
      Highest priority of their waiting requests{' '}
      <input
        type="number"
        name="maxPriority"
        required
        min={DEFAULT_PRIORITY}
        max={MAX_PRIORITY}
        value={typed.maxPriority}
      />
    </label>
    <label>
      Requester, with claims in braces{' '}
      <input name="requester" required maxlength={256} value={typed.requester} autocomplete="off" />
    </label>
    <label class="check">
      <input type="checkbox" name="instances" checked={typed.instances} /> Tell the jobs of a run apart: each names an
      instance
    </label>
  </>
);
