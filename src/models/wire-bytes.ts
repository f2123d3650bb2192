import {wireJson} from './sendable-request.ts';

/** The bytes of the first messages of a conversation, as JSON with a comma after each. */
interface Prefix {
  readonly messages: object[];
  /** Where each message ends in `bytes`. */
  readonly ends: number[];
  bytes: Buffer;
}

/** The messages whose JSON is kept, and the prefixes by their first message. They go with the messages. */
const lasting = new WeakSet<object>();
const prefixes = new WeakMap<object, Prefix>();

/** Lets `wireBytes` keep the bytes of a message that never changes. Each request begins with the messages of the one before. */
export function keepBytes<Form extends object>(message: Form): Form {
  lasting.add(message);
  return message;
}

/** Returns a request's body as `wireJson` writes it, in UTF-8. The cost of a message that is kept is that of a copy. */
export function wireBytes(body: object): Uint8Array {
  const messages = 'messages' in body && isObjects(body.messages) ? body.messages : [];
  const firstOther = messages.findIndex(message => !lasting.has(message));
  const kept = firstOther < 0 ? messages : messages.slice(0, firstOther);
  const [first] = kept;
  if (first === undefined) return Buffer.from(wireJson(body));
  const json = wireJson({...body, messages: []});
  const at = messagesAt(body);
  const rest = messages.slice(kept.length).map(wireJson).join(',');
  const prefix = prefixOf(first, kept);
  return Buffer.concat([
    Buffer.from(json.slice(0, at)),
    // Without other messages, the last comma is left out.
    rest === '' ? prefix.subarray(0, -1) : prefix,
    Buffer.from(rest + json.slice(at)),
  ]);
}

const isObjects = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every(item => typeof item === 'object' && item !== null);

/** Returns where the messages go in the JSON of a body without messages. */
function messagesAt(body: object): number {
  const before = Object.entries<unknown>({...body});
  const fields = before.slice(
    0,
    before.findIndex(([name]) => name === 'messages'),
  );
  const json = wireJson({...Object.fromEntries(fields), messages: []});
  return json.length - ']}'.length;
}

function prefixOf(first: object, messages: readonly object[]): Buffer {
  const prefix = prefixes.get(first) ?? {messages: [], ends: [], bytes: Buffer.alloc(0)};
  prefixes.set(first, prefix);
  const changed = prefix.messages.findIndex((message, at) => message !== messages[at]);
  const known = changed < 0 ? prefix.messages.length : changed;
  prefix.messages.length = known;
  prefix.ends.length = known;
  let end = prefix.ends.at(-1) ?? 0;
  for (const message of messages.slice(known)) {
    const bytes = Buffer.from(`${wireJson(message)},`);
    if (end + bytes.length > prefix.bytes.length) {
      prefix.bytes = Buffer.concat([prefix.bytes.subarray(0, end)], Math.ceil((end + bytes.length) * growth));
    }
    end += bytes.copy(prefix.bytes, end);
    prefix.messages.push(message);
    prefix.ends.push(end);
  }
  return prefix.bytes.subarray(0, end);
}

/** How much longer memory is made than it has to be, so that it is seldom copied. */
const growth = 1.25;
