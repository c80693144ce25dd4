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
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { cmd } from '../../../domain/command-names.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { formatCount, formatList, pluralize } from '../../../domain/wording.ts'
import type { ChangesDetails, Plan } from '../rules/plan.ts'
import { listRecipients, listRemovedRecipients } from '../rules/recipients.ts'
import { type AddressNote, findShownAddress, type Row } from '../rules/row.ts'
import { applyPatch, formatSetting, formatValue, listDiffering } from '../rules/settings.ts'
import { addressButton, describeAddress, describeAddresses } from '../views/server-address.ts'

const MAX_ROWS = 15
const MAX_NAME_LENGTH = 60
/** Every field of a new check fits. */
const MAX_CHANGE_LENGTH = 400
/** Every setting or two addresses, and then the count and the filter, fit. */
const MAX_QUESTION_LENGTH = 1000
const VERBS = { create: 'create', edit: 'change', delete: 'delete' } as const

export const countChecks = (count: number): string => pluralize(count, 'health check')

/** A card of plain lines. The first is its headline. */
export function textCard(
  [headline = '', ...notes]: readonly string[],
  ...controls: ReturnType<typeof commandButton>[]
): Message {
  return card({ headline, notes, controls })
}

const shorten = (text: string, max = MAX_NAME_LENGTH): string => clip(oneLine(text), max)

/** `every 60 s → every 30 s; no longer emails ann@example.com`. */
export function describeRow(row: Row): string {
  if (row.do === 'create') {
    const people = listRecipients(row.alerts)
    const settings = listDiffering({}, row.to).filter((field) => field !== 'name')
    return [
      `new: ${settings.map((field) => formatSetting(field, row.to)).join(', ')}`,
      people.length > 0 && `emails ${people.join(', ')}`,
    ]
      .filter(Boolean)
      .join('; ')
  }
  const { settings, alerts = [] } = row.before
  if (row.do === 'delete')
    return `deleted: ${settings.protocol} ${settings.target}, ${pluralize(listRecipients(alerts).length, 'recipient')}`
  const next = applyPatch(settings, row.set)
  const gone = row.alerts ? listRemovedRecipients(alerts, row.alerts) : []
  const added = row.alerts ? listRemovedRecipients(row.alerts, alerts) : []
  return [
    ...listDiffering(settings, next).map(
      (field) => `${formatSetting(field, settings)} → ${formatValue(field, next)}`,
    ),
    added.length > 0 && `also emails ${added.join(', ')}`,
    gone.length > 0 && `no longer emails ${gone.join(', ')}`,
    row.alerts &&
      added.length + gone.length === 0 &&
      `${pluralize(row.alerts.length, 'alert')} instead of ${alerts.length}`,
  ]
    .filter(Boolean)
    .join('; ')
}

/** `create 1`, `change 2`. */
function countByKind(rows: readonly Row[]): string[] {
  return (['create', 'edit', 'delete'] as const).flatMap((kind) => {
    const count = rows.filter((row) => row.do === kind).length
    return count > 0 ? [`${VERBS[kind]} ${formatCount(count)}`] : []
  })
}

/** `Import checks.csv: create 1 and change 2 health checks`. */
export const askImport = (name: string, rows: readonly Row[]): string =>
  `Import ${name}: ${countByKind(rows).join(' and ')} ${rows.length === 1 ? 'health check' : 'health checks'}`

/** Lines of names with the same text after them. */
function groupLines(items: readonly { name: string; text: string }[]): {
  lines: Line[]
  isComplete: boolean
} {
  const groups = [...Map.groupBy(items, ({ text }) => text)]
  const shown = groups.slice(0, MAX_ROWS).map(([text, group]): Line => {
    const names = formatList(
      group.map(({ name }) => name),
      5,
      (name) => shorten(name, group.length > 1 ? 40 : 100),
    )
    return [textElement(names, { bold: true }), ` · ${shorten(text, MAX_CHANGE_LENGTH)}`]
  })
  return {
    lines: shown,
    isComplete:
      groups.length <= MAX_ROWS &&
      groups.every(([text, group]) => group.length <= 5 && oneLine(text).length <= MAX_CHANGE_LENGTH),
  }
}

/** What a plan would do. `id` is the stored plan; undefined if there is nothing to do. */
export function previewView(id: string | undefined, plan: Plan, environment: Environment): Message {
  const { rows, leftOut, unchanged, title, question, notes = [], none } = plan
  const { lines: shown, isComplete } = groupLines([
    ...rows.map((row) => ({ name: row.name, text: describeRow(row) })),
    ...leftOut.map(({ line, name, reason }) => ({
      name: name || `Line ${line}`,
      text: `left out: ${reason}`,
    })),
  ])
  const deletes = rows.filter((row) => row.do === 'delete').length
  const addresses = rows.filter(
    (row) =>
      row.do === 'edit' && Object.keys(row.set).length > 0 && findShownAddress(row, row.before.settings),
  ).length
  const counts = countByKind(rows).join(', ')
  const label = counts.charAt(0).toUpperCase() + counts.slice(1)
  const isAboutNone = none !== undefined && rows.length + leftOut.length + unchanged === 0
  return card({
    headline: isAboutNone
      ? none
      : id === undefined
        ? `${shorten(title, 300)}${environmentSuffix(environment)}: nothing to change.`
        : `${shorten(question, MAX_QUESTION_LENGTH)}${environmentSuffix(environment)}? Nothing has changed yet.`,
    notes: [
      unchanged > 0 && `${formatCount(unchanged)} already ${unchanged === 1 ? 'is' : 'are'} so.`,
      leftOut.length > 0 && `${formatCount(leftOut.length)} can’t be changed.`,
      ...notes,
      addresses > 0 &&
        `${countChecks(addresses)} ${addresses === 1 ? 'has' : 'have'} a server address, which is sent too unless DNS returns it for the domain now.`,
    ].filter((line): line is string => typeof line === 'string'),
    body: shown.length > 0 ? [lines(...shown)] : [],
    controls:
      id === undefined
        ? [commandButton('List health checks', '/hc list')]
        : [
            commandButton(
              label,
              `/hc apply ${id}`,
              deletes > 0
                ? {
                    style: 'danger',
                    inPlace: true,
                    confirm: {
                      title: `Delete ${countChecks(deletes)}?`,
                      text: 'The service stops checking them, and no one is notified when they go down. You get a file that you can import to create them again.',
                      confirm: 'Delete',
                      danger: true,
                    },
                  }
                : { style: 'primary', inPlace: true },
            ),
            ...(isComplete ? [] : [commandButton('All as a file', `/hc preview-file ${id}`)]),
          ],
  })
}

type Counts = Readonly<Record<'ready' | 'begun' | 'done' | 'skipped' | 'unclear', number>>

export function runningView(
  id: string,
  { title }: ChangesDetails,
  counts: Counts,
  environment: Environment,
): Message {
  const settled = counts.done + counts.skipped + counts.unclear
  return textCard(
    [
      `${shorten(title, 150)}${environmentSuffix(environment)}: ${formatCount(settled)} of ${formatCount(settled + counts.ready + counts.begun)}.`,
    ],
    commandButton('Stop', `/hc job-stop ${id}`),
  )
}

export interface EndedRow {
  readonly row: Row
  readonly state: 'done' | 'skipped' | 'unclear' | 'begun'
  readonly reason?: string | undefined
  readonly hasWritten?: boolean | undefined
  /** What became of its server address. */
  readonly note?: AddressNote | undefined
}

interface Ended {
  readonly details: ChangesDetails
  readonly rows: readonly EndedRow[]
  readonly counts: Counts
  /** Why it ended early. */
  readonly problem: string | undefined
  readonly hasFile: boolean
  readonly isStopped: boolean
}

/** The result of a job. */
export function endedView(
  { details, rows, counts, problem, hasFile, isStopped }: Ended,
  environment: Environment,
): Message {
  const total = counts.ready + counts.begun + counts.done + counts.skipped + counts.unclear
  const left = counts.ready
  const unclear = counts.unclear + counts.begun
  const noted = rows.flatMap(({ row, note }) => (row.do === 'edit' && note ? [{ row, note }] : []))
  const [only] = rows.length === 1 ? noted : []
  const failed = rows.filter(({ state }) => state !== 'done')
  const { lines: shown } = groupLines(
    failed.map(({ row, state, reason = 'The service didn’t say whether it was done.' }) => ({
      name: row.name,
      text: `${state === 'skipped' ? 'not done' : 'unclear'}: ${reason}`,
    })),
  )
  const isAll = counts.done === total
  return card({
    headline: `${isAll ? 'Done' : isStopped ? 'Stopped' : 'Ended'}: ${shorten(details.title, 150)}${environmentSuffix(environment)}: ${formatCount(counts.done)} of ${countChecks(total)}.`,
    notes: [
      !isAll && problem,
      left > 0 && `${formatCount(left)} not started.`,
      left + counts.skipped > 0 && 'To do the rest, make the same change again: what is done stays as it is.',
      unclear > 0 && `${formatCount(unclear)} unclear. Look at them before you make the change again.`,
      ...(only
        ? [describeAddress(only.note, only.row.before.settings.target)]
        : describeAddresses(noted.map(({ note }) => note))),
      hasFile &&
        `The file has only what this change replaced or deleted. To put that back, import it with ${cmd('/hc import')}.`,
    ].filter((line): line is string => typeof line === 'string'),
    body: shown.length > 0 ? [lines(...shown)] : [],
    controls: [
      ...(only ? [addressButton(only.row.uuid, only.note)] : []),
      commandButton('List health checks', '/hc list'),
    ],
  })
}

export interface OpenJob {
  readonly id: string
  readonly userId: string
  readonly title: string
  readonly environment: Environment
  readonly counts: Counts
}

const describeJob = ({ title, environment, counts }: OpenJob): string =>
  `${shorten(title, 150)}${environmentSuffix(environment)}: ${formatCount(counts.done + counts.skipped + counts.unclear)} done, ${formatCount(counts.ready + counts.begun)} left.`

/** The running jobs, with a menu that stops one. */
export const jobsView = (jobs: readonly OpenJob[], now: Date): Message =>
  card({
    headline:
      jobs.length === 0
        ? 'No change of many health checks is running.'
        : `${pluralize(jobs.length, 'change')} running or waiting`,
    body: jobs
      .slice(0, MAX_ROWS)
      .map((job) => lines([`${describeJob(job)} Requested by `, person(job.userId), '.'])),
    smallPrint: [['As of ', now]],
    controls: [
      commandButton('Refresh', '/hc jobs', { inPlace: true }),
      ...(jobs.length > 0
        ? [
            commandMenu(
              'Stop…',
              jobs
                .slice(0, MAX_ROWS)
                .map(({ id, title }) => ({ label: shorten(title), value: `/hc job-stop ${id}` })),
              { inPlace: false },
            ),
          ]
        : []),
    ],
  })

/** A person's own jobs in App Home. */
export const homeJobBlocks = (jobs: readonly OpenJob[]): KnownBlock[] =>
  jobs.slice(0, 3).map((job) => section(describeJob(job), commandButton('Running jobs', '/hc jobs')))
