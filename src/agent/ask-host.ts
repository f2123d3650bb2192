import {type ActionPorts, plainQuestion} from '../actions/ports.ts';
import {firstLine} from '../base/clip.ts';
import {faultText} from '../domain/fault.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {JudgePort} from './ports.ts';

interface AskHostDeps {
  readonly mode: () => PermissionMode;
  readonly questions: ActionPorts['questions'];
  readonly judge: Pick<JudgePort, 'changeRules'>;
  readonly warn: (text: string) => void;
}

const once = 'Allow once';
const forSession = 'Allow for this session';
const always = 'Always allow';

/**
 * Asks the user about a host that a sandboxed command wants to reach. A longer permission becomes a rule that applies at once.
 * Any answer other than those offered counts as no.
 */
export const hostsPort = ({mode, questions, judge, warn}: AskHostDeps): ActionPorts['hosts'] => ({
  async ask({host, port, command, rule, standing}, signal) {
    if (mode() === 'dontAsk') return 'nobody';
    const longer: readonly (readonly [string, string])[] = [
      [forSession, `the rule ${rule}, until weft exits`],
      [always, `adds the rule ${rule} to your settings for this project`],
    ];
    const reply = await questions.ask(
      [
        plainQuestion(
          'Network',
          `A sandboxed command wants to reach ${host}, port ${String(port)}. Allow it? ${firstLine(command, 200)}`,
          [
            ['No', 'tell the agent that you refused'],
            [once, 'while this command runs'],
            ...(standing === 'ask-rule' ? [] : longer),
          ],
        ),
      ],
      signal,
    );
    if (reply.kind === 'unattended') return 'nobody';
    const said = reply.kind === 'answered' ? reply.answers[0]?.selected[0] : undefined;
    if (said !== once && said !== forSession && said !== always) return 'refused';
    if (said !== once) {
      const scope = said === always ? 'local' : 'session';
      const changed = await judge.changeRules({change: 'add', list: 'allow', rule, scope});
      if (changed.tag === 'failed') warn(faultText(changed.error));
    }
    return 'allowed';
  },
});
