/**
 * The forms of names: resources and their paths, requesters, tenants, keys, and issuers of JWTs
 * (docs/specification.md#words, #what-a-name-means, #names-and-sizes, #identity).
 */
export const SYSTEM_REQUESTER_PREFIX = 'system:';

/** The requesters of people who reserve on the dashboard begin with this. */
export const PERSON_PREFIX = 'person:';

/** The service's own names begin with these: those of blockers, and those of the audit trail. No JWT may have them. */
export const RESERVED_SUBJECT_PREFIXES = [SYSTEM_REQUESTER_PREFIX, PERSON_PREFIX, 'admin:', 'key:', 'token:'];

/** The `resourceType` of a reservation whose caller gave none (docs/specification.md#names-and-sizes). */
export const DEFAULT_RESOURCE_TYPE = 'UserDefined';

export const TENANT_ID = /^[a-z0-9-]{1,40}$/;

/** An API key: `hf_<tenant id>_<32 or more random letters and digits>`. */
export const API_KEY = /^hf_([a-z0-9-]{1,40})_[A-Za-z0-9]{32,200}$/;

/** A derived token: `hft_<tenant id>_<its subject, base64url>.<40 random letters and digits>`. */
export const DERIVED_TOKEN = /^hft_([a-z0-9-]{1,40})_([A-Za-z0-9_-]{2,1400})\.[A-Za-z0-9]{40}$/;

/** A management token: `hfm_<tenant id>_<40 random letters and digits>`. */
export const MANAGEMENT_TOKEN = /^hfm_([a-z0-9-]{1,40})_[A-Za-z0-9]{40}$/;

/** A session's value in its cookie: `hfs_<tenant id>_<40 random letters and digits>`. */
export const SESSION = /^hfs_([a-z0-9-]{1,40})_[A-Za-z0-9]{40}$/;

/** The subject of the user who signs in on this machine, without an identity provider. */
export const LOCAL_SUBJECT = 'local';
/** The issuer of that user, in place of an identity provider's. */
export const LOCAL_ISSUER = 'local';

/** The mean number of bytes that a character of a name of the greatest length may have. */
const BYTES_PER_CHARACTER = 2;

const UTF8 = new TextEncoder();

/** Bytes of a text in UTF-8. */
export const utf8Length = (text: string): number => UTF8.encode(text).length;

/** The key of a resource's label; and a label, `<key>=<value>`. */
export const LABEL_KEY = /^[A-Za-z0-9._/-]{1,64}$/;
export const LABEL = /^[A-Za-z0-9._/-]{1,64}=/;

/** Maximum number of characters (code points) of a label's value. */
const MAX_LABEL_VALUE = 128;

const CONTROL = /\p{Cc}/u;

/** Returns true if a text has more code points than this. */
const isLonger = (text: string, maxLength: number): boolean =>
  // `length` counts UTF-16 units, of which a code point has one or two. Count code points only if that matters.
  text.length > 2 * maxLength || (text.length > maxLength && [...text].length > maxLength);

function characterFault(text: string): string | null {
  if (CONTROL.test(text)) return 'must not contain control characters';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}

/**
 * Checks a note. The length counts code points.
 * @returns as nameFault()
 */
export const noteFault = (note: string, maxLength: number): string | null =>
  isLonger(note, maxLength) ? `must be at most ${maxLength} characters long` : characterFault(note);

/**
 * Checks a name. The length counts code points, so that no script is favoured, and bytes, of which a code point has up
 * to four. A lone surrogate is refused: it has no UTF-8 form and would collide with others in Redis.
 * @returns the end of a sentence that starts with the field's name; null if the name is valid
 */
export function nameFault(name: string, maxLength: number): string | null {
  const { length } = name;
  if (length === 0 || isLonger(name, maxLength)) return `must be 1 to ${maxLength} characters long`;
  const maxBytes = maxLength * BYTES_PER_CHARACTER;
  if (3 * length > maxBytes && utf8Length(name) > maxBytes) return `must be at most ${maxBytes} bytes of UTF-8`;
  return characterFault(name);
}

/**
 * Checks the value of a resource's label, which may be empty.
 * @returns the end of a sentence that starts with the label's key; null if the value is valid
 */
export function labelFault(value: string): string | null {
  if (value.length > 2 * MAX_LABEL_VALUE || [...value].length > MAX_LABEL_VALUE)
    return `must be at most ${MAX_LABEL_VALUE} characters long`;
  if (CONTROL.test(value)) return 'must not contain control characters';
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}

/** The separator of the names in a path. */
export const PATH_DELIMITER = '>';

/** Returns the parent of a resource whose ancestors are `treePath`; null for a root. */
export const parentIn = (treePath: string | null): string | null => treePath?.split(PATH_DELIMITER).at(-1) ?? null;

/** Returns the name that a path ends with: the resource itself. */
export const leafOf = (path: string): string => path.slice(path.lastIndexOf(PATH_DELIMITER) + 1);

const PREFIX = 'holdfast:';

/**
 * Of an issuer or an audience, in bytes of UTF-8: both names together have to fit into an index entry of Postgres
 * (2,704 bytes).
 */
export const MAX_ISSUER_BYTES = 512;

/** The audience that only this tenant can register. */
export const ownAudience = (tenant: string): string => `${PREFIX}${tenant}`;

/** Returns the tenant whose own audience this is; null: no tenant's */
export function tenantOfAudience(audience: string): string | null {
  const tenant = audience.startsWith(PREFIX) ? audience.slice(PREFIX.length) : '';
  return TENANT_ID.test(tenant) ? tenant : null;
}

/**
 * Checks the name of an issuer or an audience.
 * @returns the fault, as the end of a sentence that starts with the field's name; null: none
 */
export const issuerTextFault = (text: string): string | null =>
  utf8Length(text) > MAX_ISSUER_BYTES
    ? `must be at most ${MAX_ISSUER_BYTES} bytes long`
    : nameFault(text, MAX_ISSUER_BYTES);

/** Returns true if a claim can be the name of an issuer or an audience. */
export const isIssuerText = (claim: unknown): claim is string =>
  typeof claim === 'string' && issuerTextFault(claim) === null;

/**
 * Checks whether a tenant can register an audience.
 * @returns the fault, as the end of a sentence that starts with the field's name; null: none
 */
export const audienceFault = (audience: string, tenant: string): string | null =>
  audience.startsWith(PREFIX) && audience !== ownAudience(tenant)
    ? `must be ${ownAudience(tenant)} if it starts with ${PREFIX}`
    : null;
