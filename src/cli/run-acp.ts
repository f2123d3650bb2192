import {randomUUID} from 'node:crypto';
import type {AgentClient} from '../agent/client.ts';
import {jsonText} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText, type Fault, rejected} from '../domain/fault.ts';
import {type EngineRequest, serveEditor} from '../headless/acp/serve-editor.ts';
import {makeStdoutWriter} from '../headless/stdout-writer.ts';
import {InputLines} from '../protocol/rpc/input-lines.ts';
import {requireModel} from './compose/choose-model.ts';
import {composeSession, connectModel, noDriver} from './compose/compose-session.ts';
import {fixedModel, nobodyChooses} from './compose/host-services.ts';
import {existingFolder, loadRunContext} from './compose/run-context.ts';
import {exitCode, type ExitCode} from './exit-code.ts';
import type {MainOptions} from './flags.ts';
import {note, stdoutSink} from './output.ts';
import {onSignal} from './signals.ts';
import {version} from './version.ts';

/** weft in an editor, by the Agent Client Protocol over stdin and stdout. Ends when the editor closes stdin, and all sessions with it. */
export async function runAcp(): Promise<ExitCode> {
  const stopped = Promise.withResolvers<ExitCode>();
  const writer = makeStdoutWriter(stdoutSink('json'), () => stopped.resolve(exitCode.done));
  const editor = serveEditor({
    version,
    uuid: randomUUID,
    write: message => writer.write(`${jsonText(message)}\n`),
    openEngine,
  });
  onSignal('SIGINT', () => stopped.resolve(exitCode.interrupted));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => stopped.resolve(exitCode.terminated));
  void readLines(line => editor.take(line)).then(() => stopped.resolve(exitCode.done));
  const code = await stopped.promise;
  await editor.close();
  await writer.drained();
  return code;
}

async function readLines(take: (line: string) => void): Promise<void> {
  const lines = new InputLines();
  try {
    for await (const chunk of process.stdin)
      for (const line of lines.push(chunk)) {
        if (line.kind === 'line') take(line.text);
        else note('a line of the editor is too long to be read');
      }
  } catch {
    // A broken pipe: nothing more comes.
  }
}

async function openEngine({directory, session, servers}: EngineRequest): Promise<Outcome<AgentClient, Fault>> {
  const options: MainOptions = {
    sessionPersistence: true,
    color: false,
    cwd: directory,
    ...(session === 'new' ? {} : {resume: session}),
    ...(Object.keys(servers).length === 0 ? {} : {mcpConfig: [jsonText({mcpServers: servers})]}),
  };
  try {
    const context = loadRunContext({directory: existingFolder(directory), added: [], options});
    for (const notice of context.notices) note(notice);
    const chosen = await connectModel(context);
    requireModel(chosen);
    const models = fixedModel(nobodyChooses);
    return ok(await composeSession(chosen, {context, interaction: 'interactive', models, driver: noDriver}));
  } catch (cause) {
    return failed(rejected(causeText(cause)));
  }
}
