/**
 * What may be a name (docs/specification.md#words, #names-and-sizes, #identity): resources, requesters, tenants and
 * keys.
 */
export const SYSTEM_REQUESTER_PREFIX = 'system:';

/** The tag a reservation carries when its caller gave none (docs/specification.md#names-and-sizes). */
export const DEFAULT_RESOURCE_TYPE = 'UserDefined';

export const TENANT_ID = /^[a-z0-9-]{1,40}$/;

/** An API key: `hf_<tenant id>_<32 or more random letters and digits>`. */
export const API_KEY = /^hf_([a-z0-9-]{1,40})_[A-Za-z0-9]{32,200}$/;

/** A derived token: `hft_<tenant id>_<its subject, base64url>.<40 random letters and digits>`. */
export const DERIVED_TOKEN = /^hft_([a-z0-9-]{1,40})_([A-Za-z0-9_-]{2,1400})\.[A-Za-z0-9]{40}$/;

/** A session's value in its cookie: `hfs_<tenant id>_<40 random letters and digits>`. */
export const SESSION = /^hfs_([a-z0-9-]{1,40})_[A-Za-z0-9]{40}$/;

/** Who signs in on this machine, without an identity provider. */
export const LOCAL_SUBJECT = 'local';

/** Of a name of the greatest length, as a mean. */
const BYTES_PER_CHARACTER = 2;

const CONTROL = /\p{Cc}/u;

/**
 * Says what is wrong with a name, as the end of a sentence that begins with the field, or gives null when it is sound.
 * Length counts code points, so that no script is favoured, and bytes, of which a code point has up to four; a lone
 * surrogate has no UTF-8 form and would collide with others in Redis, so it is refused.
 */
export function nameFault(name: string, maxLength: number): string | null {
  const { length } = name;
  // A code point is one or two of what length counts. Only what may be either is worth a closer look.
  if (length === 0 || length > 2 * maxLength || (length > maxLength && [...name].length > maxLength))
    return `must be 1 to ${maxLength} characters long`;
  const maxBytes = maxLength * BYTES_PER_CHARACTER;
  if (3 * length > maxBytes && Buffer.byteLength(name) > maxBytes) return `must be at most ${maxBytes} bytes of UTF-8`;
  if (CONTROL.test(name)) return 'must not contain control characters';
  if (!name.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}
