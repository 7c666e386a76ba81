/**
 * Replaces what differs from run to run: identifiers, secrets, times and addresses. The same value becomes the same
 * value everywhere in a scenario, and the order of appearance decides which one.
 */
import { createHash } from 'node:crypto';

/** The time at which each scenario begins. */
const BEGIN = Date.parse('2026-01-31T12:00:00.000Z');
const STEP_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Fencing tokens begin with the time, too. */
const FIRST_NUMBER = 1_795_311_261_334_116;

const digits = (text: string) => createHash('sha256').update(text).digest('hex');
const letters = (text: string, length: number) =>
  createHash('sha512').update(text).digest('base64').replaceAll(/[^\w]/g, '').slice(0, length);

export class Normaliser {
  readonly #scenario: string;
  /** Names in place of tenants and addresses. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #known = new Map<string, string>();
  /** When the steps began. */
  readonly #steps: number[] = [];
  #count = 0;

  constructor(scenario: string, names: ReadonlyMap<string, string>) {
    this.#scenario = scenario;
    this.#names = names;
  }

  /** Is called before each request. */
  begin(): void {
    this.#steps.push(Date.now());
  }

  /** @returns the same value with stable identifiers and times */
  normal<T>(value: T): T {
    return JSON.parse(this.#text(JSON.stringify(value)));
  }

  #text(json: string): string {
    let text = json;
    for (const [from, to] of this.#names) text = text.replaceAll(from, to);
    return (
      text
        .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl')
        .replaceAll(
          /\b(hf[mt]?_[a-z0-9-]+_)([A-Za-z0-9._-]{20,})/g,
          (_, head, secret) => head + this.#as(secret, this.#secret),
        )
        .replaceAll(/(\/join\/)([\w-]{20,})/g, (_, head, secret) => head + this.#as(secret, this.#secret))
        .replaceAll(/[\da-f]{8}-[\da-f]{4}-([\da-f])[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id, version) =>
          this.#as(id, (n) => this.#uuid(n, version)),
        )
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, (time) => this.#as(time, () => this.#time(time)))
        .replaceAll(/"(\d{4}-\d\d-\d\d)"/g, (_, day) => `"${this.#day(day)}"`)
        .replaceAll(/(?<!\d)1[7-9]\d{11}-(?=1[7-9]\d{14}(?!\d))/g, `${BEGIN}-`)
        .replaceAll(/(?<!\d)1[7-9]\d{14}(?!\d)/g, (number) => this.#as(number, this.#number))
        .replaceAll(/whsec_[\w+/=]{20,}/g, (secret) => this.#as(secret, (n) => `whsec_${this.#secret(n)}`))
        .replaceAll(/msg_[\w-]{20,}/g, (id) => this.#as(id, (n) => `msg_${this.#secret(n).slice(0, 24)}`))
        .replaceAll(/"durationMs":\d+/g, '"durationMs":87')
        .replaceAll(/"expiresIn":\d+/g, '"expiresIn":600')
        .replaceAll(/"waitedMs":\d+/g, '"waitedMs":7310')
        // The same in CSV, nine columns after the kind.
        .replaceAll(/(,WAIT,(?:[^,]*,){9})\d+/g, (_, before) => `${before}7310`)
        .replaceAll(/"(retryAfter|Retry-After)":("?)\d{2,}("?)/g, '"$1":$260$3')
        .replaceAll(/;t=\d+/g, ';t=60')
        .replaceAll('127.0.0.1', '192.0.2.7')
    );
  }

  #as(value: string, make: (count: number) => string): string {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const made = make(this.#count++);
    this.#known.set(value, made);
    // A name from a response is sent again as it was.
    this.#known.set(made, made);
    return made;
  }

  readonly #secret = (count: number) => letters(`${this.#scenario} secret ${count}`, 40);
  readonly #number = (count: number) => String(FIRST_NUMBER + count);

  #uuid(count: number, version: string): string {
    const hex = digits(`${this.#scenario} ${count}`);
    const head = version === '7' ? '019c14a0' : hex.slice(0, 8);
    return `${head}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** A time after the present step keeps its distance from it; one before is that of the step it is of. */
  #time(time: string): string {
    const at = Date.parse(time);
    const atHour = at % HOUR_MS === 0;
    const [first = at] = this.#steps;
    if (atHour && at < first + HOUR_MS) return iso(BEGIN + at - Math.floor(first / HOUR_MS) * HOUR_MS);
    const last = this.#steps.length - 1;
    const began = this.#steps[last] ?? at;
    if (at >= began) return iso(BEGIN + last * STEP_MS + Math.round((at - began) / 1000) * 1000);
    const step = this.#steps.findLastIndex((one) => one <= at);
    return iso(BEGIN + Math.max(step, 0) * STEP_MS);
  }

  /** A day keeps its distance from that of the first step. */
  #day(day: string): string {
    const [first = Date.parse(day)] = this.#steps;
    return iso(BEGIN + Date.parse(day) - Math.floor(first / DAY_MS) * DAY_MS).slice(0, 10);
  }
}

const iso = (ms: number) => new Date(ms).toISOString();
