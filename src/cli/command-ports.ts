import {failed, ok} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {messageText, type Message} from '../domain/conversation.ts';
import type {Store} from '../store/open-store.ts';
import type {CommandPorts, SaidMessage} from '../tui/command-ports.ts';
import {checkedOut} from '../workspace/checked-out.ts';
import type {ComposedEngine} from './compose-engine.ts';

export interface CommandGround {
  readonly engine: Pick<ComposedEngine, 'records'>;
  readonly directory: string;
  readonly home: string;
  readonly store: Store | 'none';
}

/** What slash commands work with on this machine; each part is loaded when it is first used. */
export function commandPorts({engine, directory, home, store}: CommandGround): CommandPorts {
  return {
    records: engine.records,
    sessions: {
      firstPrompts: () => (store === 'none' ? new Map() : store.firstPrompts(directory, promptLength)),
      lastMessages: id => (store === 'none' ? [] : store.lastMessages(id, messagesShown).flatMap(saidIn)),
    },
    clipboard: {
      async copy(text) {
        const {copyText} = await import('../workspace/copy-text.ts');
        return copyText(text, {
          environment: process.env,
          platform: process.platform,
          write: sequence => void process.stdout.write(sequence),
        });
      },
    },
    exporter: {
      async write(work) {
        const {exportToFile} = await import('./sessions/export-to-file.ts');
        const summary = store === 'none' ? undefined : store.read(work.session.id);
        return exportToFile(work, {
          records: engine.records(),
          summary: summary?.tag === 'ok' ? summary.value.summary : undefined,
          directory,
          home,
          now: Date.now(),
        });
      },
    },
    settings: {
      async list(name) {
        try {
          return ok((await import('./commands/config.ts')).settingLines(name, directory));
        } catch (cause) {
          return failed(causeText(cause));
        }
      },
      async set(name, value) {
        try {
          return ok(
            await (await import('./commands/config.ts')).changeSetting(name, value, {user: true, cwd: directory}),
          );
        } catch (cause) {
          return failed(causeText(cause));
        }
      },
    },
    async doctor() {
      const {doctorText} = await import('./commands/doctor.ts');
      return doctorText();
    },
    branch: () => checkedOut(directory),
  };
}

/** UTF-16 units of a first prompt that are searched. */
const promptLength = 2000;
const messagesShown = 6;
const messageLength = 600;

function saidIn(message: Message): readonly SaidMessage[] {
  const text = messageText(message).trim().slice(0, messageLength);
  return text === '' ? [] : [{by: message.role === 'user' ? 'user' : 'agent', text}];
}
