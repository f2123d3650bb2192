import {type CheckKind, checkKinds} from './receipt.ts';

/** The check that a claim is about. `command`: only the command that the answer names. `any`: checks in general. `vague`: perhaps no check. */
export type ClaimKind = CheckKind | 'command' | 'any' | 'vague';

interface Subject {
  readonly kind: ClaimKind;
  /** The command that the sentence names. Empty if it names none. */
  readonly command: string;
}

/** A sentence of an answer that says that a check passed. */
export interface Claim extends Subject {
  readonly sentence: string;
}

/**
 * Returns the claims of an answer that a check passed, one for each check. It prefers to miss a claim: a sentence counts
 * only if it says of this moment and this project that the check passed. Plans, conditions, questions, quotations,
 * code and earlier runs don't count. Neither does an answer that says that something was not run.
 */
export function claimsIn(answer: string): readonly Claim[] {
  const commands: string[] = [];
  const text = withoutQuotations(answer, commands);
  if (notRun.test(text)) return [];
  const claims: Claim[] = [];
  const sentences = sentencesOf(text);
  let ran: readonly Subject[] = [];
  for (const [at, sentence] of sentences.entries()) {
    const subjects = contrast.test(sentences[at + 1] ?? '') ? [] : claimedSubjects(sentence, ran, commands);
    const shown = sentence
      .replaceAll(commandToken, (_, token: string) => `\`${commands[Number(token)] ?? ''}\``)
      .trim();
    claims.push(...subjects.map(subject => ({...subject, sentence: shown})));
    const run = wasRun.test(sentence) ? subjectsIn(sentence, commands) : [];
    if (run.length > 0 || subjects.length === 0) ran = run;
  }
  const isAdmitting = sentences.some(sentence => admits.test(sentence) && !allIsWell.test(sentence));
  return claims.filter(
    ({kind, command}, at) =>
      !(kind === 'vague' && isAdmitting) &&
      claims.findIndex(other => other.kind === kind && other.command === command) === at,
  );
}

/** Returns the kind of check that a command looks like. */
export const commandKind = (command: string): Exclude<ClaimKind, 'any' | 'vague'> =>
  (['test', 'lint', 'types', 'build'] as const).find(kind => commandWords[kind].test(command)) ?? 'command';

const commandWords = {
  test: /(?:\b|_)(?:tests?|specs?|vitest|jest|pytest|mocha|rspec|phpunit|ctest|tox|nox|playwright|cypress|unittest)(?:\b|_)/iu,
  lint: /lint|clippy|\b(?:ruff|biome|flake8|vet|shellcheck)\b|--check\b|format:check/iu,
  types: /\b(?:tsc|vue-tsc|types?|type-?checks?|mypy|pyright)\b|cargo check/iu,
  build: /build|compile|bundle|\bmake\b|assemble|\bvite\b|webpack|tsup/iu,
};

// Texts that are not the answer's own words.

const isCommand =
  /^(?:\w+=\S* )*(?:(?:npm|npx|pnpm|yarn|bun|bunx|node|deno|cargo|go|make|just|task|tox|nox|uv|poetry|python3?|sh|bash|mvn|gradle|dotnet|swift|rake|rspec|bundle|composer|php|mix|zig|bazel|ctest|cmake|turbo|nx|tsc|vue-tsc|eslint|oxlint|biome|prettier|ruff|mypy|pyright|flake8|pytest|vitest|jest|mocha|clippy|golangci-lint|shellcheck|stylelint|rubocop|phpunit|playwright)(?![\w./(])|\.{0,2}\/?[\w./-]+\.sh\b|\.\/[\w./-]+)/u;
/** Commands that prose names without code quotes. */
const bareCommand =
  /(?<![\w./-])(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|lint|typecheck|type-check|check)(?::[\w-]+)?|cargo (?:test|build|check|clippy)|go (?:test|build|vet)(?: \.\/\.\.\.)?|make (?:test|build|check|lint)|(?:npx )?(?:tsc|vue-tsc)(?: --?[\w-]+)*|eslint|oxlint|ESLint|Clippy|clippy|ruff(?: check)?|Ruff|mypy|pyright|pytest|vitest|Vitest|Jest|jest|golangci-lint|gofmt|flake8)(?![\w./-])/gu;
const commandToken = /⟦(\d+)⟧/gu;

/** Replaces quoted text, and each command by a token. */
function withoutQuotations(answer: string, commands: string[]): string {
  const keep = (command: string): string => `⟦${commands.push(command) - 1}⟧`;
  return answer
    .replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^[ \t]*\1[`~]*[ \t]*$|[\s\S]*)/gmu, '\n')
    .replaceAll(/^(?: {0,3}>| {4}(?! *(?:[-*+•]|\d+[.)])\s)|\t(?!\s*(?:[-*+•]|\d+[.)])\s)).*$/gmu, '')
    .replaceAll(/^[ \t]*(\*\*|__)([^*_\n]+)\1[ \t]*:?[ \t]*$/gmu, '# $2')
    .replaceAll(/<!--[\s\S]*?-->/gu, ' ')
    .replaceAll(/(`+)(.+?)\1/gu, (_, _ticks, code: string) => {
      if (isCommand.test(code.trim())) return keep(code.trim());
      return /^[\w.:/-]*(?:test|spec)[\w.:/-]*$/iu.test(code) ? 'test' : '¤';
    })
    .replaceAll(
      /"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』|‘[^’\n]*’|(?<!\w)'[^'\n]+'(?!\w)/gu,
      '¤',
    )
    .replaceAll(bareCommand, keep)
    .replaceAll(/\*\*|__|~~.*?~~/gu, '');
}

const heading = /^\s*#/u;
const tableRule = /^\s*\|?[\s:]*-{2,}[\s|:-]*$/u;
const leadIn = /[:：]\s*$/u;
const title = /^\s*(?![-*+•|\d])[^.!?。:：✅✓✔]{1,40}$/u;
const listItem = /^\s*(?:[-*+•|]|\d+[.)、]|[✅✓✔])/u;
/** Headings and lead-ins above lines that say what is to be, what was, or what things mean. */
const planned =
  /next|to ?do|\bverify\b|gate|to (?:test|check|run)|how (?:to|it)|plan\b|expect|accept|criteri|require|definition|before|previous|baseline|original|goal|steps|suggest|recommend|checklist|\b(?:if|when|once|should|would|could|might|until|after|you|your)\b|example|usage|mean|remain|propos|option|codes|will\b|make sure|ensure|upstream|\bCI\b|log\b|nächste|schritte|vorher|erwart|sollte|wenn|sobald|vorschlag|prüf|ziel|kriteri|anforder|下一步|后续|计划|预期|期望|建议|步骤|之前|原先|验收|标准|请|待办|如果|如何|需要|应/iu;
/** Lead-ins above lines that say what was done. */
const reported =
  /verif|valid|check|result|status|test|summary|done|fix works|change|confirm|\b(?:i|we)\b|结果|验证|完成|修改|总结|状态|ergebnis|geprüft|verifiziert|zusammenfassung|geändert|erledigt/iu;

const leadsToReport = (line: string): boolean => reported.test(line) && !planned.test(line);

/** Returns the sentences of a text without those in lists of plans. */
function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  let isPlannedSection = false;
  let hasOtherLead = false;
  let isInLead = false;
  let isAfterBlank = false;
  let previous = '';
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const isBlank = line.trim() === '';
    if (heading.test(line)) {
      isPlannedSection = planned.test(line);
      hasOtherLead = false;
    } else if (tableRule.test(line)) {
      hasOtherLead = !leadsToReport(previous);
      isInLead = true;
    } else if (
      leadIn.test(line) ||
      (title.test(line) && listItem.test(lines.slice(at + 1).find(one => one.trim() !== '') ?? ''))
    ) {
      hasOtherLead = !leadsToReport(line);
      isInLead = false;
    } else if (!isBlank) {
      if (isInLead && isAfterBlank && !listItem.test(line)) hasOtherLead = false;
      isInLead = true;
      const words = line.replace(/^\s*(?:(?:[-*+•]|\d+[.)、])\s*)+(?:\[x\]\s*)?/iu, '');
      if (!isPlannedSection && !hasOtherLead) {
        sentences.push(...words.split(/(?<=[.!?](?=\s)|[。！？])\s*/u).filter(one => one.trim() !== ''));
      }
    }
    isAfterBlank = isBlank;
    previous = line;
  }
  return sentences;
}

// The grammar of a claim.

const rules = {
  test: /(?:tests?|specs?|suites?|test[- ]?suites?|test cases?|test (?:results?|status)|testes|pruebas)\b|テスト|тесты|testsuite\b|testlauf\b|testfälle\b|(?:测试|单测)(?:用例|套件|结果)?|用例/u,
  build: /builds?\b|compilation\b|kompilierung\b|构建|编译|打包/u,
  types:
    /type[- ]?check(?:s|er|ing)?\b|types\b|typescript(?: compilation|\s?编译)?\b|typprüfung\b|typüberprüfung\b|类型(?:检查|校验)/u,
  lint: /lint(?:er|ing|s)?\b(?:\s?检查)?|代码检查|静态检查/u,
  any: /checks\b|prüfungen\b|检查项?/u,
  noun: /(?:⟦\d+⟧|<test>|<build>|<types>|<lint>|<any>)/u,
  /** Words between the beginning of a clause and the check. Others may restrict what the sentence says. */
  attributes:
    /(?:(?:the|that|this|all|all of|both|my|our|your|its|every|single|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|100 ?%(?: of)?|(?:unit|integration|e2e|end-to-end) (?:and|&|und)(?= (?:unit|integration|e2e|end-to-end|regression|lint)\b)|full|whole|entire|complete|existing|new|newly|added|updated|related|relevant|affected|remaining|unit|integration|e2e|end-to-end|regression|snapshot|backend|frontend|project|production|failing|broken|failed|fehlschlagenden?|fehlgeschlagenen?|kaputten?|rote[nr]?|of the|of them|of these|of our|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|beiden?|alle|die|der|das|sämtliche|gesamten?|komplette[nr]?|vollständige|bestehenden?|neuen?|bestehende|unit-|\d[\d,.]*|(?:\d+)\/\d+)\s+|所有|全部|全体|失败的|现有|新增|完整|单元|集成|回归|相关|整个|项目|代码|前端|后端|本地|的|\s|(?:\d+|[两二三四五六七八九十百]+)\s?(?:个|项|条)|unit-?)*/u,
  list: /<noun>(?:\s*(?:,\s*(?:and|und)|,|、|&|\+|\/|\band\b|\bund\b|和|与|及|以及)\s*<attributes><noun>)*/u,
  detail:
    /(?:\s(?:i|we)(?:['’]ve)? (?:just )?(?:added|wrote))?(?:\s(?:in|for|under|of|from|across|on|at|im|in|für|von)\s[^,.;:!?，。]{1,40}?)?(?:\s?[(（][^()（）]{1,60}[)）])?/u,
  separator: /\s*(?:[:：|→=]|-{1,2}>?|[–—,，])?\s*/u,
  adverbs:
    /(?:(?:now|back to|happy|all|still|also|again|both|currently|successfully|cleanly|locally|each|fully|completely|consistently|just|already|has|have|are|is|war|come|comes|came|back|stays?|remains?|runs?|ran|continues? to|finish(?:es|ed)?|completed?|completes|built|compiled|compiles|jetzt|nun|alle|wieder|weiterhin|auch|sind|ist|laufen|läuft|liefen|lief|wurden?|vollständig|komplett|lokal|sauber|erfolgreich|fehlerfrei|ohne fehler|ohne probleme)\s+)*/u,
  zeroProblems: /(?:no|zero|0) (?:failures|errors|problems)/u,
  problems: /(?:[\w-]+ ){0,2}(?:errors?|failures?|warnings?|issues?|problems?|complaints?)\b/u,
  count:
    /\d[\d,.]*(?:\s?(?:\/|of|von)\s?\d[\d,.]*)?(?:\s(?:tests?|specs?|suites?|assertions?))*\s(?:pass(?:ed|es|ing)?|grün|bestanden|green)\b/u,
  passed:
    /(?:(?:(?:reports?|shows?|gives?|meldet|zeigt) )?(?:all |alle )?<count>|(?:pass(?:es|ed|ing)?|green|clean(?:ly)?|succeed(?:s|ed)?|successful(?:ly)?|fine|happy|ok|success)\b|exit(?:s|ed)?(?:(?: with)?(?: exit)?(?: code| status)? 0| cleanly)\b|(?:(?:reports?|shows?|returns?|has|have|found|finds|produces?|gives?|with|completed with|meldet|melden|findet|zeigt|hat|haben|mit)\s+)?(?:(?:no|zero|0|without|without any)\s<problems>|(?:keine|0|ohne)\s(?:fehler\w*|warnungen|probleme)(?: (?:gefunden|gemeldet))?)|meldet nichts\b|(?:durch(?:gelaufen)?|grün|erfolgreich(?: (?:ausgeführt|durchgelaufen|gelaufen))?|bestanden|bestehen|sauber|fehlerfrei|in ordnung)\b|[✅✓✔]️?(?:\s*(?:<count>|passed|passing|pass|succeeded|clean|green|ok)\b)?)/u,
  end: /(?=(?:\s(?:cleanly|successfully|completely|mehr))*\s*(?:$|[.,:!)|（(，。！；;、]|[–—]|-\s|and\b|with\b|without\b|across the board\b|in (?:about|under|less|~|\d|both|all|every)|on (?:all|both|node|python|linux)\b|after\b|now\b|again\b|this time\b|each time\b|every time\b|too\b|as well\b|locally\b|for (?:the|all|both)\b|including\b|so\b|und\b|nach\b|mit\b|ohne\b|wieder\b|jetzt\b|✅|✓|✔|🎉))/u,
  chinese:
    /(?:\s*(?:顺利完成|跑完|完成|修复|用例|套件|检查|结果|编译|构建|测试|执行|运行|全部|全都|都|均|也|现|已|已经|现在|目前|顺利|一次|本地|依然|仍然|仍|并|且|完全|[:：，,|]|\d+\s?(?:\/\s?\d+)?\s?(?:个|项|条|例)?))*\s*(?:通过|成功|跑通|恢复正常|顺利完成|全绿|(?:为|是)绿色?|无误|正常|(?:没有|无|零|0 ?个?)(?:任何)?(?:类型|编译|语法)?(?:错误|报错|警告|问题|失败))了?(?=\s*(?:$|[，。；！、,.;!)）|（(✅🎉]))/u,
};

/** Compiles a pattern in which `<name>` stands for a rule. */
const grammar = (pattern: RegExp, flags = 'iu'): RegExp => new RegExp(expand(pattern), flags);
const expand = (pattern: RegExp): string =>
  pattern.source.replaceAll(/<(\w+)>/gu, (_, name: string) => (isRule(name) ? `(?:${expand(rules[name])})` : ''));
const isRule = (name: string): name is keyof typeof rules => Object.hasOwn(rules, name);

const claimPattern = new RegExp(
  [
    /<list><detail><separator><adverbs><passed><end>/u,
    /[✅✓✔]️?\s*<attributes><list>(?:\s*\([^)]*\))?(?=\s*(?:$|[.,:|]))/u,
    /\b(?:no|zero|0|without any|without)\s(?:new |remaining |more |further )?(?:type(?:script)?|⟦\d+⟧|lint(?:er|ing)?|eslint|compiler?|compilation|build|test)[- ](?:errors|failures|warnings|issues|problems|complaints)(?: (?:are )?left\b| remain\b)?(?=\s*(?:$|[.,:;!)]|and\b|anymore\b|left\b|remain\b|either\b|in (?:the|any|all)\b))/u,
    /\b(?:there (?:are|is) )?(?:no|zero|0) (?:more |longer any )?(?:failing|broken|failed) tests\b(?: (?:remain|left|any ?more)\b)?<end>/u,
    /\b(?:no|none of the|none of my|none of our|none of your)\s<attributes><test>\s(?:now |is |are )?fail(?:s|ed|ing)?(?: (?:any ?more|any longer|now))?<end>/u,
    /\b(?:es gibt )?(?:jetzt )?keine (?:fehlschlagenden|fehlgeschlagenen|roten|kaputten) <test>(?: mehr)?<end>/u,
    /\b(?:es schlägt )?kein(?:er der)? (?:einziger )?tests? (?:schlägt |schlug )?(?:mehr |noch )?fehl<end>/u,
    /(?:没有|无)(?:任何|一个)?(?:失败的<test>|<test>失败)了?(?=\s*(?:$|[，。；！、,.;!)）]))/u,
    /\beverything\s<adverbs>(?:pass(?:es|ed)|green)\s*[:(–—]\s*\d[\d,.]*\s<test>/u,
    /\b(?:project|code|codebase|crate|app|workspace|package|everything|it|projekt|alles)\s<adverbs>(?:compiles|builds|type-?checks|lints|kompiliert|baut)(?:\s(?:now|again|cleanly|successfully|fine|jetzt|wieder|sauber|fehlerfrei|erfolgreich|durch))*(?=\s*(?:$|[.,!)]|and\b|with(?:out)? (?:no|any|zero|errors|warnings)|without\b|ohne fehler))/u,
    /\bkeine (?:typ|lint|typescript|eslint|compiler|build|test)[- ]?(?:fehler|warnungen)\b/u,
    /<list><chinese>/u,
    /\b(?:everything|all|they|it|both|alles|alle|sie)\s<adverbs><passed><end>/u,
    /(?:<count>)<end>/u,
    /<list>: all good<end>/u,
    /(?:\b(?:i|we) )?\b(?:re-?ran|ran|executed) <attributes><list>,? and (?:there (?:were|are)(?: <zeroProblems>)?|(?:got|saw|had) <zeroProblems>)<end>/u,
    /\b(?:re-?ran|ran|executed) <attributes><list>(?: again| once more)?: <zeroProblems><end>/u,
    /(?:\b(?:i|we) )?\b(?:re-?ran|ran|executed) <attributes><list>, which (?:all |both |now )*(?:pass(?:ed)?|succeed(?:ed)?)<end>/u,
    /\b(?:the|both|all) (?:failing|broken|failed) <test> (?:is|are|has been|have been) (?:now )?fixed(?: and (?:now )?pass(?:es)?)?<end>/u,
    /\b<test> failures? (?:is|are|has been|have been) (?:now )?(?:resolved|fixed|gone)<end>/u,
    /<build>\s<adverbs>(?:fixed|works|klappt|funktioniert|behoben)<end>/u,
    /\bfehlgeschlagene <test> (?:ist|sind) (?:jetzt )?behoben<end>/u,
    /\bkeine (?:fehler|fehlschläge) (?:mehr )?in den <test><end>/u,
    /\b(?:type|lint|compiler|build) errors?: (?:none|0|zero)<end>/u,
    /(?:ahora )?(?:tod[oa]s )?l[oa]s (?:tests|pruebas)(?: unitarias)?(?: ahora| ya)? (?:pasan|pasaron)(?: ahora| correctamente)?<end>/u,
    /(?:maintenant,? )?(?:(?:tous )?les tests(?: unitaires)? (?:passent|sont verts)|la suite de tests passe)(?: tous| maintenant| désormais)?<end>/u,
    /(?:agora,? )?(?:todos )?os testes(?: agora)? (?:passam|passaram|estão passando)(?: agora)?<end>/u,
    /(?:ora )?tutti i test(?: ora)? passano(?: ora)?<end>/u,
    /(?:すべての|全ての|全)?テスト(?:は|が)(?:すべて|全て|全部)?(?:成功し|通り|パスし|通過し)(?:まし|てい)(?:た|ます)<end>/u,
    /(?:теперь )?все тесты (?:теперь )?(?:проходят|прошли|пройдены)(?: успешно)?<end>/u,
    /\b(?:i|we) (?:verified|confirmed) (?:the fix|the changes?|this|it) by running <attributes><list>, which (?:all |now )*pass(?:ed)?<end>/u,
    /(?:全部|均|都|\d+\s?\/\s?\d+)(?:已)?(?:通过|成功|全绿)了?(?=\s*(?:$|[，。；！、,.;!)）|（(✅🎉]))/u,
  ]
    .map(expand)
    .join('|'),
  'giu',
);

/** Phrases that block nothing, although their words would. */
const harmless =
  /\b(?:previously|formerly) (?=failing|broken|failed)|\bthat (?:failed|(?:was|were) failing)(?: (?:before|earlier|previously))?\b|\bno longer \w+|\b(?:i|we) can (?:now )?(?:confirm|report|verify)(?: that)?|\b(?:fix(?:ed|es)?|repair(?:ed|s)?|resolv(?:ed|es)) (?:the|all|both|a|\d+) (?:[\w-]+ )?(?:failing|broken|flaky|failed) (?:[\w-]+ )?(?:tests?|specs?|builds?|suites?)|(?:[,(]| and| with) ?(?:no|0|zero|none) (?:fail(?:ed|ing|ures?)|skipped)\b(?! tests)|\berror[- ](?:handling|messages?|codes?|paths?|cases?)/giu;

/** Ways to say that a check passes by what it does not do any more. */
const passing =
  /\b(?:no longer|(?:do|does|is|are)(?:n['’]t| not)) (?:fail(?:s|ing)?|broken|complain(?:s|ing)?|reports? (?:any )?errors?)(?: any ?more)?\b|\bschl(?:ägt|agen) (?:jetzt )?nicht mehr fehl\b/giu;

/** Sentences that say that all is well. They name no check. */
const allIsWell =
  /^[^\p{L}\d]*(?:(?:so|now|and|jetzt|nun|also)[\s,]+)?(?:(?:all good, )?(?:everything|all|alles|it['’]s all|it all)(?:['’]s|\s(?:is|are|ist|now|jetzt|wieder|back to|läuft))*\s(?:green|passes|passing|works|working|ok|okay|grün|funktioniert|läuft|durch|bestanden)(?:\s(?:now|again|jetzt|wieder|as expected))*|(?:(?:there are )?(?:no|zero|0)|keine) (?:more |further |remaining )?(?:failures|errors|fehler|fehlschläge)(?:\s(?:left|remaining|remain|mehr|any ?more|now))*|(?:the|all|die|alle) (?:failures?|errors?|fehler|fehlschläge) (?:is|are|ist|sind) (?:now |jetzt |all )?(?:gone|fixed|resolved|behoben|weg)|(?:现在|已)?(?:全部|一切)(?:已经|都)?(?:通过|正常)了?|全绿|所有错误都?已?(?:修复|解决)了?)[^\p{L}\d]*$/iu;
/** Words of an answer that admits a failure. */
const admits =
  /\b(?:still|not|\w+n['’]t|except|but|remain\w*|unrelated|pre-?existing|noch|nicht|weiterhin|aber|außer)\b|仍|还|未|没有|不过/iu;

/** The words that may stand in a clause before its claim. */
const isNamed = grammar(rules.noun);
const lead = grammar(
  /^\s*(?:(?:now|finally|also|again|still|currently|locally|then|so|done|great|perfect|okay|ok|yes|nice|good|overall|result|results|there are|as a result|with (?:this|that)|(?:i|we)(?:['’]ve| have)?(?: also| now)? (?:re-?ran|ran|run|verified|confirmed|checked)(?: (?:that|and))?|(?:re-?ran|ran|verified|confirmed)(?: that)?|running|jetzt|nun|damit|fertig|super|perfekt|ich habe|lokal|weiterhin|auch|目前|现在|现已|已|并|且|我|已经|确认|验证|运行|执行|了|后|修改后|修复后|重构后|[^\p{L}\d⟦⟧¤]+)\s*)*<attributes>$/u,
);
/** Beginnings of clauses that may restrict the clause after them: `With Node 18, …`. */
const condition =
  /^\s*(?:in|on|with|for|at|under|from|as|inside|given|while|since|because|although|though|without|using|against|despite|depending|contrary|except|im|auf|mit|bei|unter|für|ohne|an|am|beim|seit|da|weil|obwohl|angesichts)\s(?!this|that|these|total|addition|short|summary|diese)|^\s*(?:在|对于|根据|按照|使用|由于|除)/iu;

/** Returns whether a claim may follow this text of its sentence. */
function isOpen(before: string): boolean {
  const clauses = before.split(/([,:;，：；、|]|\s[–—-]\s|\b(?:and|und|so|with)\b)/u);
  if (clauses.some((clause, at) => /[:：]/u.test(clauses[at + 1] ?? '') && planned.test(clause))) return false;
  const separator = clauses.at(-2) ?? '';
  const label = clauses.at(-3) ?? '';
  if (!lead.test(clauses.at(-1) ?? '') || clauses.slice(0, -1).some(clause => condition.test(clause))) return false;
  const isLabel = /[:：–—-]/u.test(separator) || (/^,$/u.test(separator) && label.trim().split(/\s+/u).length < 3);
  const isReport = reported.test(label) || wasRun.test(label) || isNamed.test(label) || lead.test(label);
  return !isLabel || (isReport && !planned.test(label));
}

const zeroProblems = grammar(
  /\b(?:no|zero|0|without(?: any)?)\s<problems>|(?:ohne|keine) (?:fehler|warnungen|probleme)|(?:没有|无)(?:任何)?(?:错误|报错|警告|失败)/u,
  'giu',
);

const blocked = {
  /** Words anywhere before the claim that make it a plan, a condition, hearsay or the past. */
  before:
    /\b(?:(?<!all )(?:one|two|three|four|five|six|seven|eight|nine|most|some|half|many|several) of|if|when|whenever|once|until|till|unless|whether|why|provided|assuming|suppose|otherwise|should|would|could|may|might|must|will|won['’]t|shall|\w+['’]ll|ought|wants?|hope|hopefully|expect\w*|plan|planned|going to|about to|let me|let['’]s|trying|aim|goal|intend|next|todo|later|probably|presumably|likely|maybe|perhaps|apparently|seems?|seemed|appears?|supposedly|allegedly|believe|think|guess|assume|theory|principle|ideally|before|previously|earlier|originally|initially|formerly|used to|last|yesterday|prior|baseline|had|you|you['’]\w+|user|claim\w*|says?|said|states?|stated|mention\w*|reported|according|ci|pipeline|upstream|logs?|badge|e\.g|example|means?|meaning|indicates?|implies|never|instead|rather|so that|in order|wait\w*|requir\w*|wenn|falls|sobald|bevor|nachdem|damit|solange|sofern|sollten?|müssten?|könnten?|würden?|dürften?|muss|müssen|wollen|vorher|zuvor|bisher|früher|ursprünglich|zuletzt|gestern|letzte[nrs]?|laut|angeblich|vermutlich|wahrscheinlich|hoffentlich|vielleicht|eventuell|werden|wird|du|dein\w*|nie|warum|wie|prüfe|stelle|waren?)\b|如果|若|假如|应该|应当|应|将|会|可能|是否|请|确保|保证|需要|需|必须|未|没有|没|尚|之前|以前|先前|原本|原来|一旦|当|直到|只有|只要|建议|希望|预期|期望|理论上|您|你|用户|表示|意味|说明|上次|其他|其它|另一|上游|不|为了|让|等|部分|仅|若干|怎么|如何|为什么|什么|文档|日志|曾|待/iu,
  after:
    /\b(?:or so|says|prints|if|when|whenever|once|until|unless|provided|assuming|as long as|except|but|though|although|however|because|even|regardless|apart|aside|other than|besides|only|before|previously|earlier|according|said|upstream|(?:in|on|by) ci|on main|on master|success|fail\w*|errors?|broken|flaky|crash\w*|hangs?|red|times? out|remain\w*|not|\w+n['’]t|they['’]re|wenn|falls|sobald|sofern|solange|außer|bis auf|aber|jedoch|allerdings|vorher|zuvor|bevor|nicht|kein\w*|nur|fehlgeschlagen|schl(?:agen|ägt)|dann|would|should|will be)\b|\b(?:in|of|for|from) (?:the |their |another |other |an? )[\w/-]+ (?:repo|repository|library|fork)\b|如果|但|不过|除|之前|以前|失败|报错|才|即可|就可以|再|吗|时$|上游|的话|是否|然而|未|不/iu,
};
const imperative =
  /^\s*(?:(?:then|next|finally|first|please|also|now|and|afterwards?|zuletzt|dann|bitte)[,:]?\s+)*(?:run|re-?run|check|verify|ensure|make|confirm|execute|wait|expect|assert|see|use|add|let|keep|get|do|try|prüfe|stelle|führe?|lass|starte)\b|^\s*(?:请|运行\s*⟦\d+⟧\s*(?:确认|验证|检查|看)|确认|验证|检查|确保)/iu;
/** A sentence that takes back the one before. */
const contrast =
  /^\s*(?:but|except|however|only|though|apart|aside|the (?:rest|last|others?)|aber|außer|nur|allerdings|jedoch|但|不过|除了|只有|然而)|\b(?:hangs?|fails?|failing|crash(?:es)?|times? out|schlagen|schlägt)\b|失败/iu;
/** An answer that says so has no claims. */
const notRun =
  /\b(?:did(?: not|n['’]t)|ha(?:ve|s)(?: not|n['’]t)|could(?: not|n['’]t)|can(?:not| not|['’]t)|was(?: not|n['’]t)(?: able)?|unable|without|never|nothing|no way|not) (?:[\w']+ ){0,4}?(?:run|ran|running|execute|executed|executing|verify|verified|verifying|test|tested|confirm|confirmed|re-?run|check|checked)\b|\b(?:tests?|build|lint|types?|typecheck|suite) (?:was|were|is|are|has|have)(?: not|n['’]t)(?: been| yet)* (?:run|executed|re-?run|verified|checked)\b|\buntested\b|\bunverified\b|nicht (?:\w+ )?(?:ausgeführt|laufen lassen|getestet|geprüft|überprüft|verifiziert|gelaufen|ausführen|testen|prüfen)|ungetestet|(?:没有|没能|未|尚未|并未|无法|不能|没法|还没)(?:\S{0,6})?(?:运行|执行|验证|跑|测试过|确认)/iu;
const wasRun =
  /\b(?:ran|re-?ran|running|executed|run with|result of|ausgeführt|laufen lassen)\b|(?:运行|执行|跑)(?:了|过|完)?/iu;

/** The maximum number of UTF-16 units of a sentence that may be a claim. */
const maxSentence = 2000;

/** Returns the checks that a sentence claims to have passed. `ran`: the checks that the sentence before says it ran. */
function claimedSubjects(sentence: string, ran: readonly Subject[], commands: readonly string[]): readonly Subject[] {
  if (sentence.length > maxSentence || /[?？]\s*$|\[ \]|[⬜🔲⏳❌✗✘❓]/u.test(sentence) || imperative.test(sentence))
    return [];
  if (allIsWell.test(sentence) && ran.length === 0) return [{kind: 'vague', command: ''}];
  const calm = sentence
    .replaceAll(passing, 'passes')
    .replaceAll(harmless, match => (/ (?:failing|broken|flaky|failed) /u.test(match) ? 'fixed it' : ' '));
  const claimed: Subject[] = [];
  for (const match of calm.matchAll(claimPattern)) {
    const before = calm.slice(0, match.index);
    const after = calm.slice(match.index + match[0].length).replaceAll(zeroProblems, '');
    if (!isOpen(before) || blocked.before.test(before) || blocked.after.test(after)) continue;
    if (isPartial(match[0])) continue;
    if (
      /\b(?:that|which(?! (?:all |both |now )*(?:pass|succeed))|who|if|when|once|not|\w+n['’]t|should|would|(?<!continues? |back )to|because|will|must|ci|pipeline|upstream|nightly)\b/iu.test(
        match[0],
      )
    )
      continue;
    const named = subjectsIn(match[0], commands);
    claimed.push(...(named.length > 0 ? named : wasRun.test(before) ? subjectsIn(before, commands) : ran));
  }
  return claimed;
}

/** True for `40 of 41 passed`, and for `0 passed`. */
function isPartial(text: string): boolean {
  const [, some, all] = /(\d[\d,.]*)\s?(?:\/|of|von)\s?(?:the )?(\d[\d,.]*)/iu.exec(text) ?? [];
  return some !== all || /(?<![\d.,])0 (?:tests? )?pass/iu.test(text);
}

/** Returns the checks that a text names, each once. */
function subjectsIn(text: string, commands: readonly string[]): readonly Subject[] {
  const named = [...text.matchAll(commandToken)].flatMap(([, at]) => {
    const command = commands[Number(at)];
    return command === undefined ? [] : [{kind: commandKind(command), command}];
  });
  const prose = text.replaceAll(commandToken, ' ');
  const kinds = ([...checkKinds, 'any'] as const).filter(kind => nounPatterns[kind].test(prose));
  const others = kinds.filter(kind => named.every(one => one.kind !== kind) && !(kind === 'any' && kinds.length > 1));
  return [...named, ...others.map(kind => ({kind, command: ''}))];
}

const nounPatterns = {
  test: grammar(/\b(?:<test>)|测试|单测|用例|テスト|тесты/u),
  build: grammar(
    /(?<!typescript )\b(?:<build>|compil\w+|builds|built|kompiliert|baut)|构建|(?<!typescript\s?)编译|打包/u,
  ),
  types: grammar(/\b(?:<types>|type(?:script)?[- ]errors|type-?checks|typfehler|typescript-fehler)|类型/u),
  lint: grammar(/lint|代码检查|静态检查/u),
  any: grammar(/\bchecks\b|prüfungen/u),
};
