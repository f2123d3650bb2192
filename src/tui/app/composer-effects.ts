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
import {updateMentions, closedMentionList, withFoundFiles} from '../state/mention-list.ts';
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

/** Submits the user's prompts, commands, notes, and images. Also searches for files that a draft mentions. */
export class ComposerEffects {
  readonly #host: ComposerEffectsHost;
  readonly #closing = new AbortController();
  #search = new AbortController();
  #searchText = '';
  /** The prompt that was accepted but not yet sent to the model. */
  #accepted: readonly QueuedPrompt[] = [];

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
   * Puts prompts that never reached the model back before the draft: the engine dropped them, or the user pressed Esc while a
   * hook checked one. A command comes back only if it is the only text, because other text would change its meaning. The prompt
   * history has it in any case.
   */
  restoreWithdrawn(events: readonly AgentEvent[]): void {
    const withdrawn = events.flatMap(event => this.#withdrawnBy(event));
    const ui = this.#host.ui();
    const own = isEmptyDraft(ui.draft) ? [] : [draftText(ui.draft)];
    const isAlone = withdrawn.length === 1 && own.length === 0;
    const dropped = withdrawn.filter(({when}) => isAlone || when !== 'command');
    if (dropped.length === 0) return;
    const words = [...dropped.map(prompt => prompt.typed), ...own].filter(text => text !== '').join('\n\n');
    const images = [...dropped.flatMap(prompt => prompt.images), ...ui.images];
    this.#host.show({ui: {...replaceFieldText(ui, words), images}});
  }

  #withdrawnBy(event: AgentEvent): readonly QueuedPrompt[] {
    const {queued, run} = this.#host.view();
    switch (event.event) {
      case 'prompt-withdrawn':
        return queued.filter(({id}) => id === event.id);
      case 'prompt-accepted':
        this.#accepted = run.state === 'idle' ? queued.filter(({id}) => id === event.id) : [];
        return [];
      case 'turn-started':
        this.#accepted = [];
        return [];
      case 'prompt-finished': {
        const stopped = event.summary.end.kind === 'interrupted' ? this.#accepted : [];
        this.#accepted = [];
        return stopped;
      }
      default:
        return [];
    }
  }

  /** Updates the completion list of mentions. Must be called whenever the draft may have changed. */
  updateMentions(): void {
    const {options} = this.#host;
    const ui = this.#host.ui();
    const {vim} = ui.editing;
    const isTyping = vim === 'off' || vim.mode === 'insert';
    const mentions = isTyping ? updateMentions(ui.draft, ui.mentions) : closedMentionList;
    if (mentions !== ui.mentions) this.#host.show({ui: {...ui, mentions}});
    const searchText = mentions.kind === 'open' ? `${mentions.from} ${mentions.letters}` : '';
    if (searchText === this.#searchText) return;
    this.#searchText = searchText;
    this.#search.abort();
    if (mentions.kind !== 'open') return;
    this.#search = new AbortController();
    const {letters} = mentions;
    const showFound = (found: FoundFiles): void => {
      const now = this.#host.ui();
      const next = withFoundFiles(now.mentions, letters, found);
      if (next !== now.mentions) this.#host.show({ui: {...now, mentions: next}});
    };
    if (letters.startsWith(documentPrefix)) void this.#findDocuments(letters, showFound, this.#search.signal);
    else void options.engine.watch({watch: 'find-files', letters}, showFound, this.#search.signal);
  }

  async #findDocuments(letters: string, showFound: (found: FoundFiles) => void, signal: AbortSignal): Promise<void> {
    const answer = await this.#host.options.engine.query({query: 'documents'}, signal);
    if (signal.aborted) return;
    const text = letters.slice(documentPrefix.length).toLowerCase();
    const paths = (answer.tag === 'ok' ? answer.value : [])
      .filter(({id, title}) => id.startsWith(text) || title.toLowerCase().includes(text))
      .map(({id}) => documentPrefix + id);
    showFound({paths, state: 'complete'});
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
    this.#notify('info', `Added to ${added.value}: ${note}`);
  }

  /** Attaches images. If one of them can't be read, inserts the pasted text into the draft instead. */
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
