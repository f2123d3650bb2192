import type {AgentEvent} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {ReadImage} from '../../actions/image-port.ts';
import {expanded, isEmptyDraft, pasted, typed} from '../input/draft.ts';
import {rewritten} from '../input/editing.ts';
import {handedCommand, handedPrompt, keepNote, mostImages, tooManyImages, type Handed} from '../input/handed.ts';
import {listFor, noMention, withFound} from '../input/mention-list.ts';
import type {ComposerWork} from '../input/effect.ts';
import type {Ui} from '../input/ui.ts';
import type {TuiOptions} from '../options.ts';
import {promptQueued, told} from '../state/reduce.ts';
import type {View} from '../state/view.ts';

/** What the composer's work reads and changes. */
export interface ComposerDesk {
  readonly options: TuiOptions;
  ui(): Ui;
  view(): View;
  show(changed: {readonly ui?: Ui; readonly view?: View}): void;
}

/** What comes of entering a draft, and of what goes with it: prompts, commands, notes, images, files to mention. */
export class Composer {
  readonly #desk: ComposerDesk;
  readonly #closing = new AbortController();
  /** Of the search for files whose letters are typed now. */
  #search = new AbortController();
  #sought = '';

  constructor(desk: ComposerDesk) {
    this.#desk = desk;
  }

  close(): void {
    this.#closing.abort();
    this.#search.abort();
  }

  perform(work: ComposerWork): void {
    const {options} = this.#desk;
    switch (work.kind) {
      case 'send':
        options.history.add(work.text);
        this.send(work.text, work.when);
        return;
      case 'run-command': {
        options.history.add(`!${work.command}`);
        this.#hand(handedCommand(options.newPromptId(), work.command));
        return;
      }
      case 'note':
        options.history.add(`# ${work.note}`);
        void this.#note(work.note);
        return;
      case 'images':
        void this.#images(work);
        return;
      case 'clipboard':
        void this.#clipboard();
        return;
      default:
        unreachable(work);
    }
  }

  /** Hands a prompt to the engine, with the images above the composer. */
  send(words: string, when: 'queued' | 'steering'): void {
    const ui = this.#desk.ui();
    const {images} = ui;
    if (images.length > 0) this.#desk.show({ui: {...ui, images: []}});
    this.#hand(handedPrompt(this.#desk.options.newPromptId(), {words, images, when}));
  }

  /**
   * Prompts that `events` tell to be dropped before they were taken up are the user's work: they go ahead of the draft. A command comes back only
   * alone, since together with other words it would be another one; the history has it in any case.
   */
  giveBack(events: readonly AgentEvent[]): void {
    const ids = events.flatMap(event => (event.event === 'prompt-withdrawn' ? [event.id] : []));
    const withdrawn = this.#desk.view().queued.filter(({id}) => ids.includes(id));
    const ui = this.#desk.ui();
    const own = isEmptyDraft(ui.draft) ? [] : [expanded(ui.draft)];
    const isAlone = withdrawn.length === 1 && own.length === 0;
    const dropped = withdrawn.filter(({when}) => isAlone || when !== 'command');
    if (dropped.length === 0) return;
    const words = [...dropped.map(prompt => prompt.typed), ...own].filter(text => text !== '').join('\n\n');
    const images = [...dropped.flatMap(prompt => prompt.images), ...ui.images];
    this.#desk.show({ui: {...rewritten(ui, words), images}});
  }

  /** Brings the list of files in line with the draft; to be called after every press. */
  followDraft(): void {
    const {options} = this.#desk;
    const ui = this.#desk.ui();
    const {vim} = ui.editing;
    const types = vim === 'off' || vim.mode === 'insert';
    const mentions = types ? listFor(ui.draft, ui.mentions) : noMention;
    if (mentions !== ui.mentions) this.#desk.show({ui: {...ui, mentions}});
    const sought = mentions.kind === 'open' ? `${mentions.from} ${mentions.letters}` : '';
    if (sought === this.#sought) return;
    this.#sought = sought;
    this.#search.abort();
    if (mentions.kind !== 'open') return;
    this.#search = new AbortController();
    const {letters} = mentions;
    void options.files.find(
      letters,
      found => {
        const now = this.#desk.ui();
        const next = withFound(now.mentions, letters, found);
        if (next !== now.mentions) this.#desk.show({ui: {...now, mentions: next}});
      },
      this.#search.signal,
    );
  }

  #hand({prompt, op}: Handed): void {
    this.#desk.show({view: promptQueued(this.#desk.view(), prompt)});
    this.#desk.options.engine.submit(op);
  }

  #tell(level: 'info' | 'warning', text: string): void {
    if (!this.#closing.signal.aborted) this.#desk.show({view: told(this.#desk.view(), level, text)});
  }

  async #note(note: string): Promise<void> {
    const {options} = this.#desk;
    const added = await keepNote(note, options);
    if (added.tag === 'failed') {
      this.#tell('warning', faultText(added.error));
      const ui = this.#desk.ui();
      if (isEmptyDraft(ui.draft)) this.#desk.show({ui: rewritten(ui, `# ${note}`)});
      return;
    }
    this.#tell('info', `Remembered in ${added.value}: ${note}`);
  }

  /** What cannot be attached goes to the draft as it was pasted: it may have been meant as text. */
  async #images({paths, press}: Extract<ComposerWork, {readonly kind: 'images'}>): Promise<void> {
    const {options} = this.#desk;
    const read = await Promise.all(paths.map(async path => options.images.read(path, this.#closing.signal)));
    const images = read.flatMap(one => (one.tag === 'ok' ? [one.value] : []));
    if (images.length === paths.length) {
      this.#attach(images);
      return;
    }
    const ui = this.#desk.ui();
    this.#desk.show({
      ui: {...ui, draft: press.kind === 'text' ? typed(ui.draft, press.text) : pasted(ui.draft, press.text)},
    });
    for (const one of read) if (one.tag === 'failed') this.#tell('warning', faultText(one.error));
  }

  async #clipboard(): Promise<void> {
    const read = await this.#desk.options.images.fromClipboard(this.#closing.signal);
    if (read.tag === 'ok') this.#attach([read.value]);
    else this.#tell('warning', faultText(read.error));
  }

  #attach(images: readonly ReadImage[]): void {
    const ui = this.#desk.ui();
    if (ui.images.length + images.length > mostImages) {
      this.#tell('warning', tooManyImages);
      return;
    }
    this.#desk.show({ui: {...ui, images: [...ui.images, ...images]}});
  }
}
