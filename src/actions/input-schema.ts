import * as z from 'zod/mini';
import type {JsonObject} from '../base/json.ts';

/**
 * The JSON Schema of a tool's input, as models are given it. The build makes these once and puts them in the place of this module
 * (`.config/build.ts`), so that weft starts without making them.
 */
export function inputSchema(_tool: string, shape: () => z.ZodMiniType): JsonObject {
  const {$schema: _dialect, ...schema} = z.toJSONSchema(shape(), {
    io: 'input',
    override({jsonSchema}) {
      // A call with another field is refused in words (`known-fields.ts`). Saying so in each schema costs 560 bytes a request.
      delete jsonSchema.additionalProperties;
      // Bounds that are plain without a word would be sent with every request: no model means an empty text or less than nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum !== undefined && jsonSchema.minimum <= 1) delete jsonSchema.minimum;
      if (jsonSchema.exclusiveMinimum === 0) delete jsonSchema.exclusiveMinimum;
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema is JSON; the library types it with `unknown` leaves
  return schema as JsonObject;
}
