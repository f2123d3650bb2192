import type {Plugin} from 'rolldown';
import {actionNames, definitions} from '../src/actions/catalogue.ts';

/** Puts the finished JSON Schemas of all tools in the place of the module that makes them. */
export const toolSchemas: Plugin = {
  name: 'tool-schemas',
  transform: {
    filter: {id: /src\/actions\/input-schema\.ts$/u},
    handler() {
      const schemas = Object.fromEntries(
        actionNames.flatMap(action => definitions[action].tools.map(({name, wholeSchema}) => [name, wholeSchema()])),
      );
      return {
        code: `const schemas = ${JSON.stringify(schemas)};\nexport const inputSchema = tool => schemas[tool];\n`,
        moduleType: 'js',
        map: null,
      };
    },
  },
};
