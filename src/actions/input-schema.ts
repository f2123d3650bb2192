import * as z from 'zod/mini';
import type {JsonObject} from '../base/json.ts';

/**
 * Returns the JSON Schema of a tool's input, as models get it. The build generates these once and replaces this module with them
 * (`.config/build.ts`), so that weft does not make them at every start.
 */
export function inputSchema(_tool: string, shape: () => z.ZodMiniType): JsonObject {
  const {$schema: _dialect, ...schema} = z.toJSONSchema(shape(), {
    io: 'input',
    override({jsonSchema}) {
      // `normalize-fields.ts` rejects unknown fields with a clear message. Saying so in each schema would cost 560 bytes a request.
      delete jsonSchema.additionalProperties;
      // Some providers refuse bounds, and llama.cpp can't build a grammar for large ones. An input out of bounds gets a clear message.
      for (const bound of bounds) delete jsonSchema[bound];
      // Some providers refuse a choice between types, so models are offered its first one.
      const [first] = jsonSchema.anyOf ?? [];
      if (first === undefined) return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, first);
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema is JSON; the library types it with `unknown` leaves
  return schema as JsonObject;
}

const bounds = [
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;
