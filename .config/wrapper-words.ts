import type {Plugin} from 'rolldown';
import {wrapperWords as words} from '../src/safety/rules/wrapper-words.ts';

/** Puts the finished table of wrappers in the place of the module that makes it of all programs. */
export const wrapperWords: Plugin = {
  name: 'wrapper-words',
  transform: {
    filter: {id: /src\/safety\/rules\/wrapper-words\.ts$/u},
    handler: () => ({
      code: `export const wrapperWords = new Map(${JSON.stringify([...words])});\n`,
      moduleType: 'js',
      map: null,
    }),
  },
};
