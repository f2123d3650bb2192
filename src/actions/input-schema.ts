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
      // Obvious bounds would be sent with every request, although no model means an empty text or a negative number.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum !== undefined && jsonSchema.minimum <= 1) delete jsonSchema.minimum;
      if (jsonSchema.exclusiveMinimum === 0) delete jsonSchema.exclusiveMinimum;
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema is JSON; the library types it with `unknown` leaves
  return schema as JsonObject;
}
