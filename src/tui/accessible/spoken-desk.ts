import type {TuiExit, TuiOptions} from '../options.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import {Appearance} from '../session/appearance.ts';
import {completions} from '../input/commands.ts';
import type {Panel} from '../panels/panel.ts';
import type {View} from '../state/view.ts';
import type {Dialogue} from './dialogue.ts';
import {panelDialogue} from './panel-dialogue.ts';
import {spokenCommands, type SpokenDesk} from './spoken-commands.ts';

export interface SpokenDeskHost {
  readonly options: TuiOptions;
  view(): View;
  loadLexer(): Promise<MarkdownLexer>;
  readonly say: (...lines: readonly string[]) => void;
  ask(dialogue: Dialogue): void;
  repeat(): void;
  stop(): void;
  queue(text: string): void;
  attach(path: string): void;
  edit(): void;
  leave(exit: TuiExit): void;
}

/** What slash commands work with here: no colours, no width to keep to, and no vim. */
export function openSpokenDesk(host: SpokenDeskHost): SpokenDesk {
  const {options, say} = host;
  const appearance = new Appearance('plain', 'summary');
  const frame = {theme: appearance.theme, width: panelWidth, verbosity: appearance.verbosity};
  const room = {frame, rows: panelRows};
  const now = () => ({view: host.view(), blocks: options.blocks.list()});
  const openPanel = (panel: Panel): void =>
    host.ask(
      panelDialogue(panel, {
        place: () => ({...room, ...now()}),
        context: () => ({
          ...room,
          ...now(),
          commands: desk.commands,
          now: options.clock.now(),
          place: 'first',
          width: panelWidth,
        }),
      }),
    );
  const desk: SpokenDesk = {
    options,
    commands: spokenCommands(options.demo, () => desk),
    get view() {
      return host.view();
    },
    frame,
    appearance,
    // Nothing is counted while it runs.
    times: () => ({elapsedMs: 0, retryInMs: 0, actions: new Map(), costPerMinute: 'unknown'}),
    loadLexer: () => host.loadLexer(),
    tell(level, text) {
      const [first = '', ...rest] = text.split('\n');
      say(level === 'warning' ? `Warning: ${first}` : first, ...rest);
    },
    print: lines => say(...lines),
    submit: op => options.engine.submit(op),
    open: openPanel,
    read: openPanel,
    edit: () => host.edit(),
    switchVim: () => 'off',
    leave: exit => host.leave(exit),
    ask: dialogue => host.ask(dialogue),
    repeat: () => host.repeat(),
    stop: () => host.stop(),
    queue: text => host.queue(text),
    attach: path => host.attach(path),
  };
  return desk;
}

/** What panels of the screen UI are laid out for: wide enough to cut little, and finite. */
const panelWidth = 200;
const panelRows = 40;

/** How the name of a command that is being typed goes on, as far as that is sure; and which ones there are, where it is not. */
export function completion(
  text: string,
  {commands}: SpokenDesk,
): {readonly more: string; readonly names: readonly string[]} {
  const begun = text.slice(1).toLowerCase();
  const names = completions(text, commands)
    .map(({name}) => name)
    .filter(name => name.startsWith(begun));
  const [only] = names;
  return names.length === 1 && only !== undefined ? {more: only.slice(begun.length), names: []} : {more: '', names};
}
