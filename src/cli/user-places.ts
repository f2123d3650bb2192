import {homedir} from 'node:os';
import {placesOf, type Places} from '../config/places.ts';

/** Where this user's weft keeps things. */
export const userPlaces = (): Places => placesOf({platform: process.platform, env: process.env, home: homedir()});
