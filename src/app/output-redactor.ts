import {randomBytes} from 'node:crypto';
import {makeRedactor, type Redactor} from '../safety/secrets/redactor.ts';

/** Makes a redactor for what weft itself prints and logs. It knows the secrets of an environment, and reads no files. */
export const outputRedactor = (environment: Readonly<Record<string, string | undefined>>): Redactor =>
  makeRedactor({
    environment: {...environment},
    files: {inRoots: () => [], everywhere: () => []},
    key: () => randomBytes(32),
  });
