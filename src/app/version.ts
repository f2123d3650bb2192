import {version as packaged} from '../../package.json';

/** weft's own version, built in: the number stands in package.json only. */
export const version: string = packaged;
