import {
  card,
  clip,
  commandButton,
  commandMenu,
  type Line,
  lines,
  type Message,
  oneLine,
  person,
  section,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { JOBS_KEPT_TEXT } from '../../../bot/retention/sweeping.ts'
import { cmd } from '../../../domain/command-names.ts'
import { ENVIRONMENT_NAMES, type Environment, environmentSuffix } from '../../../domain/environment.ts'
import type { MovedWatches } from '../../../domain/outages/move-watches.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import {
  type ChangesDetails,
  countSettledSteps,
  countSteps,
  type JobResult,
  type OpenJob,
  type StepCounts,
  type StoppedJob,
  type UndoOffer,
} from '../rules/job.ts'
import { countChecks, MAX_LISTED } from './words.ts'

const MAX_TITLE_LENGTH = 150

const shortenTitle = (title: string): string => clip(oneLine(title), MAX_TITLE_LENGTH) || 'the file'

/** A card of plain lines. The first is its headline. */
export function textCard(
  [answer = '', ...rest]: readonly (string | false | undefined)[],
  ...controls: ReturnType<typeof commandButton>[]
): Message {
  return card({ headline: answer || '', notes: compact(rest), controls })
}

const compact = <T extends Line>(candidates: readonly (T | false | undefined)[]): T[] =>
  candidates.filter((line): line is T => line !== undefined && line !== false && line !== '')

/** The progress of a running job. */
export function changingView(
  jobId: string,
  { title, fileName }: ChangesDetails,
  counts: StepCounts,
  environment: Environment,
): Message {
  const [settled, total] = [countSettledSteps(counts), countSteps(counts)]
  const notDone = counts.skipped + counts.refused + counts.unclear + counts.partial
  return textCard(
    [
      fileName === undefined
        ? `${shortenTitle(title)}${environmentSuffix(environment)}: ${formatCount(settled)} of ${formatCount(total)}.`
        : `Importing ${shortenTitle(fileName)}${environmentSuffix(environment)}: ${formatCount(settled)} of ${pluralize(total, 'row')}.`,
      progressBar(settled, total),
      notDone > 0 && `${formatCount(notDone)} not done.`,
    ],
    commandButton('Stop', `/hc job-stop ${jobId}`),
  )
}

const BAR_LENGTH = 20

/** `▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░░`, shown next to the numbers. */
const progressBar = (settled: number, total: number): string => {
  const full = total === 0 ? 0 : Math.floor((settled / total) * BAR_LENGTH)
  return '▓'.repeat(full) + '░'.repeat(BAR_LENGTH - full)
}

/**
 * The result of a job, with buttons to continue, retry, or undo it. `shownUntil` is set if it's shown again later: until when the job
 * is stored. By then, someone may have changed the health checks again.
 */
export function changedView(
  jobId: string,
  details: ChangesDetails,
  result: JobResult,
  environment: Environment,
  // Set for a job that is shown some time after it has ended: until when it's stored, and the job that undoes it, if one was started.
  later?: { until: Date; undoId?: string | undefined },
): Message {
  const { counts, next } = result
  return card({
    headline: `${describeOutcome(details, result, later !== undefined)}${environmentSuffix(environment)}.`,
    notes: compact([
      counts.done + counts.same < countSteps(counts) && result.endReason,
      ...(isFirstLineEnough(details, counts) ? [] : [describeCounts(counts)]),
      ...(details.fileName === undefined ? [] : doneLines(result)),
      ...problemLines(result),
      describeMovedWatches(result.movedWatches),
      details.by !== undefined && [`${details.by.does} by `, person(details.by.userId), '.'],
      next.canUndo &&
        (later ? ['It can be undone until ', later.until, '.'] : `It can be undone for ${JOBS_KEPT_TEXT}.`),
      later?.undoId !== undefined && 'Someone has started to undo this since.',
      result.undecryptable > 0 &&
        `${formatCount(result.undecryptable)} can’t be decrypted. Fix the keys as docs/keys.md explains, then continue with ${cmd('/hc job-start')} ${jobId}.`,
      next.canContinue &&
        'If you continue, nothing is done twice, and health checks that someone has changed since are skipped.',
      counts.unclear > 0 &&
        'If you try again, changes with an unknown outcome are repeated too. Look at the health checks first.',
    ]),
    smallPrint: details.fileName === undefined ? [`Requested: ${shortenTitle(details.title)}`] : [],
    controls: [
      ...(next.canContinue
        ? [commandButton('Continue', `/hc job-start ${jobId}`, { style: 'primary' })]
        : []),
      ...(next.canUndo ? [undoButton(`/hc job-undo ${jobId}`, undoConfirmation(result))] : []),
      ...(next.canTryAgain ? [tryAgainButton(jobId, details, counts)] : []),
      ...(later?.undoId === undefined
        ? []
        : [commandButton('Show the undo', `/hc job-show ${later.undoId}`)]),
      commandButton('List health checks', '/hc list'),
    ],
  })
}

function tryAgainButton(jobId: string, { planned }: ChangesDetails, { refused, unclear }: StepCounts) {
  const line = `/hc job-start ${jobId} --again`
  if (unclear === 0) return commandButton('Try again', line)
  return commandButton('Try again', line, {
    confirm: {
      title: `Try ${pluralize(refused + unclear, 'change')} again?`,
      text: compact([
        'Nobody knows whether some of these were done.',
        planned.create > 0 && 'A check that was created and then renamed would be created a second time.',
      ]).join(' '),
      confirm: 'Try again',
    },
  })
}

/** Whether the first line covers everything that happened. */
const isFirstLineEnough = (details: ChangesDetails, counts: StepCounts): boolean =>
  details.fileName === undefined &&
  (counts.done === countSteps(counts) || isSingleFailure(details, counts) || isSinglePart(details, counts))

const VERBS = { create: 'Created', edit: 'Changed', delete: 'Deleted' } as const

/** Describes what was done: `Deleted 25 of 60 health checks`. `isLater`: some time after the job has ended. */
function describeOutcome(
  details: ChangesDetails,
  { counts, isStopped }: Pick<JobResult, 'counts' | 'isStopped'>,
  isLater: boolean,
): string {
  if (details.inWindow && counts.begun + counts.unclear > 0)
    return `The outcome is unknown: ${shortenTitle(details.title)}. It may still have gone through`
  if (isSingleFailure(details, counts)) return `Not done: ${shortenTitle(details.title)}`
  if (isSinglePart(details, counts)) return `Partly done: ${shortenTitle(details.title)}`
  const isComplete = counts.ready + counts.begun === 0
  const outcome =
    details.undoes === undefined ? describeDone(details, counts, isLater) : describeUndone(details, counts)
  return isComplete
    ? outcome
    : `${isStopped ? 'Stopped' : 'Ended early'}: ${outcome.charAt(0).toLowerCase()}${outcome.slice(1)}`
}

/** The job changed a single check, and it certainly failed. */
const isSingleFailure = ({ doneText }: ChangesDetails, counts: StepCounts): boolean =>
  doneText !== undefined && counts.done + counts.partial + counts.same + counts.begun + counts.unclear === 0

const isSinglePart = ({ doneText }: ChangesDetails, counts: StepCounts): boolean =>
  doneText !== undefined && counts.partial === countSteps(counts)

function describeUndone({ title, notUndone = [] }: ChangesDetails, counts: StepCounts): string {
  const total = countSteps(counts) + notUndone.length
  if (counts.done + counts.same === total) return `Undone: ${shortenTitle(title.replace(UNDO_PREFIX, ''))}`
  return `Undone ${formatCount(counts.done)} of ${pluralize(total, 'change')}`
}

function describeDone(
  { verb, doneText, fileName, newStateText, planned }: ChangesDetails,
  counts: StepCounts,
  isLater: boolean,
): string {
  if (doneText !== undefined && counts.done === countSteps(counts)) return doneText
  if (fileName !== undefined) return `Imported ${shortenTitle(fileName)}`
  const total = countSteps(counts)
  const ofTotal = (count: number): string =>
    count === total ? countChecks(total) : `${formatCount(count)} of ${countChecks(total)}`
  const kinds = (['create', 'edit', 'delete'] as const).filter((kind) => planned[kind] > 0)
  const [kind = 'edit'] = kinds
  // All checks are in the new state only if no step failed.
  if (kind === 'edit' && newStateText !== undefined && counts.done + counts.same === total)
    return isLater
      ? `Changed ${ofTotal(counts.done)}: ${newStateText.replace(/^(?:now |changed: )/, '')}`
      : `${countChecks(total)} ${total === 1 ? 'is' : 'are'} ${newStateText}`
  if (verb === '/hc clone') return `Copied ${ofTotal(counts.done)}`
  return `${kinds.length === 1 ? VERBS[kind] : 'Changed'} ${ofTotal(counts.done)}`
}

/** Precedes the title of the job that an undo reverts. */
export const UNDO_PREFIX = 'Undo: '

/** `12 of 60 done, 3 unchanged, 1 skipped`. Adds up to the total. */
function describeCounts(counts: StepCounts): string {
  const unclear = counts.unclear + counts.begun
  const parts = [
    `${formatCount(counts.done)} of ${formatCount(countSteps(counts))} done`,
    counts.partial > 0 && `${formatCount(counts.partial)} partly done`,
    counts.same > 0 && `${formatCount(counts.same)} unchanged`,
    counts.skipped > 0 && `${formatCount(counts.skipped)} skipped`,
    counts.refused > 0 && `${formatCount(counts.refused)} refused by the service`,
    unclear > 0 && `${formatCount(unclear)} unclear`,
    counts.ready > 0 && `${formatCount(counts.ready)} not started`,
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

const doneLines = ({ done }: JobResult): string[] =>
  (['create', 'edit', 'delete'] as const).flatMap((kind) =>
    done[kind] > 0 ? [`${VERBS[kind]} ${countChecks(done[kind])}.`] : [],
  )

/** Names the first steps that weren't fully done. */
function problemLines({ problems, unlistedCount, hasReport }: JobResult): string[] {
  const first = problems.slice(0, MAX_LISTED)
  const more = problems.length + unlistedCount - first.length
  return compact([
    ...first.map(({ label, reason }) => `${clip(oneLine(label), 80)}: ${clip(oneLine(reason), 220)}`),
    more > 0 && `And ${formatCount(more)} more.${hasReport ? ' The file lists all of them.' : ''}`,
  ])
}

function undoConfirmation({ done, counts }: JobResult): string {
  return compact([
    done.create > 0 && `Deletes the ${countChecks(done.create)} that this job created.`,
    done.edit > 0 && `Changes ${countChecks(done.edit)} back.`,
    done.delete > 0 && `Creates ${countChecks(done.delete)} again.`,
    counts.begun > 0 && `First looks up ${pluralize(counts.begun, 'change')} whose outcome isn’t known.`,
    'Skips health checks that someone has changed since.',
  ]).join(' ')
}

/** The watches and silences that moved to a recreated check. */
function describeMovedWatches({ watches, silences }: MovedWatches): string | false {
  const named = [
    watches > 0 && pluralize(watches, 'watch', 'watches'),
    silences > 0 && pluralize(silences, 'silence'),
  ].filter(Boolean)
  if (named.length === 0) return false
  return `${named.join(' and ')} moved to the new UUID${watches + silences === 1 ? '' : 's'}.`
}

const undoButton = (line: string, confirmation: string) =>
  commandButton(
    'Undo',
    line,
    confirmation
      ? { confirm: { title: 'Undo all of it?', text: confirmation, confirm: 'Undo' } }
      : { inPlace: true },
  )

interface UndoParts {
  running: readonly OpenJob[]
  offers?: readonly UndoOffer[]
  /** The result of the first offer. */
  result?: JobResult | undefined
  otherEnvironments?: readonly Environment[]
  environment: Environment
}

/**
 * `/hc undo`: the person's last change that can be undone, or an undo that hasn't finished. Running changes can't be undone yet, so
 * it shows them with a button that stops them.
 */
export function undoView(parts: UndoParts): Message {
  const { running, offers: [last, ...earlier] = [], result, otherEnvironments = [] } = parts
  const stopButtons = running
    .slice(0, MAX_STOP_BUTTONS)
    .map((job, index) =>
      commandButton(
        index === 0 ? 'Stop' : `Stop ${clip(oneLine(job.details.title), 60)}`,
        `/hc job-stop ${job.id}`,
      ),
    )
  const buttons = [
    ...stopButtons,
    ...otherEnvironments.map((other) =>
      commandButton(`Show ${ENVIRONMENT_NAMES[other]}`, `/hc undo --env ${other}`),
    ),
  ]
  if (last === undefined || result === undefined)
    return card({ ...describeNothingToUndo(parts), controls: buttons })
  const { id, details } = last
  const summary = `${describeOutcome(details, result, true)}${environmentSuffix(last.environment)}.`
  const notes = [
    ...describeRunning(running),
    ...earlier.map((offer) => `Before that: ${describeOffer(offer)}.`),
    ...describeElsewhere(otherEnvironments),
  ]
  const smallPrint: Line[] = [['Done ', last.at, ', stored until ', last.until]]
  if (!last.isUnfinishedUndo)
    return card({
      headline: ['Undo your last change that can be undone?', ` ${summary}`],
      notes,
      smallPrint,
      controls: [undoButton(`/hc job-undo ${id}`, undoConfirmation(result)), ...buttons],
    })
  const title = shortenTitle(details.title.replace(UNDO_PREFIX, ''))
  return card({
    headline: [`This undo hasn’t finished: ${title}.`, ` ${summary}`],
    notes: [describeCounts(last.counts), ...problemLines(result), ...notes],
    smallPrint,
    controls: [...finishButtons(id, details, result), ...buttons],
  })
}

function describeNothingToUndo({ running, otherEnvironments = [], environment }: UndoParts) {
  const elsewhere = describeElsewhere(otherEnvironments)
  if (running.length > 0 && running.every(({ details }) => details.undoes !== undefined))
    return { headline: 'This is already being undone.', notes: [...describeRunning(running), ...elsewhere] }
  if (running.length > 0)
    return {
      headline: 'Your change is still running, so it can’t be undone yet.',
      notes: [
        ...describeRunning(running),
        'When it has ended or is stopped, you can undo what it did.',
        ...elsewhere,
      ],
    }
  return {
    headline: `You have nothing to undo${environment === 'ote' ? ' in OTE' : ''}.`,
    notes: [...elsewhere, `You can undo changes to health checks and alerts for ${JOBS_KEPT_TEXT}.`],
  }
}

const describeRunning = (running: readonly OpenJob[]): string[] =>
  running.slice(0, MAX_STOP_BUTTONS).map((job) => `Still running: ${describeOpenJob(job)}`)

const describeElsewhere = (environments: readonly Environment[]): string[] =>
  environments.map(
    (other) => `You also have changes in the ${ENVIRONMENT_NAMES[other]} environment that can be undone.`,
  )

const MAX_STOP_BUTTONS = 3

const describeOffer = ({ details, counts, environment, isUnfinishedUndo }: UndoOffer): string =>
  `${isUnfinishedUndo ? 'an undo that hasn’t finished, ' : ''}${describeOutcome(details, { counts, isStopped: false }, true)}${environmentSuffix(environment)}`

/** The buttons that finish a job: **Continue** what wasn't done, and **Try again** what failed. */
const finishButtons = (
  jobId: string,
  details: ChangesDetails,
  { next, counts }: Pick<JobResult, 'next' | 'counts'>,
) => [
  ...(next.canContinue ? [commandButton('Continue', `/hc job-start ${jobId}`, { style: 'primary' })] : []),
  ...(next.canTryAgain ? [tryAgainButton(jobId, details, counts)] : []),
]

const MAX_JOBS = 10

/** The running jobs with a menu that stops one, and those that the person can continue or undo. */
export function jobsView(jobs: readonly OpenJob[], stopped: readonly StoppedJob[], now: Date): Message {
  const shown = jobs.slice(0, MAX_JOBS)
  const more = jobs.length - shown.length
  return card({
    headline:
      jobs.length === 0
        ? 'No import or bulk change is running.'
        : `${pluralize(jobs.length, 'import or bulk change', 'imports and bulk changes')} ${jobs.length === 1 ? 'is' : 'are'} running or waiting`,
    body: [
      ...shown.map((job, index) =>
        lines([`${index + 1}. ${describeOpenJob(job)} Requested by `, person(job.userId), '.']),
      ),
      ...(stopped.length > 0
        ? [
            lines(
              'Your ended jobs:',
              ...stopped.map((job, index) => describeStoppedJob(job, shown.length + index)),
            ),
          ]
        : []),
    ],
    smallPrint: [
      ...(more > 0 ? [`And ${formatCount(more)} more.`] : []),
      `To undo your last change, use ${cmd('/hc undo')}.`,
      ['As of ', now],
    ],
    controls: [
      commandButton('Refresh', '/hc jobs', { inPlace: true }),
      ...(shown.length > 0
        ? [
            commandMenu(
              'Stop…',
              shown.map((job, index) => ({ label: labelJob(job, index), value: `/hc job-stop ${job.id}` })),
              { inPlace: false },
            ),
          ]
        : []),
      ...(stopped.length > 0
        ? [
            commandMenu(
              'Continue or undo…',
              stopped.map((job, index) => ({
                label: labelJob(job, shown.length + index),
                value: `/hc job-show ${job.id}`,
              })),
              { inPlace: false },
            ),
          ]
        : []),
    ],
  })
}

/** Jobs are numbered, because several can have the same title. */
const labelJob = ({ details }: Pick<StoppedJob, 'details'>, index: number): string =>
  `${index + 1}. ${clip(oneLine(details.title), 56)}`

const describeStoppedJob = ({ details, counts, environment }: StoppedJob, index: number): string =>
  `${index + 1}. ${shortenTitle(details.title)}${environmentSuffix(environment)}: ${describeCounts(counts)}`

/** A person's own jobs in App Home. */
export const homeJobBlocks = (jobs: readonly OpenJob[]): KnownBlock[] =>
  jobs
    .slice(0, MAX_JOBS_AT_HOME)
    .map((job) => section(describeOpenJob(job), commandButton('Running jobs', '/hc jobs')))

const MAX_JOBS_AT_HOME = 3

function describeOpenJob({ details, counts, environment, isRunning }: OpenJob): string {
  const title = `${details.fileName === undefined ? '' : 'Import of '}${clip(oneLine(details.title), 150)}`
  const progress = `${formatCount(countSettledSteps(counts))} of ${formatCount(countSteps(counts))} done`
  return `${title}${environmentSuffix(environment)}: ${isRunning ? '' : 'waiting, '}${progress}.`
}
