import {version as packaged} from '../../package.json';

/** The version of weft from package.json, built in. */
export const version: string = packaged;
