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
      // A call with another field is refused (`known-fields.ts`).
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
      // The bounds of every whole number, which zod writes out, tell a model nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema is JSON; the library types it with `unknown` leaves
  return schema as JsonObject;
}
