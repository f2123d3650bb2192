import {isJsonObject, parseJson, type Json, type JsonObject} from '../../base/json.ts';
import {base64Of, bytesOfBase64} from './base64.ts';
import {encodePayload} from './encode-payload.ts';
import {encodeTree} from './encode-tree.ts';
import {normalTree} from './normal-tree.ts';
import type {PayloadPlace} from './payload-fields.ts';
import {meaningOf} from './payload-meaning.ts';
import {readPayloadBytes} from './read-payload-bytes.ts';
import type {PayloadRead} from './response-event.ts';

/**
 * Reads a payload in any of the forms the field is seen to hold: an object that is decoded already, JSON text of one, base64 or
 * base64url text, padded or not, in quotes or not. Absent and empty is a payload without fields. Nothing throws. A payload that
 * comes again is not decoded again.
 */
export function readPayload(given: Json | undefined, place: PayloadPlace): PayloadRead {
  if (given === undefined || given === null) return nothing;
  if (typeof given === 'string') return remembered(given, place);
  return isJsonObject(given) ? ofObject(given, place) : unreadable('neither text nor an object', 0);
}

/** The text of a payload for the wire: as it was read, else made of its tree or, without one, of what it says. */
export function payloadText(payload: PayloadRead): string {
  const text = texts.get(payload);
  if (text !== undefined) return text;
  if (payload.tag === 'failed') return '';
  const isEmpty = Object.keys(payload.tree).length === 0;
  return base64Of(isEmpty ? encodePayload(payload.meaning) : encodeTree(payload.tree));
}

const nothing: PayloadRead = {tag: 'ok', tree: {}, meaning: {kind: 'other', fields: []}};

/** Base64 by which each reading came; the readings are shared, so this is no more than one text for each. */
const texts = new WeakMap<PayloadRead, string>();

/** The payloads read last. Long ones are rare, and not worth holding on to. */
const memory = new Map<string, PayloadRead>();
const mostRemembered = 512;
const longestRemembered = 8192;

function remembered(text: string, place: PayloadPlace): PayloadRead {
  if (text.length > longestRemembered) return ofText(text, place);
  const key = `${place} ${text}`;
  const known = memory.get(key);
  if (known !== undefined) return known;
  const read = ofText(text, place);
  if (memory.size >= mostRemembered) memory.clear();
  memory.set(key, read);
  return read;
}

function ofText(given: string, place: PayloadPlace): PayloadRead {
  const text = unquoted(given.trim());
  if (text.startsWith('{')) {
    const parsed = parseJson(text);
    if (parsed.tag === 'failed') return unreadable(`not JSON (${parsed.error})`, 0);
    return isJsonObject(parsed.value) ? ofObject(parsed.value, place) : nothing;
  }
  const bytes = bytesOfBase64(text);
  if (bytes.tag === 'failed') return unreadable('not base64', bytes.error);
  const read = readPayloadBytes(bytes.value, place);
  texts.set(read, text);
  return read;
}

/** What stands in quotes is JSON's own text, where it is that. */
export function unquoted(text: string): string {
  const [mark] = text;
  if (text.length < 2 || (mark !== '"' && mark !== "'") || !text.endsWith(mark)) return text;
  const parsed = mark === '"' ? parseJson(text) : undefined;
  return (parsed?.tag === 'ok' && typeof parsed.value === 'string' ? parsed.value : text.slice(1, -1)).trim();
}

function ofObject(given: JsonObject, place: PayloadPlace): PayloadRead {
  const tree = normalTree(given, place);
  return {tag: 'ok', tree: tree.tree, meaning: meaningOf(tree, place) ?? {kind: 'other', fields: []}};
}

const unreadable = (message: string, position: number): PayloadRead => ({tag: 'failed', position, message});
