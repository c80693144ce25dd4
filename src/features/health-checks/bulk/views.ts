import {
  card,
  clip,
  clipApart,
  commandButton,
  type Line,
  lines,
  type Message,
  oneLine,
  textElement,
} from '@signalman/slack'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { capitalize, formatCount, formatList, joinNames, pluralize } from '../../../domain/wording.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { listRecipients, listRemovedRecipients } from '../rules/alert-requests.ts'
import type { ChangesDetails, Plan } from '../rules/plan.ts'
import { pickAlerts, type Row } from '../rules/row.ts'
import {
  applyPatch,
  formatSetting,
  formatValue,
  listDiffering,
  nameSetting,
  type Values,
} from '../rules/settings.ts'
import { describeNotes, type Notes, noteButtons } from '../views/notes.ts'

const MAX_ROWS = 15
const MAX_NAME_LENGTH = 60
/** Every field of a new check fits. */
const MAX_CHANGE_LENGTH = 400
/** Every setting or two addresses, and then the filter, fit. */
const MAX_TITLE_LENGTH = 1000
const MAX_NAMES = 5
const KINDS = ['create', 'edit', 'delete'] as const
const VERBS = { create: 'create', edit: 'change', delete: 'delete' } as const
const DONE = { create: 'created', edit: 'changed', delete: 'deleted' } as const

export const countChecks = (count: number): string => pluralize(count, 'health check')

/** A card of plain lines. The first is its headline. */
export function textCard(
  [headline = '', ...notes]: readonly Line[],
  ...controls: ReturnType<typeof commandButton>[]
): Message {
  return card({ headline, notes, controls })
}

const shorten = (text: string, max = MAX_NAME_LENGTH): string => clip(oneLine(text), max)

/**
 * `every 60 s → every 30 s; no longer emails ann@example.com`. `clip` shortens an old and a new value for a message; a file has them
 * whole.
 */
export function describeRow(row: Row, clip: (values: Values) => Values = (values) => values): string {
  if (row.do === 'create') {
    const people = listRecipients(row.alerts)
    const settings = listDiffering({}, row.to).filter((field) => field !== 'name')
    return [
      `new: ${settings.map((field) => formatSetting(field, row.to)).join(', ')}`,
      people.length > 0 && `emails ${people.join(', ')}`,
      row.alerts.length > 1 && `in ${row.alerts.length} alerts`,
    ]
      .filter(Boolean)
      .join('; ')
  }
  const { settings, alerts = [] } = row.before
  if (row.do === 'delete')
    return `deleted: ${settings.protocol} ${settings.target}, ${pluralize(listRecipients(alerts).length, 'recipient')}`
  const next = applyPatch(settings, row.set)
  // Of a window about one alert, the others stay.
  const others = new Set(alerts).difference(new Set(pickAlerts(row, alerts)))
  const wanted = row.alerts && [...others, ...row.alerts]
  const gone = wanted ? listRemovedRecipients(alerts, wanted) : []
  const added = wanted ? listRemovedRecipients(wanted, alerts) : []
  return [
    ...listDiffering(settings, next).map((field) => {
      const [old, value] = clip([formatValue(field, settings), formatValue(field, next)])
      return `${nameSetting(field, old)} → ${value}`
    }),
    added.length > 0 && `also emails ${added.join(', ')}`,
    gone.length > 0 && `no longer emails ${gone.join(', ')}`,
    gone.length > 0 && wanted && listRecipients(wanted).length === 0 && 'emails nobody then',
    wanted &&
      (added.length + gone.length === 0 || wanted.length > Math.max(1, alerts.length)) &&
      `${pluralize(wanted.length, 'alert')} instead of ${alerts.length}`,
  ]
    .filter(Boolean)
    .join('; ')
}

type KindCounts = Record<Row['do'], number>

const listKinds = (counts: KindCounts, words: Readonly<Record<Row['do'], string>>): string[] =>
  KINDS.flatMap((kind) => (counts[kind] > 0 ? [`${words[kind]} ${formatCount(counts[kind])}`] : []))

/** A name that stands alone has more room. */
const maxName = (count: number): number => (count > 1 ? 40 : 100)

type NameGroups = ReturnType<typeof createNameGroups>

/** Lines of names with the same text after them: as many as a message shows, however many are added. */
export function createNameGroups() {
  const groups = new Map<string, { text: string; names: string[]; count: number }>()
  let isComplete = true
  return {
    /** `whole`: what the text is a part of, if it was clipped. */
    add(name: string, text: string, whole = text): void {
      const group = groups.get(whole) ?? { text: oneLine(text), names: [], count: 0 }
      if (groups.size < MAX_ROWS) groups.set(whole, group)
      group.count += 1
      if (group.count <= MAX_NAMES) group.names.push(oneLine(name))
      isComplete &&= groups.has(whole) && group.count <= MAX_NAMES && text === whole
    },
    lines(): Line[] {
      const texts = [...groups.values()].map(({ text }) => text)
      const allNames = [...groups.values()].flatMap(({ names }) => names)
      return [...groups.values()].map(({ text, names, count }) => [
        textElement(
          formatList(names, MAX_NAMES, (name) => clipApart(name, allNames, maxName(count)), count),
          { bold: true },
        ),
        ` · ${clipApart(text, texts, MAX_CHANGE_LENGTH)}`,
      ])
    },
    /** Whether the lines show everything that was added. */
    isComplete: () =>
      isComplete &&
      [...groups.values()].every(
        ({ text, names, count }) =>
          text.length <= MAX_CHANGE_LENGTH && names.every((name) => name.length <= maxName(count)),
      ),
  }
}

/** What a preview shows of a plan. */
export interface PlanSummary extends Omit<Plan, 'rows' | 'leftOut'> {
  readonly counts: KindCounts
  readonly leftOut: number
  readonly groups: NameGroups
}

const DELETION =
  'The service stops checking them, and no one is notified when they go down. You get a file that you can import to create them again.'

/** What a plan would do. `id` is that of its job; undefined if there is nothing to do. */
export function previewView(id: string | undefined, plan: PlanSummary, environment: Environment): Message {
  const { counts, leftOut, unchanged, title, notes = [], none, groups } = plan
  const kinds = listKinds(counts, VERBS).join(', ')
  const shown = groups.lines()
  const isAboutNone = none !== undefined && id === undefined && leftOut + unchanged === 0
  return card({
    headline: isAboutNone
      ? none
      : id === undefined
        ? `${shorten(title, 300)}${environmentSuffix(environment)}: nothing would change.`
        : `${shorten(title, MAX_TITLE_LENGTH)}${environmentSuffix(environment)}? This would ${joinNames(listKinds(counts, VERBS))}.`,
    notes: [
      unchanged > 0 && `${formatCount(unchanged)} ${unchanged === 1 ? 'needs' : 'need'} no change.`,
      leftOut > 0 && `${formatCount(leftOut)} can’t be changed.`,
      ...notes,
    ].filter((line): line is string => typeof line === 'string'),
    body: shown.length > 0 ? [lines(...shown)] : [],
    controls:
      id === undefined
        ? [commandButton('List health checks', '/hc list')]
        : [
            commandButton(
              capitalize(kinds),
              `/hc apply ${id}`,
              counts.delete > 0
                ? {
                    style: 'danger',
                    inPlace: true,
                    confirm: {
                      title: `Delete ${countChecks(counts.delete)}?`,
                      text: DELETION,
                      confirm: 'Delete',
                      danger: true,
                    },
                  }
                : { style: 'primary', inPlace: true },
            ),
            ...(groups.isComplete() ? [] : [commandButton('Whole list as a file', `/hc preview-file ${id}`)]),
          ],
  })
}

type Counts = Readonly<Record<'ready' | 'begun' | 'done' | 'skipped' | 'unclear', number>>

const sumKinds = (counts: KindCounts): number => counts.create + counts.edit + counts.delete

/** How many rows have ended. Earlier versions had a state for each end. */
const countSettled = ({ done, skipped, unclear }: Counts): number => done + skipped + unclear

export function runningView(
  id: string,
  { title }: ChangesDetails,
  counts: Counts,
  environment: Environment,
  /** Why the last rows weren't done yet. */
  problem?: string | undefined,
): Message {
  const settled = countSettled(counts)
  return textCard(
    [
      `${shorten(title, 150)}${environmentSuffix(environment)}: ${formatCount(settled)} of ${formatCount(settled + counts.ready + counts.begun)} so far.`,
      ...(problem === undefined ? [] : [`${problem} Signalman tries again.`]),
    ],
    commandButton('Stop', `/hc job-stop ${id}`),
  )
}

/** How a change ended. */
export interface Ended {
  readonly details: ChangesDetails
  readonly counts: Counts
  /** How many rows there were of each kind, and how many of them are done. */
  readonly wanted: KindCounts
  readonly done: KindCounts
  /** How many ended so that nobody knows whether they are done. */
  readonly unclear: number
  /** Those that aren't done, and why. */
  readonly failed: NameGroups
  readonly notes: Notes
  /** The check, if it's about one that is known. */
  readonly only: string | undefined
  /** Why it ended early. */
  readonly problem: string | undefined
  readonly isStopped: boolean
}

/** `Changed 12 health checks.`, `Created 2 and changed 5 of 9 health checks.` */
function describeDone({ counts, wanted, done }: Ended): string {
  const total = countSettled(counts) + counts.ready + counts.begun
  const kinds = KINDS.filter((kind) => wanted[kind] > 0).map(
    (kind) => `${DONE[kind]} ${formatCount(done[kind])}`,
  )
  const of = sumKinds(done) === total ? '' : `of ${formatCount(total)} `
  return `${capitalize(joinNames(kinds) || 'changed 0')} ${of}health ${total === 1 ? 'check' : 'checks'}.`
}

export function endedView(ended: Ended, environment: Environment): Message {
  const { details, counts, failed, notes, only, problem, isStopped } = ended
  const left = counts.ready
  // One that can't be read anymore may be done.
  const unclear = ended.unclear + counts.begun
  const unfinished = countSettled(counts) - sumKinds(ended.done) - ended.unclear
  const shown = failed.lines()
  return card({
    headline: `${isStopped && left > 0 ? 'Stopped. ' : ''}${describeDone(ended)}`,
    notes: [
      `Your change: ${shorten(details.title, 300)}${environmentSuffix(environment)}.`,
      (left + unclear + unfinished > 0 || (notes.undo && !notes.undo.fileId)) && problem,
      left > 0 && `${formatCount(left)} not started.`,
      left > 0 && 'To do the rest, make the same change again: what is done stays as it is.',
      unclear > 0 && `${formatCount(unclear)} unclear. Look at them before you make the change again.`,
      ...describeNotes(notes),
    ].filter((line) => line !== undefined && line !== false),
    body: shown.length > 0 ? [lines(...shown)] : [],
    controls: [
      ...noteButtons(notes, environment),
      only === undefined
        ? commandButton('List health checks', '/hc list')
        : commandButton('Show it', writeCommand('/hc show', { words: [only] })),
    ],
  })
}
