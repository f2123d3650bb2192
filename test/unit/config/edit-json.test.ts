import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {appendToList, removeFromList, removeMember, setValue} from '../../../src/config/edit-json.ts';

const allowList = ['permissions', 'allow'] as const;
const add = (text: string, item = 'New'): string => appendToList(text, allowList, item);
const remove = (text: string, item: string): string => removeFromList(text, allowList, each => each === item);

describe('appendToList', () => {
  test.each([
    ['{}\n', '{\n  "permissions": {\n    "allow": [\n      "New"\n    ]\n  }\n}\n'],
    ['{ }', '{\n  "permissions": {\n    "allow": [\n      "New"\n    ]\n  }\n}'],
    ['{"a":1}', '{"a":1,"permissions":{"allow":["New"]}}'],
    ['{"a": 1, "b": 2}', '{"a": 1, "b": 2, "permissions":{"allow":["New"]}}'],
    [
      '{\n\t"z": 1e3,\n\t"a": {"permissions": {"allow": ["x"]}}\n}\n',
      '{\n\t"z": 1e3,\n\t"a": {"permissions": {"allow": ["x"]}},\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"New"\n\t\t]\n\t}\n}\n',
    ],
    [
      '{\r\n    "permissions": {\r\n        "deny": ["x"]\r\n    }\r\n}',
      '{\r\n    "permissions": {\r\n        "deny": ["x"],\r\n        "allow": [\r\n            "New"\r\n        ]\r\n    }\r\n}',
    ],
    ['{"permissions":{"allow":["A"]}}', '{"permissions":{"allow":["A","New"]}}'],
    ['{\n  "permissions": {"allow": ["A"]}\n}', '{\n  "permissions": {"allow": ["A", "New"]}\n}'],
    ['{\n  "permissions": {"allow": ["A", "B"]}\n}', '{\n  "permissions": {"allow": ["A", "B", "New"]}\n}'],
    [
      '{\n  "permissions": {\n    "allow": [\n      "A"\n    ]\n  }\n}',
      '{\n  "permissions": {\n    "allow": [\n      "A",\n      "New"\n    ]\n  }\n}',
    ],
    [
      '{\n  "permissions": {\n    "allow": []\n  }\n}',
      '{\n  "permissions": {\n    "allow": [\n      "New"\n    ]\n  }\n}',
    ],
    ['{"permissions":{"allow":["a]}\\"","}"]},"x":"{"}', '{"permissions":{"allow":["a]}\\"","}","New"]},"x":"{"}'],
    ['{"permissions":{},"permissions":{"allow":["A"]}}', '{"permissions":{},"permissions":{"allow":["A","New"]}}'],
    ['{"perm\\u0069ssions":{"allow":["A"]}}', '{"perm\\u0069ssions":{"allow":["A","New"]}}'],
  ])('%j', (before, after) => {
    expect(add(before)).toBe(after);
  });

  test('an item is written as JSON', () => {
    expect(add('{"permissions":{"allow":[]}}', 'Bash(echo "a\\b")')).toBe(
      '{"permissions":{"allow":["Bash(echo \\"a\\\\b\\")"]}}',
    );
  });
});

describe('removeFromList', () => {
  test.each([
    ['{"permissions":{"allow":["A","B","C"]}}', 'B', '{"permissions":{"allow":["A","C"]}}'],
    ['{"permissions":{"allow":["A", "B"]}}', 'A', '{"permissions":{"allow":["B"]}}'],
    ['{"permissions":{"allow":["A", "B"]}}', 'B', '{"permissions":{"allow":["A"]}}'],
    ['{"permissions":{"allow":["A", "B", "A"]}}', 'A', '{"permissions":{"allow":["B"]}}'],
    ['{"permissions":{"allow":[ "A" ]}}', 'A', '{"permissions":{"allow":[]}}'],
    ['{"permissions":{"allow":["\\u0041"]}}', 'A', '{"permissions":{"allow":[]}}'],
    ['{"permissions":{"allow":["B"]}}', 'A', '{"permissions":{"allow":["B"]}}'],
    ['{"permissions":{}}', 'A', '{"permissions":{}}'],
    ['{}', 'A', '{}'],
    [
      '{\n  "permissions": {\n    "allow": [\n      "A",\n      "B",\n      "C"\n    ]\n  }\n}',
      'A',
      '{\n  "permissions": {\n    "allow": [\n      "B",\n      "C"\n    ]\n  }\n}',
    ],
    [
      '{\n  "permissions": {\n    "allow": [\n      "A",\n      "B",\n      "C"\n    ]\n  }\n}',
      'C',
      '{\n  "permissions": {\n    "allow": [\n      "A",\n      "B"\n    ]\n  }\n}',
    ],
    [
      '{\n  "permissions": {\n    "allow": [\n      "Edit(src/**)"\n    ]\n  }\n}',
      'Edit(src/**)',
      '{\n  "permissions": {\n    "allow": []\n  }\n}',
    ],
    [
      '{"permissions":{"allow":["Read(//a \\"*/)", /* mine */ "B"]}}',
      'B',
      '{"permissions":{"allow":["Read(//a \\"*/)" /* mine */]}}',
    ],
  ])('%j without %s', (before, item, after) => {
    expect(remove(before, item)).toBe(after);
  });
});

const texts = fc.oneof(fc.string(), fc.constantFrom('A', 'B', 'a]', '"', '\\', '{', '}', ',', ':'));
const lists = fc.array(texts, {maxLength: 4});
const extra = fc.dictionary(
  // V8 takes an escaped name (`"\\""`) for another one (`"\\\\"`) that it read in the same place before: JSON.parse itself errs.
  texts.filter(key => key !== 'permissions' && key !== '__proto__' && !/["\\]/u.test(key)),
  fc.jsonValue(),
  {maxKeys: 3},
);
const settings = fc
  .tuple(extra, fc.option(fc.tuple(extra, fc.option(lists))), extra)
  .map(([before, permissions, after]) => ({
    ...before,
    ...(permissions === null
      ? {}
      : {permissions: {...permissions[0], ...(permissions[1] === null ? {} : {allow: permissions[1]})}}),
    ...after,
  }));
const indents = fc.constantFrom(undefined, 1, 2, 4, '\t');

interface WithRules {
  readonly permissions?: {readonly allow?: readonly string[]};
}

const withAllow = (value: WithRules, change: (allow: readonly string[]) => readonly string[]): unknown => ({
  ...value,
  permissions: {...value.permissions, allow: change(value.permissions?.allow ?? [])},
});

describe('whatever else is in the text', () => {
  test('adding changes the list alone', () => {
    fc.assert(
      fc.property(settings, indents, texts, (value, indent, item) => {
        const text = JSON.stringify(value, undefined, indent);
        const plain: WithRules = JSON.parse(text);
        expect(JSON.parse(add(text, item))).toEqual(withAllow(plain, allow => [...allow, item]));
      }),
    );
  });

  test('adding and removing again leaves a text that says the same', () => {
    fc.assert(
      fc.property(settings, indents, texts, (value, indent, item) => {
        const text = JSON.stringify(value, undefined, indent);
        const plain: WithRules = JSON.parse(text);
        expect(JSON.parse(remove(add(text, item), item))).toEqual(
          withAllow(plain, allow => allow.filter(each => each !== item)),
        );
      }),
    );
  });

  test('what stands in a list already stays as it was written', () => {
    fc.assert(
      fc.property(lists, texts, (allow, item) => {
        const text = JSON.stringify({permissions: {allow}}, undefined, 2);
        if (!allow.includes(item) && allow.length > 0) expect(remove(add(text, item), item)).toBe(text);
      }),
    );
  });
});

describe('setValue and removeMember', () => {
  test.each([
    ['{}\n', ['model'], 'm', '{\n  "model": "m"\n}\n'],
    ['{"model":"a"}', ['model'], 'b', '{"model":"b"}'],
    ['{\n\t"model": "a", "z": 1e3\n}', ['model'], 'b', '{\n\t"model": "b", "z": 1e3\n}'],
    ['{"a":1,"a":2}', ['a'], 3, '{"a":1,"a":3}'],
    ['{\n  "env": {"A": "1"}\n}', ['env', 'B'], '2', '{\n  "env": {"A": "1", "B": "2"}\n}'],
    [
      '{\n  "x": 1\n}',
      ['permissions', 'deny'],
      ['R'],
      '{\n  "x": 1,\n  "permissions": {\n    "deny": [\n      "R"\n    ]\n  }\n}',
    ],
    ['{\n  "l": [1]\n}', ['l'], [1, 2], '{\n  "l": [\n    1,\n    2\n  ]\n}'],
  ] as const)('%j %j', (before, path, value, after) => {
    expect(setValue(before, path, value)).toBe(after);
  });

  test.each([
    ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
    ['{"a": 1, "b": 2}', ['a'], '{"b": 2}'],
    ['{\n  "a": 1,\n  "b": {"c": "}"}\n}', ['b'], '{\n  "a": 1\n}'],
    ['{"a":1,"a":2}', ['a'], '{}'],
    ['{"env":{"A":"1"}}', ['env', 'A'], '{"env":{}}'],
    ['{"env":{"A":"1"}}', ['env', 'B'], '{"env":{"A":"1"}}'],
    ['{}', ['x', 'y'], '{}'],
  ] as const)('%j without %j', (before, path, after) => {
    expect(removeMember(before, path)).toBe(after);
  });

  test('what was set reads back, and all else says what it said', () => {
    fc.assert(
      fc.property(settings, indents, fc.jsonValue(), (value, indent, set) => {
        const text = JSON.stringify(value, undefined, indent);
        const plain: object = JSON.parse(text);
        const [given]: unknown[] = JSON.parse(JSON.stringify([set]));
        const changed = setValue(text, ['model'], JSON.parse(JSON.stringify(set)));
        expect(JSON.parse(changed)).toEqual({...plain, model: given});
        const {model: _gone, ...rest}: {readonly model?: unknown} = JSON.parse(changed);
        expect(JSON.parse(removeMember(changed, ['model']))).toEqual(rest);
      }),
    );
  });
});

describe('comments and trailing commas', () => {
  test.each([
    [
      '{"allow": [\n  "A", // why\n  "B", // because\n]}',
      '{"allow": [\n  "A", // why\n  "B", // because\n  "New",\n]}',
    ],
    ['{"allow": [\n  "A" // why\n]}', '{"allow": [\n  "A", // why\n  "New"\n]}'],
    ['{\n  "allow": ["A" // why\n  ]\n}', '{\n  "allow": ["A", // why\n    "New"\n  ]\n}'],
    ['{\n  "allow": ["A", /* q */ "B",],\n}', '{\n  "allow": ["A", /* q */ "B", "New",],\n}'],
    ['{\n  // none yet\n}', '{\n  // none yet\n  "allow": [\n    "New"\n  ]\n}'],
    ['// mine\n{"allow": ["A"]} // end', '// mine\n{"allow": ["A", "New"]} // end'],
  ])('%j: an item is added', (before, after) => {
    expect(appendToList(before, ['allow'], 'New')).toBe(after);
  });

  test.each([
    ['{\n  // x\n  "a": 1, // why\n  "b": 2,\n}', '{\n  // x\n  "a": 1, // why\n}'],
    ['{\n  "a": 1, // why\n  "b": 2 // gone\n}', '{\n  "a": 1 // why\n  // gone\n}'],
    ['{\n  // first\n  "b": 2, // two\n  "c": 3\n}', '{\n  // first\n  // two\n  "c": 3\n}'],
    ['{\n  /* only */ "b": 2\n}', '{\n  /* only */\n}'],
    ['{\r\n\t"b": 2,\r\n\t"c": 3,\r\n}', '{\r\n\t"c": 3,\r\n}'],
  ])('%j: a member is removed', (before, after) => {
    expect(removeMember(before, ['b'])).toBe(after);
  });

  test('a value is replaced', () => {
    expect(setValue('{\n  "a": 1, // one\n  "b": [2,], /* two */\n}', ['b'], 3)).toBe(
      '{\n  "a": 1, // one\n  "b": 3, /* two */\n}',
    );
  });
});
