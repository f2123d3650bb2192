import {homedir} from 'node:os';
import {resolve} from 'node:path';
import {placesOf, type Places} from '../config/places.ts';
import type {OwnPlaces} from '../safety/own-places.ts';

/** Where this user's weft keeps things. */
export const userPlaces = (): Places => placesOf({platform: process.platform, env: process.env, home: homedir()});

/** What of it no command and no edit may change unasked. */
export const ownPlaces = ({config, data}: Places, environment: NodeJS.ProcessEnv): OwnPlaces => ({
  folders: [...new Set([config, data].map(folder => resolve(folder)))],
  variables: Object.fromEntries(
    ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'WEFT_HOME', 'APPDATA', 'LOCALAPPDATA'].flatMap(name => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  ),
});
