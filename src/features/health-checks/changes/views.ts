import type { StepCounts } from '@signalman/durable'
import {
  card,
  clip,
  commandButton,
  commandMenu,
  lines,
  type Message,
  oneLine,
  type Posted,
  person,
  section,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { JOBS_KEPT_IN_WORDS } from '../../../bot/retention/sweeping.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import type { Carried } from '../../../domain/outages/carry-checks.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { NAMED } from '../files/report.ts'
import type { Change } from './change.ts'
import type { Ended } from './outcomes.ts'
import type { Undoable } from './places.ts'
import type { OpenJob } from './start-changes.ts'

/** What a job that changes health checks remembers beside its changes. */
export interface ChangesAbout {
  /** As it is typed: `/hc import`. */
  verb: string
  /** What it is about, in words: `Set frequency to 30 on web-*`; of an import, the name of the file. */
  title: string
  /** What its checks are afterwards: `now checked every 30 s`. */
  became?: string
  /** The name of the file that it comes from. */
  fileName?: string
  planned: Readonly<Record<Change['do'], number>>
  /** The mark of the account that it is about. */
  account?: string
  /** The job that it undoes, whose that was, and since when it was there. */
  undoes?: string
  undoesOf?: string
  /** The message that says what that job did, where all of that can be undone. */
  undoesAt?: Posted | undefined
  since?: string
}

const TITLE = 150
/** In front of the title of what an undo takes back. */
export const UNDO = 'Undo: '

export const checks = (count: number): string => counted(count, 'health check')
const titled = (title: string): string => clip(oneLine(title), TITLE) || 'the file'

/** A card of plain lines: the first is the answer. */
export function saying(
  [answer = '', ...rest]: readonly (string | false | undefined)[],
  ...controls: ReturnType<typeof commandButton>[]
): Message {
  return card({ answer: answer || '', notes: present(rest), controls })
}

const present = (all: readonly (string | false | undefined)[]): string[] =>
  all.filter((line): line is string => typeof line === 'string' && line !== '')

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
  return saying(
    [
      fileName === undefined
        ? `${titled(title)}${badgeOf(environment)}: ${grouped(over)} of ${grouped(totalOf(counts))}.`
        : `Importing ${titled(fileName)}${badgeOf(environment)}: ${grouped(over)} of ${counted(totalOf(counts), 'row')}.`,
      progressBar(over, totalOf(counts)),
      counts.refused > 0 && `${grouped(counts.refused)} could not be done.`,
    ],
    commandButton('Cancel', `/hc job-cancel ${jobId}`),
  )
}

const BAR = 20

/** `▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░░`: the numbers stand beside it. */
const progressBar = (over: number, all: number): string => {
  const full = all === 0 ? 0 : Math.floor((over / all) * BAR)
  return '▓'.repeat(full) + '░'.repeat(BAR - full)
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
  const start = `/hc job-start ${jobId}`
  const undo = undoableOf(about, ended, environment)
  return card({
    answer: `${answerOf(about, ended)}${badgeOf(environment)}.`,
    notes: present([
      ended.problem,
      ...(isWhole(about, ended) ? [] : doneLines(ended)),
      ...refusedLines(ended),
      carriedWords(ended.carried),
      ended.half > 0 &&
        `${checks(ended.half)} ${ended.half === 1 ? 'was' : 'were'} begun and ${ended.half === 1 ? 'is' : 'are'} not whole yet: a part of what was asked for is done, as to make the check, but not all of its alerts.`,
      counts.begun > 0 &&
        `Of ${grouped(counts.begun)} the service did not say whether that was done; it is found out before anything is tried again.`,
      undo && `It can be undone for ${JOBS_KEPT_IN_WORDS}.`,
      left > 0 &&
        `${grouped(left)} left${ended.canGoOn ? GOING_ON : ` and cannot be read${UNREADABLE}${start}`}.`,
    ]),
    small: about.fileName === undefined ? [`Asked for: ${titled(about.title)}`] : [],
    controls: [
      ...(ended.canGoOn ? [commandButton('Go on', start, { style: 'primary' })] : []),
      ...(undo ? [undoButton(`/hc job-undo ${jobId}`, undo.asks)] : []),
      ...(about.undoes !== undefined && counts.refused > 0
        ? [commandButton('Undo the rest', `/hc job-undo ${about.undoes}`)]
        : []),
      commandButton('List health checks', '/hc list'),
    ],
  })
}

/** In the place of what a job has said of itself, once all of it was undone. */
export const undoneJobView = ({ title }: ChangesAbout, environment: Environment): Message =>
  card({
    answer: `Undone: ${titled(title.replace(UNDO, ''))}${badgeOf(environment)}`,
    controls: [commandButton('List health checks', '/hc list')],
  })

/** Whether the first line says all that was done. */
const isWhole = ({ became }: ChangesAbout, { counts, half, unread }: Ended): boolean =>
  became !== undefined && counts.done === totalOf(counts) && half + unread === 0

/** What was done, and what is asked before it is undone; undefined where nothing can be. */
export function undoableOf(about: ChangesAbout, ended: Ended, environment: Environment) {
  const { counts, done, half } = ended
  if (about.undoes !== undefined || counts.done + half === 0) return undefined
  const asks = [...undoneLines(done, half), 'What somebody has changed since is left as it is.'].join(' ')
  return { says: `${answerOf(about, ended)}${badgeOf(environment)}`, asks }
}

const GOING_ON = '. What was done stays; going on does nothing twice'
const UNREADABLE =
  ', so nothing was done about that; what was done stays. Once it is mended as docs/keys.md says, go on with '

/** What is true now, and of how many: `9 of 11 health checks are now checked every 45 s`. */
function answerOf({ fileName, title, became, undoes }: ChangesAbout, { counts, isStopped }: Ended): string {
  const left = counts.ready + counts.begun
  const stop = left > 0 ? (isStopped ? 'Cancelled: ' : 'Stopped: ') : ''
  if (fileName !== undefined)
    return stop ? `${stop}the import of ${titled(title)}` : `Imported ${titled(title)}`
  const so = counts.done + counts.found
  const all = totalOf(counts)
  const of = so === all ? checks(all) : `${grouped(so)} of ${checks(all)}`
  const is = so === 1 || all === 1 ? 'is' : 'are'
  return `${stop}${of} ${is} ${undoes === undefined ? (became ?? 'changed') : 'as before'}`
}

function doneLines({ counts, done, found, unread, half }: Ended): string[] {
  // Of what was begun nobody knows.
  const isIdle = counts.done + half + counts.begun === 0
  return [
    done.create > 0 && `${checks(done.create)} created.`,
    done.edit > 0 && `${checks(done.edit)} changed.`,
    done.delete > 0 && `${checks(done.delete)} deleted.`,
    unread > 0 && `${grouped(unread)} more done; what that was cannot be read.`,
    isIdle && 'Nothing was changed.',
    found.create > 0 && `${checks(found.create)} ${found.create === 1 ? 'was' : 'were'} there already.`,
    found.edit > 0 && `${checks(found.edit)} had these values already.`,
    found.delete > 0 && `${checks(found.delete)} ${found.delete === 1 ? 'was' : 'were'} gone already.`,
  ].filter((line) => line !== false)
}

function refusedLines({ refused, partly, hasReport }: Ended): string[] {
  const inFile = hasReport ? '; all of them are in the file' : ''
  return [...namedLines(refused, 'refused', inFile), ...namedLines(partly, 'of those done not whole', inFile)]
}

/** How many, then the first of them by name. */
function namedLines(named: Ended['refused'], what: string, inFile: string): string[] {
  if (named.length === 0) return []
  const first = named.slice(0, NAMED)
  const more = named.length - first.length
  return present([
    `${grouped(named.length)} ${what}:`,
    ...first.map(({ where, says }) => `${clip(oneLine(where), 80)}: ${clip(oneLine(says), 180)}`),
    more > 0 && `And ${grouped(more)} more${inFile}.`,
  ])
}

/** What watched a check that is back, or was not to be told of it. */
export function carriedWords({ watches, mutes }: Carried): string | false {
  const named = [
    watches > 0 && counted(watches, 'watch', 'watches'),
    mutes > 0 && counted(mutes, 'mute'),
  ].filter(Boolean)
  if (named.length === 0) return false
  const verb = watches + mutes === 1 ? 'follows' : 'follow'
  return `${named.join(' and ')} ${verb} to the new UUID${watches + mutes === 1 ? '' : 's'}.`
}

const undoButton = (line: string, asks: string) =>
  commandButton(
    'Undo',
    line,
    asks ? { confirm: { title: 'Undo all of it?', text: asks, confirm: 'Undo' } } : { inPlace: true },
  )

/** The last thing that this person has done and can undo, with the button of its result. */
export function undoView([last, ...earlier]: readonly Undoable[]): Message {
  if (last === undefined)
    return saying([
      'You have done nothing lately that can be undone here.',
      `A deletion can be undone for ten minutes, an import or a change of many health checks for ${JOBS_KEPT_IN_WORDS}. A single edit is changed back with /hc edit.`,
    ])
  return card({
    answer: ['Undo your last change?', ` ${last.says}.`],
    notes: earlier.map(({ says }) => `Before it: ${says}.`),
    small: [['Done ', new Date(last.at), ', can be undone until ', new Date(last.until)]],
    controls: [undoButton(last.line, last.asks)],
  })
}

/** What an undo does, by what was done: what was created is deleted by it. */
function undoneLines({ create, edit, delete: deleted }: Ended['done'], half: number): string[] {
  return [
    create > 0 && `${checks(create)} that this has created ${create === 1 ? 'is' : 'are'} deleted.`,
    edit > 0 && `${checks(edit)} ${edit === 1 ? 'goes back to what it was' : 'go back to what they were'}.`,
    deleted > 0 && `${checks(deleted)} that this has deleted ${deleted === 1 ? 'is' : 'are'} created again.`,
    half > 0 && `What was begun of ${checks(half)} is taken back, too.`,
  ].filter((line) => line !== false)
}

/** A check is deleted; the button brings it back. */
export const deletedView = (says: string, undoId: string): Message =>
  saying(
    [`${says}. It can be undone for ten minutes.`],
    undoButton(`/hc undelete ${undoId}`, ''),
    commandButton('List', '/hc list'),
  )

const SHOWN = 10

/** What changes many health checks just now, and a menu that stops one. */
export function jobsView(jobs: readonly OpenJob[], now: Date): Message {
  const shown = jobs.slice(0, SHOWN)
  const more = jobs.length - shown.length
  return card({
    answer:
      jobs.length === 0
        ? 'No import or other change of many health checks is running.'
        : `${counted(jobs.length, 'change')} of many health checks ${jobs.length === 1 ? 'runs' : 'run'}`,
    body: shown.map((job) => lines([`${wordsOf(job)} Asked for by `, person(job.userId), '.'])),
    small: [
      ...(more > 0 ? [`And ${grouped(more)} more.`] : []),
      '/hc undo takes back what you did last.',
      ['As of ', now],
    ],
    controls: [
      commandButton('Refresh', '/hc jobs', { inPlace: true }),
      ...(shown.length > 0
        ? [
            commandMenu(
              'Stop…',
              shown.map((job) => ({ label: clip(job.about.title, 60), value: `/hc job-cancel ${job.id}` })),
              { inPlace: false },
            ),
          ]
        : []),
    ],
  })
}

/** A person's own jobs in App Home. */
export const homeJobBlocks = (jobs: readonly OpenJob[]): KnownBlock[] =>
  jobs.slice(0, SHOWN_AT_HOME).map((job) => section(wordsOf(job), commandButton('What runs', '/hc jobs')))

const SHOWN_AT_HOME = 3

function wordsOf({ about, counts, environment, isRunning }: OpenJob): string {
  const over = counts.done + counts.found + counts.refused
  const all = over + counts.ready + counts.begun
  const title = `${about.fileName === undefined ? '' : 'Import of '}${clip(oneLine(about.title), 150)}`
  return `${title}${badgeOf(environment)}: ${isRunning ? '' : 'waits, '}${grouped(over)} of ${grouped(all)} done.`
}
