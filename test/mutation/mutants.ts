import {parse} from '@babel/parser';
import * as z from 'zod';

/** One change to a source: the expression or statement from `start` to `end` becomes `text`. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isStatement: boolean;
  readonly line: number;
}

const node = z.looseObject({type: z.string(), start: z.number(), end: z.number()});
type Node = z.infer<typeof node>;

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
};

/** Of Stryker's mutators: operators, conditions, literals of truth, negations, statements that call or throw, and what is returned. */
export function mutantsOf(source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const textOf = ({start, end}: Pick<Node, 'start' | 'end'>): string => source.slice(start, end);
  const add = ({start, end}: Pick<Node, 'start' | 'end'>, text: string, isStatement = false): void => {
    found.push({start, end, text, isStatement, line: source.slice(0, start).split('\n').length});
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    const parsed = node.safeParse(value);
    if (!parsed.success || /^TS(?!As|Satisfies|NonNull)/u.test(parsed.data.type)) return;
    mutate(parsed.data);
    for (const child of Object.values(parsed.data)) if (typeof child === 'object') visit(child);
  };
  const mutate = (at: Node): void => {
    const part = (name: string): Node | undefined => node.safeParse(at[name]).data;
    const operator = z.string().safeParse(at['operator']).data ?? '';
    const [left, right, test, argument] = [part('left'), part('right'), part('test'), part('argument')];
    const other = operators[operator];
    if (left !== undefined && right !== undefined && other !== undefined) {
      // Text is joined with `+`, too: to subtract it is no fault that anybody makes.
      const joinsText = operator === '+' && /['"`]/u.test(textOf(at));
      const isAssignment = at.type === 'AssignmentExpression';
      if (!joinsText)
        add(
          at,
          isAssignment ? `${textOf(left)} ${other} ${textOf(right)}` : `(${textOf(left)}) ${other} (${textOf(right)})`,
        );
    }
    switch (at.type) {
      case 'IfStatement':
      case 'ConditionalExpression':
        if (test !== undefined) for (const text of ['true', 'false']) add(test, text);
        break;
      case 'WhileStatement':
        if (test !== undefined) add(test, 'false');
        break;
      case 'BooleanLiteral':
        add(at, textOf(at) === 'true' ? 'false' : 'true');
        break;
      case 'UnaryExpression':
        if (operator === '!' && argument !== undefined) add(at, textOf(argument));
        break;
      case 'UpdateExpression':
        if (other !== undefined) add(at, textOf(at).replace(operator, other));
        break;
      case 'ExpressionStatement':
      case 'ThrowStatement':
        add(at, ';', true);
        break;
      default:
    }
  };
  visit(parse(source, {sourceType: 'module', plugins: ['typescript', 'jsx']}).program);
  return found;
}

/** The source with all its mutants, each of which counts only where `globalThis.isMutant` says so of its place in the list. */
export function withMutants(source: string, mutants: readonly Mutant[]): string {
  const numbered = mutants.map((mutant, number) => ({...mutant, number}));
  // Statements stand around expressions, and what is longer stands around what is shorter.
  const outermostFirst = numbered.toSorted(
    (one, other) =>
      one.start - other.start || other.end - one.end || Number(other.isStatement) - Number(one.isStatement),
  );
  let next = 0;
  const render = (from: number, to: number): string => {
    let text = '';
    let at = from;
    for (let first = outermostFirst[next]; first !== undefined && first.end <= to; first = outermostFirst[next]) {
      const {start, end, isStatement} = first;
      const here: typeof outermostFirst = [];
      for (let each = outermostFirst[next]; each?.start === start && each.end === end; each = outermostFirst[next]) {
        if (each.isStatement !== isStatement) break;
        here.push(each);
        next += 1;
      }
      text += source.slice(at, start);
      const original = render(start, end);
      const tests = here.map(mutant => ({test: `globalThis.isMutant?.(${mutant.number})`, text: mutant.text}));
      text += isStatement
        ? `{${tests.map(each => `if (${each.test}) ${each.text} else `).join('')}{${original}}}`
        : `(${tests.map(each => `${each.test} ? (${each.text}) : `).join('')}(${original}))`;
      at = end;
    }
    return text + source.slice(at, to);
  };
  return render(0, source.length);
}
