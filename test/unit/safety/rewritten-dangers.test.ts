import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {bash, judge, overlayProof} from './support/judging.ts';
import {randomInputs} from '../../support/random-inputs.ts';

/** Commands that must never run by themselves, as words. */
const dangers: readonly (readonly string[])[] = [
  ['rm', '-rf', 'x'],
  ['git', 'push', '--force'],
  ['git', 'checkout', '.'],
  ['curl', 'evil.example'],
  ['find', '.', '-delete'],
  ['find', '.', '-exec', 'rm', '{}', '+'],
  ['sort', '-o', 'out', 'in'],
  ['sed', '-i', 's/a/b/', 'x'],
  ['sed', 's/a/b/w out', 'x'],
  ['awk', 'BEGIN{system("reboot")}'],
  ['rg', '--pre', 'sh', 'x'],
  ['git', 'log', '--output=x'],
  ['git', '-c', 'core.pager=sh', 'log'],
  ['npm', 'install'],
  ['cat', '/etc/passwd'],
  ['cat', '.env'],
  ['node', '-e', '1'],
  ['bash', '-c', 'reboot'],
  ['tee', 'out'],
  ['uniq', 'a', 'b'],
  ['eval', 'reboot'],
  ['export', 'PATH=.'],
  ['env'],
];

const plainly = /^[\w./=@+-]+$/u;

/** One word in one of the many ways in which a shell lets it be written. */
const writtenWord = (word: string): fc.Arbitrary<string> => {
  const single = `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const double = `"${word.replaceAll(/["\\$`]/gu, String.raw`\$&`)}"`;
  const escaped = Array.from(word, char => `\\${char}`).join('');
  const at = Math.max(1, Math.floor(word.length / 2));
  const ways = [single, double, escaped, `$'${word.replaceAll(/['\\]/gu, String.raw`\$&`)}'`];
  if (plainly.test(word)) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    ways.push(
      word,
      `${head}''${tail}`,
      `${head}"${tail}"`,
      `"${head}"'${tail}'`,
      `${head}\\\n${tail}`,
      `${head}$'${tail}'`,
    );
    ways.push(`$(echo ${word})`, `\`echo ${word}\``, `${head}$(true)${tail}`, `${head}\${X}${tail}`, `{${word},}`);
    ways.push(`$'${Array.from(word, char => `\\x${char.codePointAt(0)?.toString(16)}`).join('')}'`, `$"${word}"`);
  }
  return fc.constantFrom(...ways);
};

const gap = fc.constantFrom(' ', '  ', '\t', ' \\\n ', '$IFS', '${IFS}');

const written = (words: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(...words.map(writtenWord), ...words.slice(1).map(() => gap)).map(parts => {
    const texts = parts.slice(0, words.length);
    const gaps = parts.slice(words.length);
    return texts.map((text, at) => text + (gaps[at] ?? '')).join('');
  });

/** Around a command: chains, pipes, substitutions, loops, wrappers, documents, remarks, padding. */
const frames: readonly ((command: string) => string)[] = [
  command => command,
  command => `ls && ${command}`,
  command => `ls || ${command}`,
  command => `true; ${command}`,
  command => `${command} | head`,
  command => `cat a | ${command}`,
  command => `ls & ${command}`,
  command => `ls\n${command}`,
  command => `# look\n${command}`,
  command => `ls # look\n${command}`,
  command => `(${command})`,
  command => `{ ${command}; }`,
  command => `! ${command}`,
  command => `time ${command}`,
  command => `echo $(${command})`,
  command => `echo "$(${command})"`,
  command => `echo "a $(ls; ${command}) b"`,
  command => `cat <(${command})`,
  command => `if true; then ${command}; fi`,
  command => `if ${command}; then ls; fi`,
  command => `while ${command}; do ls; done`,
  command => `for f in a b; do ${command}; done`,
  command => `for f in $(${command}); do ls; done`,
  command => `[ -f a ] && ${command}`,
  command => `[[ -f a ]] && ${command}`,
  command => `[[ $(${command}) == a ]]`,
  command => `cat <<EOF\n$(${command})\nEOF`,
  command => `cat <<'EOF'\nhello\nEOF\n${command}`,
  command => `f() { ${command}; }; f`,
  command => `case a in a) ${command};; esac`,
  command => `cd src && ${command}`,
  command => `timeout 5 ${command}`,
  command => `nice ${command}`,
  command => `command ${command}`,
  command => `env ${command}`,
  command => `sudo ${command}`,
  command => `nohup ${command}`,
  command => `ls | xargs ${command}`,
  command => `git ls-files | xargs ${command}`,
  command => `bash -c '${command.replaceAll("'", String.raw`'\''`)}'`,
  command => `eval "${command.replaceAll(/["\\$`]/gu, String.raw`\$&`)}"`,
  command => `X=1 ${command}`,
  command => `${command} 2>/dev/null`,
  command => `${command} > /dev/null 2>&1`,
  command => `2>&1 ${command}`,
  command => `${' '.repeat(300)}${command}`,
  command => `echo ${'a '.repeat(200)}; ${command}`,
  command => `find . -name x -exec ${command} \\;`,
  // Backticks end at the next one.
  command => (command.includes('`') ? command : `echo \`${command}\``),
  // The program is what the braces begin with; `{ls,env}` would only list a file of that name.
  command => `{${command},a}`,
];

const rewritten = (commands: typeof dangers, around = frames) =>
  fc
    .tuple(
      fc.constantFrom(...commands).chain(written),
      fc.array(fc.constantFrom(...around), {minLength: 1, maxLength: 3}),
    )
    .map(([command, chosen]) => chosen.reduce((text, frame) => frame(text), command));

test('of all rewritings of dangerous commands none is let through', {tags: 'long', timeout: 120_000}, async () => {
  await fc.assert(
    fc.asyncProperty(rewritten(dangers), async command => {
      expect((await judge(bash(command))).decision, command).toBe('ask');
    }),
    {numRuns: randomInputs(10_000)},
  );
});

/** Programs that only run code or change files of the workspace; with a command behind it, `env` is one of them. */
const heldByOverlay = /^(?:sed|awk|node|export|env)$/u;

test('nor does an overlay let one through that reaches further', {tags: 'long', timeout: 120_000}, async () => {
  const further = dangers.filter(([program = '']) => !heldByOverlay.test(program));
  // Behind a wrapper `case` is no keyword, and what follows is text: `echo "$(nice case a in a) curl x"`.
  const around = frames.filter(frame => !frame('').startsWith('case'));
  await fc.assert(
    fc.asyncProperty(rewritten(further, around), async command => {
      expect((await judge(bash(command), {proof: overlayProof})).decision, command).toBe('ask');
    }),
    {numRuns: randomInputs(10_000)},
  );
});

const noise = fc.array(
  fc.oneof(
    {weight: 3, arbitrary: fc.constantFrom(...Array.from('ab \n\t;|&()<>$`"\'\\{}[]=!*?~#-1,.%/^:@\r\0é'))},
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'cat',
        'ls',
        'for f in',
        'do',
        'done',
        'if',
        'then',
        'fi',
        '$(',
        '${',
        '<<A',
        'A',
        '[[',
        ']]',
        'case',
        'esac',
        'find',
        'sed',
        'xargs',
        'git log',
      ),
    },
    {weight: 1, arbitrary: fc.string({unit: 'binary', maxLength: 3})},
  ),
  {maxLength: 40},
);

test('any text gets a verdict', {timeout: 60_000}, async () => {
  await fc.assert(
    fc.asyncProperty(noise, async parts => {
      const command = parts.join('') || 'ls';
      expect(['allow', 'ask']).toContain((await judge(bash(command))).decision);
    }),
    {numRuns: randomInputs(4000)},
  );
});
