import protobuf, {Type} from 'protobufjs';
import {oneOf, type OneOf} from './record-fields.ts';
import {schema} from './task-protocol.proto';

/** The public messages of the task protocol, by name (`ResponseEvent`). The schema is read when the first one is asked for. */
export function messageType(name: string): Type {
  let type = types.get(name);
  if (type === undefined) {
    root ??= readSchema();
    type = root.lookupType(`weft.task.${name}`);
    types.set(name, type);
  }
  return type;
}

/** The names of the fields of a message's oneof; read from the schema when they are first asked for. */
export function namesIn(message: string, oneof: string): () => OneOf {
  let names: OneOf | undefined;
  return () => (names ??= oneOf(messageType(message).oneofs[oneof]?.oneof ?? []));
}

const types = new Map<string, Type>();
let root: protobuf.Root | undefined;

function readSchema(): protobuf.Root {
  const read = new protobuf.Root();
  for (const file of ['duration', 'empty', 'field_mask', 'struct', 'timestamp']) {
    const known = protobuf.common.get(`google/protobuf/${file}.proto`);
    if (known?.nested !== undefined) read.addJSON(known.nested);
  }
  protobuf.parse(schema, read, {keepCase: true});
  read.resolveAll();
  unlink(read);
  return read;
}

/**
 * Setting a field of a oneof deletes all its others, present or not, which makes decoding half as fast. Without the link a message
 * that has two of them, which no writer produces, keeps both; `chosen` takes the last.
 */
function unlink(space: protobuf.NamespaceBase): void {
  for (const inner of space.nestedArray) {
    if (inner instanceof Type)
      for (const field of inner.fieldsArray) if (field.resolvedType instanceof Type) field.partOf = null;
    if (inner instanceof protobuf.Namespace) unlink(inner);
  }
}
