/** A request to an address of a tenant's failed. The message is for people of the tenant: it has no address. */
export class OutgoingFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutgoingFault';
  }
}

/** The message of a failed connection, by Node's code. */
const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the response.',
  EPIPE: 'The connection was closed before the response.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The host did not answer.',
  ENOTFOUND: 'The name of the host has no address.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  EPROTO: 'The host does not speak TLS.',
  HPE_HEADER_OVERFLOW: 'The headers of the response are too long.',
};

/** Makes the fault of an error of Node's. */
export function faultOf(error: unknown): OutgoingFault {
  if (error instanceof OutgoingFault) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const message =
    MESSAGES[code] ??
    (code.startsWith('HPE_')
      ? 'The response is not HTTP.'
      : /CERT|SSL|TLS/.test(code)
        ? `TLS failed: ${code}.`
        : `The connection failed${code === '' ? '' : `: ${code}`}.`);
  return new OutgoingFault(message, { cause: error });
}
