import type {AgentEvent} from '../actions/agent-event.ts';
import type {ActionPorts, HandOverEnd, QuestionReply} from '../actions/ports.ts';
import type {ActionId} from '../domain/ids.ts';
import type {PendingAnswers} from './pending-answers.ts';

/** Who is asked, and how. */
export interface Asking {
  readonly asking: 'somebody' | 'nobody';
  readonly questions: PendingAnswers<QuestionReply>;
  readonly handOvers: PendingAnswers<HandOverEnd>;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

/** The ports through which one action asks a person, under its id. The wait begins before the question is told. */
export const askingPorts = (id: ActionId, {asking, ...to}: Asking): Pick<ActionPorts, 'questions' | 'handOvers'> => ({
  questions: {
    async ask(questions, signal) {
      if (asking === 'nobody') return {kind: 'nobody'};
      const waiting = to.questions.wait(id, {kind: 'dismissed'}, signal);
      to.publish([{event: 'question-asked', id, questions}]);
      const reply = await waiting;
      to.publish([{event: 'question-settled', id}]);
      return reply;
    },
  },
  handOvers: {
    async handOver(request, signal) {
      if (asking === 'nobody') return 'nobody';
      const waiting = to.handOvers.wait(id, 'declined', signal);
      to.publish([{event: 'hand-over-asked', id, block: request.id, reason: request.reason}]);
      const end = await waiting;
      to.publish([{event: 'hand-over-settled', id}]);
      return end;
    },
  },
});
