/** A plugin of the bundler and of vitest: `import {schema} from './x.proto'` is the file's text. */
export const protoAsText = {
  name: 'proto-as-text',
  transform: {
    filter: {id: /\.proto$/u},
    handler: (code: string) => ({
      code: `export const schema = ${JSON.stringify(code)};`,
      moduleType: 'js' as const,
      map: null,
    }),
  },
};
