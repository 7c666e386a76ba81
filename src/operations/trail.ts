/**
 * Notes in the audit trail what was done to reservations and waits. It happens in Redis alone and does not wait for the
 * database: entries are written afterwards. An entry that cannot be written is logged and counted.
 */
import type { Logger } from 'pino';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import { type Author, authorOf } from '../engine/tenant/credentials.ts';
import { type AuditEntry, noteActions } from '../store/audit.ts';
import type { Database } from '../store/database.ts';
import type { Metrics } from '../telemetry/metrics.ts';

type Deed = Pick<AuditEntry, 'action'> & Required<Pick<AuditEntry, 'details'>>;

export class Trail {
  readonly #database: Database;
  readonly #engine: Engine;
  readonly #metrics: Metrics | null;
  readonly #log: Logger;
  /** The entries that are being written. */
  readonly #pending = new Set<Promise<void>>();

  constructor(database: Database, engine: Engine, metrics: Metrics | null, log: Logger) {
    this.#database = database;
    this.#engine = engine;
    this.#metrics = metrics;
    this.#log = log;
    metrics?.countLostEntries(0);
  }

  /**
   * Notes what a caller has done.
   * @param deeds in their order
   */
  note(credential: Credential, ...deeds: readonly Deed[]): void {
    this.#write(credential.tenant, authorOf(this.#engine, credential), deeds);
  }

  /** Notes what an author has done to a tenant. */
  noteBy({ actor, address }: Author, tenant: string, deed: Deed): void {
    this.#write(tenant, Promise.resolve({ actor, address }), [deed]);
  }

  /** Waits for the entries that are being written. */
  async close(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #write(tenant: string, author: Promise<Author>, deeds: readonly Deed[]): void {
    const written = this.#tryToWrite(tenant, author, deeds).finally(() => this.#pending.delete(written));
    this.#pending.add(written);
  }

  async #tryToWrite(tenant: string, author: Promise<Author>, deeds: readonly Deed[]): Promise<void> {
    let by: Author | null = null;
    try {
      by = await author;
      const { actor, address } = by;
      await noteActions(
        this.#database,
        tenant,
        deeds.map((deed) => ({ actor, address, ...deed })),
      );
    } catch (err) {
      this.#metrics?.countLostEntries(deeds.length);
      for (const deed of deeds) this.#log.error({ err, tenant, ...by, ...deed }, 'an audit entry could not be written');
    }
  }
}
