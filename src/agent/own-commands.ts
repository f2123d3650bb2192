import {failed, ok, type Outcome} from '../base/outcome.ts';
import {visibleLine} from '../base/visible.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import {effortText} from '../domain/model-stream.ts';
import type {SlashCommand} from '../domain/slash-command.ts';
import {costText} from '../domain/usage.ts';
import {type AgentClient, answerOutcome} from './client.ts';
import {loadMakeRoom} from './loop.ts';
import type {PromptContext} from './session-context.ts';

interface CommandEngine {
  readonly context: PromptContext;
  readonly client: Pick<AgentClient, 'query'>;
  /** Opens a new session. Returns false if that failed. */
  readonly clear: () => Promise<boolean>;
}

/** Carries out a command that every front end has. Returns the answer for the user. */
export async function answerCommand(
  {name, argument}: SlashCommand,
  {context, client, clear}: CommandEngine,
  signal: AbortSignal,
): Promise<Outcome<string, Fault>> {
  const {session} = context;
  const {conversation, model, ports} = session;
  switch (name) {
    case 'compact':
      return (await loadMakeRoom()).compactAtOnce(argument, context, signal);
    case 'btw':
      return answerOutcome(await client.query({query: 'ask-aside', question: argument}, signal));
    case 'rename': {
      const named = answerOutcome(await client.query({query: 'rename-session', title: argument}, signal));
      return named.tag === 'ok' ? ok(`Session renamed: ${visibleLine(named.value)}`) : named;
    }
    case 'goal':
      return answerOutcome(await client.query({query: 'goal', text: argument}, signal));
    case 'clear':
      if (!session.frontEnd.has('follows-sessions'))
        return failed(rejected('/clear works only in a conversation that goes on. Start a new session instead.'));
      return (await clear()) ? ok('') : failed(rejected('The conversation was not cleared.'));
    case 'cost':
      return ok(costText(conversation.usage.report().models));
    case 'context': {
      const {contextText, contextUsage} = await import('./context/context-usage.ts');
      return ok(contextText(contextUsage(session)));
    }
    default: {
      if (argument === '') return ok(effortText(model, ports.model.facts(model)));
      const done = answerOutcome(await client.query({query: 'use-effort', model, effort: argument}, signal));
      return done.tag === 'ok' ? ok(done.value.text) : done;
    }
  }
}
