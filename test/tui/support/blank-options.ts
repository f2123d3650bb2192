import {defaultPreferences} from '../../../src/config/settings-schema.ts';
import {noMedia} from '../../../src/tui/terminal/media.ts';
import {failed} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {ClipboardPort, TuiOptions} from '../../../src/tui/options.ts';

/** No clipboard. */
export const noClipboard: ClipboardPort = {
  copy: async () => failed('There is no clipboard.'),
  readImage: async () => failed(rejected('No image in the clipboard')),
};

/** What the UI is started with where nothing lies around it: no files, no blocks, no editor, no settings. */
export function blankOptions({engine, stdin, stdout}: Pick<TuiOptions, 'engine' | 'stdin' | 'stdout'>): TuiOptions {
  let prompts = 0;
  return {
    engine,
    stdin,
    stdout,
    version: '1.2.3',
    directory: '~/project',
    home: '/home/user',
    firstPrompt: '',
    opening: 'composer',
    instructions: [],
    notices: [],
    lateNotices: () => [],
    clipboard: noClipboard,
    editor: {edit: async () => failed('No editor is set.')},
    runWeft: async () => '',
    statusLine: {print: async () => failed('was not found')},
    loadThemes: async () => [],
    look: 'plain',
    media: noMedia,
    effort: 'default',
    preferences: defaultPreferences,
    demo: 'none',
    workAfter: 'stops',
    runningSessions: () => [],
    newPromptId: () => messageId(`p${++prompts}`),
    modifiedKeys: 'no',
    restorer: {keep: () => {}, release: () => {}},
    job: {watch: () => ({stop: () => {}, close: () => {}})},
    clock: {now: () => performance.now(), date: () => 720_000},
  };
}
