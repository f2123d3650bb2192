import type {ReviewPort} from '../actions/review-port.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {changeComments, type NewComment, type ReviewChange, type ReviewComment} from '../domain/code-review.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import {timelineOf} from '../domain/timeline.ts';
import type {AgentPorts} from './ports.ts';

export interface ReviewStore extends Pick<ReviewPort, 'insert'> {
  comments(): readonly ReviewComment[];
  change(change: ReviewChange): Outcome<readonly ReviewComment[], Fault>;
}

const maxComments = 1000;

/** The code review of a session. Each change of its comments is a journal record. The diff is read each time. */
export function makeReviewStore(
  journal: Pick<OpenSession, 'records' | 'append'>,
  {
    directory,
    ports: {reviewSource, secrets},
  }: {readonly directory: string; readonly ports: Pick<AgentPorts, 'reviewSource' | 'secrets'>},
): ReviewStore {
  const comments = (): readonly ReviewComment[] => commentsOf(journal.records);
  const keep = (change: ReviewChange): readonly ReviewComment[] => {
    journal.append({kind: 'review', change: redacted(change, secrets.redact)});
    return comments();
  };

  function changeProblem(change: ReviewChange): Fault | undefined {
    const before = comments();
    if (change.change !== 'add') {
      return before.some(({id}) => id === change.id) ? undefined : rejected(`No comment has the id ${change.id}.`);
    }
    return before.length + change.comments.length > maxComments
      ? rejected(`A review holds at most ${maxComments} comments.`)
      : undefined;
  }

  return {
    comments,
    change(change) {
      const fault = changeProblem(change);
      return fault === undefined ? ok(keep(change)) : failed(fault);
    },
    async insert({repository, base, comments: given}, signal) {
      const diff = await reviewSource.read({repository, range: base}, signal);
      if (diff.tag === 'failed') return diff;
      if (signal.aborted) return failed(rejected('The call was interrupted.'));
      const {root, files} = diff.value;
      const paths = new Set(files.map(({path}) => path));
      const placed: NewComment[] = [];
      for (const comment of given) {
        const path = pathsOf(comment.path, {root, directory}).find(each => paths.has(each));
        if (path === undefined) return failed(rejected(unchangedText(comment.path, [...paths])));
        placed.push({...comment, path});
      }
      const change = {change: 'add', by: 'agent', comments: placed} as const;
      const fault = changeProblem(change);
      if (fault !== undefined) return failed(fault);
      const before = comments();
      keep(change);
      const added = changeComments(before, change).slice(before.length);
      return ok(added);
    },
  };
}

/** Returns what a path may mean in the repository: relative to it, relative to the workspace, or absolute. */
function pathsOf(
  path: string,
  {root, directory}: {readonly root: string; readonly directory: string},
): readonly string[] {
  const plain = path.replace(/^(?:\.\/)+/u, '');
  const below = root.endsWith('/') ? root : `${root}/`;
  if (plain.startsWith(below)) return [plain.slice(below.length)];
  return directory.startsWith(below) ? [`${directory.slice(below.length)}/${plain}`, plain] : [plain];
}

const maxNamedPaths = 20;

function unchangedText(path: string, paths: readonly string[]): string {
  const more = paths.length > maxNamedPaths ? ', …' : '';
  const changed =
    paths.length === 0 ? 'Nothing has changed.' : `Changed: ${paths.slice(0, maxNamedPaths).join(', ')}${more}.`;
  return `Nothing was inserted: ${path} is not among the changed files. ${changed}`;
}

function redacted(change: ReviewChange, redact: (text: string) => string): ReviewChange {
  if (change.change === 'add') {
    return {...change, comments: change.comments.map(comment => ({...comment, text: redact(comment.text)}))};
  }
  return change.change === 'answer' ? {...change, text: redact(change.text)} : change;
}

/** Returns the comments in a session's journal, without rewound ones. */
export const commentsOf = (records: readonly JournalRecord[]): readonly ReviewComment[] =>
  timelineOf(records).activeRecords.reduce<readonly ReviewComment[]>(
    (comments, record) => (record.kind === 'review' ? changeComments(comments, record.change) : comments),
    [],
  );
