import {name, version as packaged} from '../../package.json';

/** The version of weft from package.json, built in. */
export const version: string = packaged;

/** The name of weft in the registry. */
export const packageName: string = name;
