import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { StepCounts } from '../../../store/store.ts'
import type { Change } from './change.ts'
import type { Counted, RefusedChange } from './outcomes.ts'

/** What a job that changes health checks remembers beside its changes. */
export interface ChangesAbout {
  /** As it is typed: `/hc import`. */
  verb: string
  /** What it is about, in words: `Set frequency to 30 on web-*`; of an import, the name of the file. */
  title: string
  /** The name of the file that it comes from. */
  fileName?: string
  planned: Readonly<Record<Change['do'], number>>
  /** The job that it undoes. */
  undoes?: string
}

/** How a job ended. `problem` is why it could not go on. */
export interface Ended extends Counted {
  isStopped: boolean
  problem: string | undefined
  refused: readonly RefusedChange[]
  refusedCount: number
  hasReport: boolean
  /** False where nothing is left, or where all that is left does not open. */
  canGoOn: boolean
}

const TITLE = 150

export const checks = (count: number): string => counted(count, 'health check')
const titled = (title: string): string => clip(oneLine(title), TITLE) || 'the file'

export function saying(
  lines: readonly (string | false | undefined)[],
  ...buttons: ReturnType<typeof commandButton>[]
): Message {
  const text = lines.filter(Boolean).join('\n')
  return message(literal(text), section(text), actions(...buttons))
}

const totalOf = ({ ready, begun, done, found, refused }: StepCounts): number =>
  ready + begun + done + found + refused

/** How far it is. */
export function changingView(
  jobId: string,
  { title, fileName }: ChangesAbout,
  counts: StepCounts,
  environment: Environment,
): Message {
  const over = counts.done + counts.found + counts.refused
  const of = `${grouped(over)} of ${grouped(totalOf(counts))}`
  const line = fileName === undefined ? `/hc job-cancel ${jobId}` : `/hc import-cancel ${jobId}`
  return saying(
    [
      fileName === undefined
        ? `${titled(title)}${badgeOf(environment)}: ${of}.`
        : `Importing ${titled(fileName)}${badgeOf(environment)}: ${of} rows.`,
      counts.refused > 0 && `${grouped(counts.refused)} could not be done.`,
    ],
    commandButton('Cancel', line, { style: 'danger' }),
  )
}

/** How it ended, and what can be done about what is left and about what was done. */
export function changedView(
  jobId: string,
  about: ChangesAbout,
  ended: Ended,
  environment: Environment,
): Message {
  const { counts } = ended
  const left = counts.ready + counts.begun
  const start = `/hc ${about.fileName === undefined ? 'job' : 'import'}-start ${jobId}`
  return saying(
    [
      `${headOf(about, ended)} ${titled(about.title)}${badgeOf(environment)}.`,
      ended.problem,
      ...doneLines(about, ended),
      ...refusedLines(ended),
      counts.begun > 0 &&
        `Of ${grouped(counts.begun)} the service did not say whether it did them; that is found out before they are tried again.`,
      left > 0 &&
        `${grouped(left)} left${ended.canGoOn ? GOING_ON : ` and cannot be read${UNREADABLE}${start}`}.`,
    ],
    ...(ended.canGoOn ? [commandButton('Go on', start, { style: 'primary' })] : []),
    ...(about.undoes === undefined && counts.done > 0 ? [undoButton(jobId, ended.done)] : []),
    commandButton('List health checks', '/hc list'),
  )
}

const GOING_ON = '. What was done stays; going on does nothing twice'
const UNREADABLE =
  ': they were passed over, and what was done stays. Once that is mended as docs/keys.md says, they are done by '

function headOf({ fileName }: ChangesAbout, { counts, isStopped }: Ended): string {
  const isImport = fileName !== undefined
  if (counts.ready + counts.begun === 0) return isImport ? 'Imported' : 'Done:'
  return `${isStopped ? 'Cancelled' : 'Stopped'}:${isImport ? ' the import of' : ''}`
}

function doneLines({ fileName }: ChangesAbout, { counts, done, unread }: Ended): string[] {
  const isImport = fileName !== undefined
  const isIdle = counts.done === 0
  return [
    (done.create > 0 || (isIdle && isImport)) && `${checks(done.create)} created.`,
    done.edit > 0 && `${checks(done.edit)} changed.`,
    done.delete > 0 && `${checks(done.delete)} deleted.`,
    unread > 0 && `${grouped(unread)} more done; what they were cannot be read.`,
    isIdle && !isImport && 'Nothing was changed.',
    counts.found > 0 && foundWords(counts.found, isImport),
  ].filter((line) => line !== false)
}

function refusedLines({ refused, refusedCount, hasReport }: Ended): string[] {
  if (refusedCount === 0) return []
  const lines = refused.map(({ where, says }) => `${clip(oneLine(where), 80)}: ${clip(oneLine(says), 180)}`)
  const more = refusedCount - refused.length
  const rest = `And ${grouped(more)} more${hasReport ? '; all of them are in the file' : ''}.`
  return [`${grouped(refusedCount)} refused:`, ...lines, ...(more > 0 ? [rest] : [])]
}

const foundWords = (count: number, isImport: boolean): string =>
  isImport
    ? `${checks(count)} had been there already and left alone.`
    : `${checks(count)} ${count === 1 ? 'was' : 'were'} so already.`

const undoButton = (jobId: string, done: Ended['done']) =>
  commandButton('Undo', `/hc job-undo ${jobId}`, {
    confirm: {
      title: 'Undo all of it?',
      text: [...undoneLines(done), 'What somebody has changed since is left as it is.'].join(' '),
      confirm: 'Undo',
    },
  })

/** What an undo does, by what was done: what was created is deleted by it. */
function undoneLines({ create, edit, delete: deleted }: Ended['done']): string[] {
  return [
    create > 0 && `${checks(create)} that this has created ${create === 1 ? 'is' : 'are'} deleted.`,
    edit > 0 && `${checks(edit)} ${edit === 1 ? 'goes back to what it was' : 'go back to what they were'}.`,
    deleted > 0 && `${checks(deleted)} that this has deleted ${deleted === 1 ? 'is' : 'are'} created again.`,
  ].filter((line) => line !== false)
}

/** One sentence about a job. */
export function startedView(sentence: string): Message {
  return saying([sentence])
}
