import * as z from 'zod/mini';
import {settingDescriptions, settingsFile} from '../src/config/settings-schema.ts';

/** The JSON Schema of a settings file, for editors: `dist/settings.schema.json`. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> & {
  readonly properties: Readonly<Record<string, unknown>>;
} {
  const {properties = {}, ...schema} = z.toJSONSchema(settingsFile, {
    io: 'input',
    // A key that weft does not know is only a warning, and any object names a server.
    unrepresentable: 'any',
    override({jsonSchema}) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      delete jsonSchema.readOnly;
    },
  });
  const described = settingDescriptions().map(({key, about, example}) => {
    const own = properties[key];
    return [key, {description: about, examples: [JSON.parse(example)], ...(typeof own === 'object' ? own : {})}];
  });
  return {
    ...schema,
    title: 'Settings of weft',
    properties: {
      $schema: {description: 'The path or address of this schema, for editors.', type: 'string'},
      ...Object.fromEntries(described),
    },
  };
}
