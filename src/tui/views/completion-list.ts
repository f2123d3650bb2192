import type {CommandInfo} from '../commands/command-info.ts';
import {listRow} from '../panels/panel.ts';
import type {Frame} from '../text/wrap.ts';

/** The commands a draft may become, the chosen one pointed at. */
export const completionList = (offered: readonly CommandInfo[], row: number, frame: Frame): readonly string[] =>
  offered.map(({usage, summary}, at) =>
    listRow(`${usage.padEnd(16)} ${summary}`, at === row ? 'chosen' : 'other', frame),
  );
