/**
 * The parts of `Headers` and `Response` that the SDKs use. Node's own classes load all of undici at their first use,
 * which costs 60 ms of processor time: a quarter of one short answer. The build gives these classes to the SDKs instead
 * of the globals. Unbundled, as in tests, the SDKs use the globals, and `fetch` of `http-fetch.ts` accepts both.
 */
export class HttpHeaders implements Headers {
  /** The values by lower-case name. */
  readonly #values = new Map<string, string[]>();

  constructor(init?: RequestInit['headers']) {
    if (init === undefined) return;
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) {
      if (name === undefined || value === undefined) continue;
      for (const one of Array.isArray(value) ? value : [value]) this.append(name, String(one));
    }
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    this.#values.set(key, [...(this.#values.get(key) ?? []), value.trim()]);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [value.trim()]);
  }

  getSetCookie(): string[] {
    return [...(this.#values.get('set-cookie') ?? [])];
  }

  forEach(callback: (value: string, key: string, parent: Headers) => void): void {
    for (const [name, value] of this) callback(value, name, this);
  }

  /** Yields the headers in the order of their names. Cookies are never joined. */
  *entries(): Generator<[string, string]> {
    for (const [name, values] of [...this.#values].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (name === 'set-cookie') for (const value of values) yield [name, value];
      else yield [name, values.join(', ')];
    }
  }

  *keys(): Generator<string> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
}

export interface HttpResponseOptions {
  /** The body for `text` and `json`: the server's error message. Empty for a successful response, whose body is a Node stream. */
  readonly text: string;
  /** Any number that a server can send. */
  readonly status: number;
  readonly headers: HttpHeaders;
}

/** A response whose text, if it has one, has been read completely. */
export class HttpResponse implements Response {
  readonly body = null;
  readonly bodyUsed = false;
  readonly redirected = false;
  readonly statusText = '';
  readonly type = 'default';
  readonly url = '';
  readonly headers: HttpHeaders;
  readonly status: number;
  readonly #text: string;

  constructor({text, status, headers}: HttpResponseOptions) {
    this.#text = text;
    this.status = status;
    this.headers = headers;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  text(): Promise<string> {
    return Promise.resolve(this.#text);
  }

  json(): Promise<unknown> {
    return Promise.resolve(this.#text).then(text => JSON.parse(text));
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return Promise.resolve(new TextEncoder().encode(this.#text));
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.bytes().then(bytes => bytes.buffer);
  }

  blob(): Promise<Blob> {
    return this.bytes().then(bytes => new Blob([bytes]));
  }

  formData(): Promise<FormData> {
    return Promise.reject(new TypeError('This response holds no form.'));
  }

  clone(): HttpResponse {
    return new HttpResponse({text: this.#text, status: this.status, headers: this.headers});
  }
}
