/**
 * Divides the places of an instance among tenants. It only counts, and says whose thing makes room for a new one: the
 * caller lets that thing end.
 */

const NONE: ReadonlySet<never> = new Set<never>();

export class Places<Thing> {
  readonly #places: number;
  /** Tenant → its things, the oldest first. */
  readonly #things = new Map<string, Set<Thing>>();
  #size = 0;

  /** @param places maximum number of things of all tenants */
  constructor(places: number) {
    this.#places = places;
  }

  /** Number of things of all tenants. */
  get size(): number {
    return this.#size;
  }

  /** The things of a tenant, the oldest first. */
  of(tenant: string): ReadonlySet<Thing> {
    return this.#things.get(tenant) ?? NONE;
  }

  /**
   * Says which tenant must give a place back before another one gets one.
   * @param tenant who wants a place
   * @param share maximum number of places of this tenant
   * @returns the tenant itself if its part is used up; if all places are taken, the tenant that has most of them;
   * undefined if there is room
   */
  givesWay(tenant: string, share: number): string | undefined {
    let most = this.of(tenant).size;
    if (most >= share) return tenant;
    if (this.#size < this.#places) return undefined;
    let biggest = tenant;
    for (const [other, { size }] of this.#things)
      if (size > most) {
        biggest = other;
        most = size;
      }
    return biggest;
  }

  add(tenant: string, thing: Thing): void {
    const things = this.#things.get(tenant);
    if (things === undefined) this.#things.set(tenant, new Set([thing]));
    else things.add(thing);
    this.#size++;
  }

  delete(tenant: string, thing: Thing): void {
    const things = this.#things.get(tenant);
    if (things?.delete(thing) !== true) return;
    this.#size--;
    if (things.size === 0) this.#things.delete(tenant);
  }
}
