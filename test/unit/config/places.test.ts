import {expect, test} from 'vitest';
import {placesOf} from '../../../src/config/places.ts';

test.each<[string, Parameters<typeof placesOf>[0], ReturnType<typeof placesOf>]>([
  [
    'Linux',
    {platform: 'linux', env: {}, home: '/home/u'},
    {
      config: '/home/u/.config/weft',
      data: '/home/u/.local/share/weft',
      settings: '/home/u/.config/weft/settings.json',
      database: '/home/u/.local/share/weft/weft.db',
      trust: '/home/u/.local/share/weft/trust.json',
      blocks: '/home/u/.local/share/weft/blocks',
      checkpoints: '/home/u/.local/share/weft/checkpoints',
      history: '/home/u/.local/share/weft/history.jsonl',
      placeholderKey: '/home/u/.local/share/weft/placeholder.key',
      credentials: '/home/u/.local/share/weft/credentials.json',
    },
  ],
  [
    'XDG folders, the relative and the empty one ignored',
    {platform: 'freebsd', env: {XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: 'd', XDG_STATE_HOME: ''}, home: '/home/u'},
    {
      config: '/c/weft',
      data: '/home/u/.local/share/weft',
      settings: '/c/weft/settings.json',
      database: '/home/u/.local/share/weft/weft.db',
      trust: '/home/u/.local/share/weft/trust.json',
      blocks: '/home/u/.local/share/weft/blocks',
      checkpoints: '/home/u/.local/share/weft/checkpoints',
      history: '/home/u/.local/share/weft/history.jsonl',
      placeholderKey: '/home/u/.local/share/weft/placeholder.key',
      credentials: '/home/u/.local/share/weft/credentials.json',
    },
  ],
  [
    'WEFT_HOME before all',
    {platform: 'linux', env: {WEFT_HOME: '/w', XDG_CONFIG_HOME: '/c'}, home: '/home/u'},
    {
      config: '/w',
      data: '/w',
      settings: '/w/settings.json',
      database: '/w/weft.db',
      trust: '/w/trust.json',
      blocks: '/w/blocks',
      checkpoints: '/w/checkpoints',
      history: '/w/history.jsonl',
      placeholderKey: '/w/placeholder.key',
      credentials: '/w/credentials.json',
    },
  ],
  [
    'macOS',
    {platform: 'darwin', env: {XDG_CONFIG_HOME: '/c'}, home: '/Users/u'},
    {
      config: '/Users/u/Library/Application Support/weft',
      data: '/Users/u/Library/Application Support/weft',
      settings: '/Users/u/Library/Application Support/weft/settings.json',
      database: '/Users/u/Library/Application Support/weft/weft.db',
      trust: '/Users/u/Library/Application Support/weft/trust.json',
      blocks: '/Users/u/Library/Application Support/weft/blocks',
      checkpoints: '/Users/u/Library/Application Support/weft/checkpoints',
      history: '/Users/u/Library/Application Support/weft/history.jsonl',
      placeholderKey: '/Users/u/Library/Application Support/weft/placeholder.key',
      credentials: '/Users/u/Library/Application Support/weft/credentials.json',
    },
  ],
  [
    'Windows',
    {platform: 'win32', env: {APPDATA: 'D:\\Roaming'}, home: 'C:\\Users\\u'},
    {
      config: 'D:\\Roaming\\weft',
      data: 'C:\\Users\\u\\AppData\\Local\\weft',
      settings: 'D:\\Roaming\\weft\\settings.json',
      database: 'C:\\Users\\u\\AppData\\Local\\weft\\weft.db',
      trust: 'C:\\Users\\u\\AppData\\Local\\weft\\trust.json',
      blocks: 'C:\\Users\\u\\AppData\\Local\\weft\\blocks',
      checkpoints: 'C:\\Users\\u\\AppData\\Local\\weft\\checkpoints',
      history: 'C:\\Users\\u\\AppData\\Local\\weft\\history.jsonl',
      placeholderKey: 'C:\\Users\\u\\AppData\\Local\\weft\\placeholder.key',
      credentials: 'C:\\Users\\u\\AppData\\Local\\weft\\credentials.json',
    },
  ],
])('%s', (_, user, places) => {
  expect(placesOf(user)).toEqual(places);
});
