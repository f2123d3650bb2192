import type {Allowed} from './differences.ts';

/** Every difference from commit 7ed81a1 that is meant. The test fails for any other, and for a line that nothing needs any more. */
export const allowed: readonly Allowed[] = [
  {
    fields: 'covered',
    commands:
      /\b(?:git (?:cat-file --filters|filter-branch)|ext::|perl|php|ruby|vim|docker -H|yq|node --run|socat|emacs|nc -e|less|cmake -E|at|crontab|jest a -r|yarn jest)\b/u,
    now: /\bask/u,
    why: 'no rule with a wildcard covers options that run or load code',
  },
  {
    fields: 'broad',
    commands:
      /\b(?:aws|az|gcloud|gh|nix|mix|lxc|vagrant|npm|docker compose|docker-compose|wsl|ansible|emacs|crontab|at|batch|corepack)\b/u,
    now: /runs? (?:any other program|whatever it is given)/u,
    why: 'a rule that leaves open what a runner of other programs runs is told to be broad',
  },
  {
    fields: 'rules',
    commands: /\b(?:npm|docker compose|docker-compose|vagrant|wsl|ansible|nix|emacs|corepack)\b/u,
    now: /^Bash\([^\n]*(?<!:\*)\)(?:\nBash\(.*npm config (?:get|list):\*\))?$/u,
    why: 'no rule is offered that leaves open what a runner of other programs runs',
  },
  {
    fields: 'written',
    commands:
      /\b(?:awk --dump-variables|wget -ed|jq (?:-s|-ss|-- --split-exp|--split-exp)|(?:jest|vitest) -- --outputFile|pip3? --prefi|pandoc --outpu|javac|nix -c|poetry run)\b/u,
    why: 'more options name a file that is written; jq has no --split-exp, and -s reads',
  },
  {
    fields: 'written',
    commands: /\b(?:rsync|scp)\b/u,
    why: 'the last operand of every program that copies is written, as that of cp is',
  },
  {fields: 'written', commands: /\brimraf\b/u, why: 'every program that removes files changes them, as rm does'},
  {
    fields: 'reasons denied',
    commands: /\b(?:tsx|gradlew|gmake)\b/u,
    now: /Runs code/u,
    why: 'tsx is known as node is, gradlew as gradle, gmake as make',
  },
  {
    fields: 'rules',
    commands: /\b(?:fdfind|gfind|gtar)\b/u,
    why: 'fdfind, gfind and gtar have the row of fd, find and tar, so that no wide rule is offered',
  },
  {
    fields: 'risk reasons critical',
    commands: /\bgtar\b/u,
    now: /^(?:local-change|Changes files.*|)$/u,
    why: 'gtar is known as tar is',
  },
  {
    fields: 'risk reasons',
    commands: /\btofu\b/u,
    now: /^(?:external|Talks to a service.*)$/u,
    why: 'tofu is known as terraform is',
  },
  {fields: 'written', commands: /\byq -o=/u, why: 'the letters behind -o= are its value, not more options'},
  {fields: 'pagers', commands: /\bex a/u, why: 'ex takes over the terminal, as ed does'},
  {
    fields: 'loss impact risk reasons word destructive critical rules',
    commands:
      /\b(?:cp -t|mv --upd|curl -- --output|wget -- -O|sed -fscript|install --mode|cp --archive|ln -\w*[nt]\b|git clean -fe)\b/u,
    why: 'options are read as the programs read them: values of letters that share a word, and `--`',
  },
  {
    fields: 'covered',
    commands: /^uvx yarn jest --config/u,
    now: /\bask/u,
    why: 'what loads settings from outside the workspace counts for each program in the command',
  },
  {
    fields: 'broad',
    commands: /\b(?:bsdtar|chgrp|chown|fdfind|gfind|gsed|gtar|nerdctl|nawk)\b/u,
    now: / can | runs whatever it is given/u,
    why: 'what a rule of find, tar, sed and the like lets through holds for all names of the program',
  },
  {
    fields: 'rules',
    commands: /\b(?:apk|gmake|gradlew|mamba|mvnw|nerdctl|oc|sbt|tofu)\b/u,
    now: /^Bash\([^\n]*(?<!:\*)\)/u,
    why: 'the first word of these says what they do, as that of brew, make, gradle, conda, mvn, docker and kubectl does',
  },
  {
    fields: 'covered',
    commands: /\b(?:sed|awk) /u,
    now: /\bask/u,
    why: 'scripts are found behind abbreviated options, too',
  },
  {
    fields: 'covered',
    commands: /\b(?:go env\b.* -w|npm config set (?:script-shell|node-options))\b/u,
    now: /\bask/u,
    why: 'settings of go and npm that choose a program are set by a command of theirs',
  },
  {
    fields: 'written',
    commands:
      /\b(?:ar|nm|ranlib|strip|objdump|mypy|pylint|flake8|coverage|yapf|bandit|autopep8|gpg2?|nc|ncat|netcat)\b.* --[a-z-]+/u,
    was: /^$/u,
    why: 'these programs take abbreviated options',
  },
];
