import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {payloadField, resultField, shapeIn, snapshotField} from './payload-fields.ts';
import type {MessageShape, PayloadPlace, Shape} from './payload-fields.ts';
import type {PayloadTree} from './payload-tree.ts';

/**
 * A payload that somebody else has decoded, as `readTree` would have read it. Decoders without a schema leave a list of one as
 * its element, an empty message as `""`, an id of digits as a number. Where several known fields are given, which JSON cannot
 * put in order, the one that says most counts.
 */
export function normalTree(given: JsonObject, place: PayloadPlace): PayloadTree {
  const tree: {[key: string]: Json} = {};
  for (const [key, value] of Object.entries(given)) {
    const shape = shapeIn(Number(key), place, () => messagesIn(value).some(message => holdsList(message)));
    tree[key] = normal(value, shape);
  }
  return {tree, said: byWeight.find(field => isJsonObject(tree[field]))};
}

const byWeight = [payloadField.snapshot, payloadField.running, payloadField.cleared] as const;

function normal(value: Json, shape: Shape): Json {
  if (shape === 'guess') return value;
  if (shape === 'text') return typeof value === 'number' ? String(value) : value;
  const messages = messagesIn(value);
  return messages.length === 0 ? value : normalMessage(messages, shape);
}

/** A message given several times is all of them merged. */
function normalMessage(messages: readonly JsonObject[], shape: MessageShape): JsonObject {
  const tree: {[key: string]: Json} = {};
  for (const message of messages) {
    for (const [key, value] of Object.entries(message)) {
      const known = shape.get(Number(key));
      if (known?.holds !== 'list') tree[key] = known === undefined ? value : normal(value, known.shape);
      else tree[key] = [...listIn(tree[key]), ...listIn(value).map(one => normal(one, known.shape))];
    }
  }
  return tree;
}

const listIn = (value: Json | undefined): readonly Json[] => {
  if (value === undefined || value === null) return [];
  return isJsonList(value) ? value : [value];
};

const messagesIn = (value: Json | undefined): readonly JsonObject[] =>
  listIn(value)
    .map(one => (one === '' ? {} : one))
    .filter(isJsonObject);

/** As `shapeIn` asks for it: whether the first field is a list of todos, which of texts it is not. */
function holdsList(message: JsonObject): boolean {
  const inner = listIn(message[resultField.list]);
  return (
    inner.length > 0 && inner.every(one => one === '' || (isJsonObject(one) && Object.entries(one).every(isListField)))
  );
}

const isListField = ([key, value]: readonly [string, Json]): boolean =>
  (key === String(snapshotField.pending) || key === String(snapshotField.completed)) &&
  listIn(value).every(one => one === '' || isJsonObject(one));
