import type {EditDesk} from '../../../src/actions/files-port.ts';
import type {FileFinder} from '../../../src/actions/file-finder.ts';
import type {ImagePort} from '../../../src/actions/image-port.ts';
import type {BlockDesk} from '../../../src/actions/ports.ts';
import {defaultPreferences} from '../../../src/config/preferences.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {CommandPorts} from '../../../src/tui/command-ports.ts';
import type {TuiOptions} from '../../../src/tui/options.ts';

/** What the UI is started with where nothing lies around it: no files, no blocks, no editor, no settings. */
export function blankOptions({engine, stdin, stdout}: Pick<TuiOptions, 'engine' | 'stdin' | 'stdout'>): TuiOptions {
  let prompts = 0;
  return {
    engine,
    stdin,
    stdout,
    version: '1.2.3',
    directory: '~/project',
    firstPrompt: '',
    opening: 'composer',
    notices: [],
    lateNotices: async () => [],
    listSessions: () => [],
    blocks: noBlocks,
    history: {load: () => [], add: () => {}},
    files: noFiles,
    images: noImages,
    notes: {add: async () => ok('AGENTS.md')},
    editor: {edit: async () => failed('No editor is set.')},
    edits: noEdits,
    permissions: () => [],
    trust: {state: 'nothing', text: () => 'Nothing to trust.', accept: async () => 'Nothing to trust.'},
    look: 'plain',
    preferences: defaultPreferences,
    outside: nothingOutside,
    demo: 'none',
    newPromptId: () => messageId(`p${++prompts}`),
    modifiedKeys: 'no',
    keeper: {keep: () => {}, release: () => {}},
    job: {watch: () => ({stop: () => {}, close: () => {}})},
    clock: {now: () => performance.now()},
  };
}

/** A desk without blocks. */
export const noBlocks: BlockDesk = {
  list: () => [],
  watch: () => () => {},
  stop: async () => {},
  keep: () => {},
  attach: id => failed(rejected(`There is no block ${id}.`)),
};

/** A workspace without files. */
const noFiles: FileFinder = {find: async (_, tell) => tell({paths: [], state: 'complete'})};

/** A machine without images. */
const noImages: ImagePort = {
  read: async path => failed(rejected(`${path} is no image.`)),
  fromClipboard: async () => failed(rejected('There is no image on the clipboard.')),
};

/** A desk on which no edit lies. */
const noEdits: EditDesk = {plan: async () => ok([]), draft: async () => ok([])};

/** A machine without other sessions, a clipboard, settings or a repository. */
export const nothingOutside: CommandPorts = {
  records: () => [],
  sessions: {firstPrompts: () => new Map(), lastMessages: () => []},
  clipboard: {copy: async () => failed('There is no clipboard.')},
  exporter: {write: async () => ({kind: 'failed', message: 'There is nowhere to write.'})},
  settings: {list: async () => ok([]), set: async () => failed('There are no settings.')},
  doctor: async () => 'All works.',
  branch: () => '',
};
