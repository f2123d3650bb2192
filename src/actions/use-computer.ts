import * as z from 'zod/mini';
import {byteSize} from '../base/byte-size.ts';
import {clip, pluralize} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {byKind, type ByKind, unreachable} from '../base/unreachable.ts';
import {type Fault, faultText, rejected} from '../domain/fault.ts';
import {
  type ComputerStep,
  type KeyChord,
  type Modifier,
  mouseButtons,
  namedKeys,
  type Point,
  type Screenshot,
  scrollDirections,
} from './computer-port.ts';
import {interrupted, settledBy} from '../domain/settled.ts';
import {checkedForm, defineAction, toolForm} from './define-action.ts';

export interface UseComputerInput {
  /** In order. If empty, only a screenshot is taken. */
  readonly steps: readonly ComputerStep[];
  /** The model's own words. May be empty. */
  readonly summary: string;
}

/** The maximum number of steps of one call. */
const maxSteps = 20;

/** Performs steps with mouse and keyboard, then takes a screenshot. */
export const useComputer = defineAction<
  UseComputerInput,
  {readonly steps: number; readonly screenshot: Screenshot},
  {readonly done: number; readonly of: number}
>({
  summary: 'Act on the screen, mouse and keyboard.',
  risk: 'external',
  offered: 'with-display',
  access: ({steps}) => ({
    kind: 'computer-steps',
    typed: steps.flatMap(step => (step.kind === 'type' ? [step.text] : [])).join('\n'),
  }),
  asks: [{name: 'computer-secret', risks: ['external'], askedWhen: 'it types a secret'}],
  tools: [
    // A step without its required fields is a fault of the call.
    checkedForm(
      toolForm({
        name: 'UseComputer',
        description:
          'Use mouse and keyboard like a person, after RequestComputerUse. Ends with a screenshot; x and y are its pixels.',
        schema: () =>
          z.object({
            action_summary: z.optional(z.string().check(z.trim(), z.maxLength(300))),
            actions: z
              .array(
                z.object({
                  action: z.enum(stepKinds),
                  x: pixel(),
                  y: pixel(),
                  to_x: pixel(),
                  to_y: pixel(),
                  button: z.optional(z.enum(mouseButtons)),
                  text: z.optional(z.string().check(z.minLength(1), z.maxLength(2000))),
                  keys: z.optional(
                    z.string().check(z.minLength(1), z.maxLength(40), z.describe('ctrl+shift+t, enter, f5')),
                  ),
                  direction: z.optional(z.enum(scrollDirections)),
                  amount: z.optional(z.int().check(z.gte(1), z.lte(50), z.describe('Notches'))),
                  ms: z.optional(z.int().check(z.gte(0), z.lte(20_000))),
                }),
              )
              .check(z.maxLength(maxSteps)),
          }),
        toInput: ({action_summary, actions}): {readonly summary: string; readonly actions: readonly WrittenStep[]} => ({
          summary: action_summary ?? '',
          actions,
        }),
      }),
      value => {
        const steps: ComputerStep[] = [];
        for (const [at, step] of value.actions.entries()) {
          const read = readStep(step);
          if (read.tag === 'failed') return failed(`actions.${at}: ${read.error}`);
          // Each call ends with a screenshot anyway.
          if (read.value !== 'screenshot') steps.push(read.value);
        }
        return ok({steps, summary: value.summary});
      },
    ),
  ],
  // The steps come first, because the model's words only say what they are for.
  label: ({steps, summary}) => `Use the computer: ${stepsText(steps)}${summary === '' ? '' : ` (${summary})`}`,
  cancelled: ({steps}) => ({done: 0, of: steps.length}),
  modelContent: ({screenshot}) => {
    const {width, height, path, image} = screenshot;
    return [
      {kind: 'text', text: `Screenshot, ${width}×${height}: coordinates are pixels of this image. Copy: ${path}`},
      image,
    ];
  },
  partialText: ({done, of}) => (done === 0 ? '' : `${done} of ${pluralize(of, 'step')} had been done.`),
  outcome: ({screenshot}) => [screenshotText(screenshot)],
  async run({steps}, {ports: {computer}, signal}) {
    let done = 0;
    const stopped = () => interrupted({done, of: steps.length});
    for (const step of steps) {
      // The granted time may end between two steps.
      if (computer.granted() === undefined) return {state: 'error', fault: afterSteps(notGranted, done)};
      const acted = await computer.act(step, signal);
      if (signal.aborted) return stopped();
      if (acted.tag === 'failed') {
        const why = rejected(`${stepText(step)}: ${faultText(acted.error)}`);
        return {state: 'error', fault: acted.error.kind === 'rejected' ? afterSteps(why, done) : acted.error};
      }
      done += 1;
    }
    if (computer.granted() === undefined) return {state: 'error', fault: afterSteps(notGranted, done)};
    const screenshot = await computer.screenshot(signal);
    if (signal.aborted) return stopped();
    return settledBy(screenshot.tag === 'ok' ? ok({steps: done, screenshot: screenshot.value}) : screenshot);
  },
});

const notGranted = rejected('The user has not allowed computer use now. Ask with RequestComputerUse.');

/** Adds the number of steps that were already done. */
const afterSteps = (fault: Fault, done: number): Fault =>
  done === 0 ? fault : rejected(`${faultText(fault)} ${pluralize(done, 'earlier step')} had been done.`);

/** Describes a screenshot: `screenshot 1280×720, 210.4 kB: /tmp/…/screenshot-1.png`. */
export const screenshotText = ({width, height, bytes, path}: Screenshot): string =>
  `screenshot ${width}×${height}, ${byteSize(bytes)}: ${path}`;

const stepsText = (steps: readonly ComputerStep[]): string =>
  steps.length === 0 ? 'screenshot' : clip(steps.map(stepText).join(', '), 300);

const stepText = (step: ComputerStep): string => byKind(step, stepTexts);

const stepTexts: ByKind<ComputerStep, string> = {
  click: ({at, button, times}) =>
    `${times === 2 ? 'double ' : ''}${button === 'left' ? '' : `${button} `}click ${pointText(at)}`,
  move: ({at}) => `move to ${pointText(at)}`,
  drag: ({from, to}) => `drag ${pointText(from)} to ${pointText(to)}`,
  type: ({text}) => `type ${JSON.stringify(clip(text, 80))}`,
  keys: ({modifiers, key}) => `press ${[...modifiers, 'named' in key ? key.named : key.character].join('+')}`,
  scroll: ({at, direction}) => `scroll ${direction} at ${pointText(at)}`,
  wait: ({ms}) => `wait ${ms} ms`,
};

const pointText = ({x, y}: Point): string => `${x},${y}`;

const stepKinds = ['screenshot', 'click', 'double_click', 'move', 'drag', 'type', 'keys', 'scroll', 'wait'] as const;

interface WrittenStep {
  readonly action: (typeof stepKinds)[number];
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly to_x?: number | undefined;
  readonly to_y?: number | undefined;
  readonly button?: (typeof mouseButtons)[number] | undefined;
  readonly text?: string | undefined;
  readonly keys?: string | undefined;
  readonly direction?: (typeof scrollDirections)[number] | undefined;
  readonly amount?: number | undefined;
  readonly ms?: number | undefined;
}

const pixel = () => z.optional(z.int().check(z.gte(0), z.lte(100_000)));

function readStep(step: WrittenStep): Outcome<ComputerStep | 'screenshot', string> {
  const {action} = step;
  const at = pointOf(step.x, step.y);
  const needed = (what: string): Outcome<never, string> => failed(`${action} needs ${what}`);
  switch (action) {
    case 'screenshot':
      return ok('screenshot');
    case 'click':
    case 'double_click': {
      const times = action === 'click' ? 1 : 2;
      return at === undefined ? needed('x and y') : ok({kind: 'click', at, times, button: step.button ?? 'left'});
    }
    case 'move':
      return at === undefined ? needed('x and y') : ok({kind: 'move', at});
    case 'drag': {
      const to = pointOf(step.to_x, step.to_y);
      return at === undefined || to === undefined ? needed('x, y, to_x and to_y') : ok({kind: 'drag', from: at, to});
    }
    case 'type':
      return step.text === undefined ? needed('text') : ok({kind: 'type', text: step.text});
    case 'keys':
      return step.keys === undefined ? needed('keys') : readChord(step.keys);
    case 'scroll': {
      const {direction, amount} = step;
      if (at === undefined || direction === undefined) return needed('x, y and direction');
      return ok({kind: 'scroll', at, direction, notches: amount ?? 3});
    }
    case 'wait':
      return step.ms === undefined ? needed('ms') : ok({kind: 'wait', ms: step.ms});
    default:
      return unreachable(action);
  }
}

const pointOf = (x: number | undefined, y: number | undefined): Point | undefined =>
  x === undefined || y === undefined ? undefined : {x, y};

/** Parses a chord such as `ctrl+shift+t`: modifiers, and one key at the end, which may be a plus. */
function readChord(text: string): Outcome<{readonly kind: 'keys'} & KeyChord, string> {
  const [, before = '', last = ''] = /^(.*?)\+?(\+|[^+]+)$/su.exec(text.trim()) ?? [];
  const modifiers: Modifier[] = [];
  for (const name of before.split('+').filter(part => part !== '')) {
    const modifier = modifierNames[name.trim().toLowerCase()];
    if (modifier === undefined) return failed(`${JSON.stringify(name)} is not a modifier (ctrl, shift, alt, super)`);
    if (!modifiers.includes(modifier)) modifiers.push(modifier);
  }
  const written = last.trim().toLowerCase().replaceAll(/[_ ]/gu, '');
  const named = namedKeys.find(key => key === (otherKeyNames[written] ?? written));
  if (named !== undefined) return ok({kind: 'keys', modifiers, key: {named}});
  const [character, ...more] = last;
  return character === undefined || more.length > 0
    ? failed(`${JSON.stringify(last)} is not a key (one character, or ${namedKeys.join(', ')})`)
    : ok({kind: 'keys', modifiers, key: {character}});
}

const modifierNames: Readonly<Partial<Record<string, Modifier>>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  shift: 'shift',
  alt: 'alt',
  option: 'alt',
  super: 'super',
  cmd: 'super',
  command: 'super',
  meta: 'super',
  win: 'super',
};

const otherKeyNames: Readonly<Partial<Record<string, (typeof namedKeys)[number]>>> = {
  return: 'enter',
  esc: 'escape',
  del: 'delete',
  ins: 'insert',
  pgup: 'pageup',
  pgdn: 'pagedown',
  arrowup: 'up',
  arrowdown: 'down',
  arrowleft: 'left',
  arrowright: 'right',
};
