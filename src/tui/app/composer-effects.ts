import {documentPrefix} from '../../domain/document.ts';
import type {FoundFiles, ReadImage} from '../../actions/files-port.ts';
import {replaceFieldText} from '../editor/text-field.ts';
import type {ComposerRequest} from '../state/effect.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import {answerOutcome} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import {draftText, isEmptyDraft, pasteText, typeText} from '../editor/draft.ts';
import {
  type Submission,
  commandSubmission,
  promptSubmission,
  submitNote,
  maxImages,
  tooManyImages,
} from '../state/submission.ts';
import {updateMentions, noMention, withFoundFiles} from '../state/mention-list.ts';
import type {Ui} from '../state/ui.ts';
import type {TuiOptions} from '../options.ts';
import {withQueuedPrompt, withNotice} from '../state/reduce.ts';
import type {QueuedPrompt, View} from '../state/view.ts';
import {sizeOf} from '../terminal/terminal-output.ts';

export interface ComposerEffectsHost {
  readonly options: TuiOptions;
  ui(): Ui;
  view(): View;
  show(changed: {readonly ui?: Ui; readonly view?: View}): void;
}

/** Submits what the user enters: prompts, commands, notes and images. Also searches the files that a draft mentions. */
export class ComposerEffects {
  readonly #host: ComposerEffectsHost;
  readonly #closing = new AbortController();
  #search = new AbortController();
  #sought = '';
  /** The prompt that has begun, while the model was not asked yet. */
  #begun: readonly QueuedPrompt[] = [];

  constructor(host: ComposerEffectsHost) {
    this.#host = host;
  }

  close(): void {
    this.#closing.abort();
    this.#search.abort();
  }

  perform(work: ComposerRequest): void {
    const {options} = this.#host;
    switch (work.kind) {
      case 'send':
        this.#addToHistory(work.text);
        this.send(work.text, work.when);
        return;
      case 'run-command': {
        this.#addToHistory(`!${work.command}`);
        this.#submit(commandSubmission(options.newPromptId(), work.command, sizeOf(options.stdout)));
        return;
      }
      case 'note':
        this.#addToHistory(`# ${work.note}`);
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

  send(words: string, when: 'queued' | 'steering'): void {
    const ui = this.#host.ui();
    const {images} = ui;
    if (images.length > 0) this.#host.show({ui: {...ui, images: []}});
    this.#submit(promptSubmission(this.#host.options.newPromptId(), {words, images, when}));
  }

  /**
   * Prompts that the engine dropped, or that were stopped before the model was asked (by Esc while a hook looked at one), are the user's
   * work: they come back ahead of the draft. A command comes back only alone, since together with other words it would be another one; the
   * history has it in any case.
   */
  restoreWithdrawn(events: readonly AgentEvent[]): void {
    const withdrawn = events.flatMap(event => this.#comesBack(event));
    const ui = this.#host.ui();
    const own = isEmptyDraft(ui.draft) ? [] : [draftText(ui.draft)];
    const isAlone = withdrawn.length === 1 && own.length === 0;
    const dropped = withdrawn.filter(({when}) => isAlone || when !== 'command');
    if (dropped.length === 0) return;
    const words = [...dropped.map(prompt => prompt.typed), ...own].filter(text => text !== '').join('\n\n');
    const images = [...dropped.flatMap(prompt => prompt.images), ...ui.images];
    this.#host.show({ui: {...replaceFieldText(ui, words), images}});
  }

  #comesBack(event: AgentEvent): readonly QueuedPrompt[] {
    const {queued, run} = this.#host.view();
    switch (event.event) {
      case 'prompt-withdrawn':
        return queued.filter(({id}) => id === event.id);
      case 'prompt-accepted':
        this.#begun = run.state === 'idle' ? queued.filter(({id}) => id === event.id) : [];
        return [];
      case 'turn-started':
        this.#begun = [];
        return [];
      case 'prompt-finished': {
        const begun = event.summary.end.kind === 'interrupted' ? this.#begun : [];
        this.#begun = [];
        return begun;
      }
      default:
        return [];
    }
  }

  followDraft(): void {
    const {options} = this.#host;
    const ui = this.#host.ui();
    const {vim} = ui.editing;
    const types = vim === 'off' || vim.mode === 'insert';
    const mentions = types ? updateMentions(ui.draft, ui.mentions) : noMention;
    if (mentions !== ui.mentions) this.#host.show({ui: {...ui, mentions}});
    const sought = mentions.kind === 'open' ? `${mentions.from} ${mentions.letters}` : '';
    if (sought === this.#sought) return;
    this.#sought = sought;
    this.#search.abort();
    if (mentions.kind !== 'open') return;
    this.#search = new AbortController();
    const {letters} = mentions;
    const tell = (found: FoundFiles): void => {
      const now = this.#host.ui();
      const next = withFoundFiles(now.mentions, letters, found);
      if (next !== now.mentions) this.#host.show({ui: {...now, mentions: next}});
    };
    if (letters.startsWith(documentPrefix)) void this.#findDocuments(letters, tell, this.#search.signal);
    else void options.engine.watch({watch: 'find-files', letters}, tell, this.#search.signal);
  }

  async #findDocuments(letters: string, tell: (found: FoundFiles) => void, signal: AbortSignal): Promise<void> {
    const answer = await this.#host.options.engine.query({query: 'documents'}, signal);
    if (signal.aborted) return;
    const sought = letters.slice(documentPrefix.length).toLowerCase();
    const paths = (answer.tag === 'ok' ? answer.value : [])
      .filter(({id, title}) => id.startsWith(sought) || title.toLowerCase().includes(sought))
      .map(({id}) => documentPrefix + id);
    tell({paths, state: 'complete'});
  }

  #addToHistory(text: string): void {
    this.#host.options.engine.submit({op: 'remember-prompt', text});
  }

  #submit({prompt, op}: Submission): void {
    this.#host.show({view: withQueuedPrompt(this.#host.view(), prompt)});
    this.#host.options.engine.submit(op);
  }

  #notify(level: 'info' | 'warning', text: string): void {
    if (!this.#closing.signal.aborted) this.#host.show({view: withNotice(this.#host.view(), level, text)});
  }

  async #note(note: string): Promise<void> {
    const {options} = this.#host;
    const added = await submitNote(note, options.engine, this.#closing.signal);
    if (added.tag === 'failed') {
      this.#notify('warning', faultText(added.error));
      const ui = this.#host.ui();
      if (isEmptyDraft(ui.draft)) this.#host.show({ui: replaceFieldText(ui, `# ${note}`)});
      return;
    }
    this.#notify('info', `Remembered in ${added.value}: ${note}`);
  }

  /** Attaches images. If one of them cannot be read, the pasted text is inserted into the draft, because it may have been meant as text. */
  async #images({paths, press}: Extract<ComposerRequest, {readonly kind: 'images'}>): Promise<void> {
    const {options} = this.#host;
    const read = await Promise.all(
      paths.map(async path =>
        answerOutcome(await options.engine.query({query: 'read-image', path}, this.#closing.signal)),
      ),
    );
    const images = read.flatMap(one => (one.tag === 'ok' ? [one.value] : []));
    if (images.length === paths.length) {
      this.#attach(images);
      return;
    }
    const ui = this.#host.ui();
    this.#host.show({
      ui: {...ui, draft: press.kind === 'text' ? typeText(ui.draft, press.text) : pasteText(ui.draft, press.text)},
    });
    for (const one of read) if (one.tag === 'failed') this.#notify('warning', faultText(one.error));
  }

  async #clipboard(): Promise<void> {
    const read = await this.#host.options.clipboard.readImage(this.#closing.signal);
    if (read.tag === 'ok') this.#attach([read.value]);
    else this.#notify('warning', faultText(read.error));
  }

  #attach(images: readonly ReadImage[]): void {
    const ui = this.#host.ui();
    if (ui.images.length + images.length > maxImages) {
      this.#notify('warning', tooManyImages);
      return;
    }
    this.#host.show({ui: {...ui, images: [...ui.images, ...images]}});
  }
}
