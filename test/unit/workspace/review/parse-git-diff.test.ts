import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {parseGitDiff} from '../../../../src/workspace/review/review-source.ts';

test('files, hunks and what becomes of a file', () => {
  const text = String.raw`diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ function a() {
 one
-two
+--- two
 three
@@ -10 +10,2 @@
-old
+new
+more
\ No newline at end of file
diff --git a/gone.md b/gone.md
deleted file mode 100644
--- a/gone.md
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old name.ts b/new name.ts
similarity index 100%
rename from old name.ts
rename to new name.ts
diff --git "a/\303\244\n.ts" "b/\303\244\n.ts"
new file mode 100644
--- /dev/null
+++ "b/\303\244\n.ts"
@@ -0,0 +1 @@
+x
diff --git a/p.png b/p.png
index 1..2 100644
Binary files a/p.png and b/p.png differ
`;
  expect(
    parseGitDiff(text).map(({hunks, ...file}) => [
      file,
      hunks.map(({lines, ...at}) => [at, lines.map(line => `${line.kind[0]} ${line.text}`)]),
    ]),
  ).toEqual([
    [
      {path: 'src/a.ts', before: 'present', after: 'present', movedFrom: undefined, added: 3, removed: 2, notes: []},
      [
        [{oldStart: 1, newStart: 1}, ['c one', 'r two', 'a --- two', 'c three']],
        [{oldStart: 10, newStart: 10}, ['r old', 'a new', 'a more']],
      ],
    ],
    [
      {path: 'gone.md', before: 'present', after: 'absent', movedFrom: undefined, added: 0, removed: 1, notes: []},
      [[{oldStart: 1, newStart: 1}, ['r x']]],
    ],
    [
      {
        path: 'new name.ts',
        before: 'present',
        after: 'present',
        movedFrom: 'old name.ts',
        added: 0,
        removed: 0,
        notes: [],
      },
      [],
    ],
    [
      {path: 'ä\n.ts', before: 'absent', after: 'present', movedFrom: undefined, added: 1, removed: 0, notes: []},
      [[{oldStart: 1, newStart: 1}, ['a x']]],
    ],
    [
      {
        path: 'p.png',
        before: 'present',
        after: 'present',
        movedFrom: undefined,
        added: 0,
        removed: 0,
        notes: ['binary file'],
      },
      [],
    ],
  ]);
});

test('no text makes it fail, and no line of a hunk is lost', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'diff --git a/x b/x',
      '--- a/x',
      '+++ b/x',
      '@@ -1,2 +1 @@',
      '@@ -0,0 +1,3 @@',
      'rename to "y',
      '+',
      '-',
      ' ',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line), lines => {
      for (const {hunks, added, removed} of parseGitDiff(lines.join('\n'))) {
        const kinds = hunks.flatMap(hunk => hunk.lines.map(({kind}) => kind));
        expect([added, removed]).toEqual([
          kinds.filter(kind => kind === 'added').length,
          kinds.filter(kind => kind === 'removed').length,
        ]);
      }
    }),
  );
});
