import type {TuiExit, TuiOptions} from '../options.ts';
import {watchEnd} from '../terminal/watch-end.ts';
import {Conversation} from './conversation.ts';
import {LineKeyReader} from './line-keys.ts';
import type {PaperOptions} from './paper.ts';

export interface AccessibleOptions extends TuiOptions {
  readonly echo: PaperOptions['echo'];
}

/**
 * Runs weft as a conversation in lines, for screen readers, braille and terminals that cannot move their cursor: what is written is
 * only ever added at the end. The keyboard is read key by key, so that it is known which line was begun when. The engine is not
 * closed.
 */
export async function runAccessible(options: AccessibleOptions, signal: AbortSignal): Promise<TuiExit> {
  const {stdin, stdout, engine} = options;
  const {promise: left, resolve: leave} = Promise.withResolvers<TuiExit>();
  const unwatch = watchEnd({stdin, stdout, signal}, () => leave({kind: 'left'}));
  stdin.setRawMode(true);
  options.keeper.keep('');
  const write = (text: string): void => {
    if (text !== '') stdout.write(text);
  };
  const reader = new LineKeyReader();
  const decoder = new TextDecoder();
  const onData = (chunk: Buffer | string): void => {
    conversation.press(reader.read(typeof chunk === 'string' ? chunk : decoder.decode(chunk, {stream: true})));
  };
  const stop = (how: 'stops' | 'went-on'): void =>
    conversation.lend(() => {
      const isRaw = !editing;
      if (isRaw) stdin.setRawMode(false);
      if (how === 'stops') job.stop();
      if (isRaw) stdin.setRawMode(true);
    });
  let editing = false;
  const job = options.job.watch(signalled => stop(signalled === 'continued' ? 'went-on' : 'stops'));
  const conversation = new Conversation(options, {
    paper: {write, columns: () => stdout.columns, echo: options.echo},
    leave,
    loadLexer: async () => (await import('../markdown/render-markdown.ts')).loadMarkdownLexer(),
    suspend: () => stop('stops'),
    async edit(text) {
      editing = true;
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      const edited = await options.editor.edit({text, name: 'prompt.md', form: 'prose'}, signal);
      editing = false;
      if (!signal.aborted) {
        stdin.setRawMode(true);
        stdin.on('data', onData);
        stdin.resume();
      }
      return edited;
    },
  });
  stdin.on('data', onData);
  stdin.resume();
  const unsubscribe = engine.subscribe(events => conversation.handleEvents(events));
  conversation.start();
  try {
    conversation.remember(options.history.load());
    void options.lateNotices().then(notices => conversation.warn(notices));
    if (options.opening === 'sessions') conversation.offerSessions();
    return await left;
  } finally {
    unsubscribe();
    conversation.stop();
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
    options.keeper.release();
    job.close();
    unwatch();
  }
}
