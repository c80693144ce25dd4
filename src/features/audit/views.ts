import type { AuditEntry, AuditFold, AuditOutcome, OlderRows } from '@signalman/durable'
import { DAY_MS, isRecord, Question } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  joinLines,
  type Line,
  lines,
  type Message,
  message,
  oneLine,
  person,
  section,
  textElement,
  utc,
} from '@signalman/slack'
import type { Button } from '@slack/types'
import { cmd } from '../../domain/command-names.ts'
import { ENVIRONMENT_NAMES, ENVIRONMENTS } from '../../domain/environment.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'
import { type AuditFilters, describeFilters, formatFilters } from './parse.ts'

export interface AuditPage {
  /** The entries. A fold is an entry that stands for several similar ones. */
  folds: readonly AuditFold[]
  filters: AuditFilters
  /** The next page starts before this row. Undefined on the last page. */
  before: number | undefined
  /** True if similar entries are shown one by one. */
  isUngrouped: boolean
  /** False on the first page. */
  isOlderPage: boolean
  /** Whether to show row numbers, references, and changed values. */
  hasDetails: boolean
  /** Whether these are the person's own entries. Then there are no buttons for details and export, which only admins can use. */
  isOwn?: boolean
}

const expiredEntries = (rows: number): string =>
  pluralize(rows, 'expired audit entry', 'expired audit entries')

/** The DM to admins about entries that are past the retention period but aren't deleted yet. */
export const rowsLeftText = ({ rows, now }: Pick<OlderRows, 'rows' | 'now'>, days: number): string =>
  `${formatCount(rows)} ${rows === 1 ? 'entry' : 'entries'} of the audit log ${rows === 1 ? 'is' : 'are'} past the retention period of ${days} days. Signalman deletes two days of entries at a time, about once a day, in case the database’s clock is wrong. According to it, the time is ${utc(now)}.`

export const rowsLeftView = (older: Pick<OlderRows, 'rows' | 'now'>, days: number): Message =>
  card({
    headline: 'More audit entries have expired than Signalman deletes at once',
    notes: [rowsLeftText(older, days)],
    controls: [
      commandButton(`Delete ${expiredEntries(older.rows)}`, '/hc audit --delete-expired'),
      commandButton('Retention period', '/hc access-settings'),
    ],
  })

/** Asks before expired entries are deleted. `--before` is the first row that stays, and `--rows` how many go. */
export const deleteExpiredQuestion = ({ rows, last, now }: OlderRows, days: number): Question =>
  new Question(
    `Delete ${expiredEntries(rows)} permanently? They are from before ${utc(new Date(now.getTime() - days * DAY_MS))}, if the time is ${utc(now)}, as the database’s clock says.`,
    [
      {
        label: `Delete ${expiredEntries(rows)}`,
        line: `/hc audit --delete-expired --before ${last + 1} --rows ${rows}`,
      },
    ],
  )

export const deletingExpiredView = (rows: number): Message =>
  card({
    headline: `Deleting ${expiredEntries(rows)}`,
    notes: ['An audit entry records the deletion.'],
    controls: [commandButton('Audit log', '/hc audit')],
  })

/** A page of the audit log, newest first. */
export function auditView(auditPage: AuditPage): Message {
  const { folds, filters, before, isUngrouped, isOlderPage, hasDetails, isOwn = false } = auditPage
  const typedFilters = isOwn ? { ...filters, userId: undefined } : filters
  const flags = [isOwn && '--mine', formatFilters(typedFilters), isUngrouped && '--ungrouped']
    .filter(Boolean)
    .join(' ')
  const details = hasDetails ? '--details' : ''
  const formatCommand = (...more: string[]) => ['/hc audit', flags, ...more].filter(Boolean).join(' ')
  const { userId, ...others } = filters
  const filterLines = [userId && !isOwn ? ['by ', person(userId)] : [], describeFilters(others)].filter(
    ({ length }) => length > 0,
  )
  const inPlace = { inPlace: true }
  return card({
    headline: [
      formatTitle(auditPage),
      ...(filterLines.length > 0 ? [' · only ', ...[joinLines(filterLines)].flat()] : []),
    ],
    notes: folds.length === 0 && !filters.withIntents && !isOwn ? [ONLY_STARTED_NOTE] : [],
    body: folds.map((fold) => lines(...foldLines(fold, hasDetails))),
    controls: [
      ...(before === undefined
        ? []
        : [commandButton('Older', formatCommand(details, `--before ${before}`), inPlace)]),
      isOlderPage
        ? commandButton('Newest', formatCommand(details), inPlace)
        : commandButton('Refresh', formatCommand(details), inPlace),
      ...(folds.length === 0 ? wholeButton(filterLines.length > 0, isOwn) : []),
      ...(folds.length === 0 || isOwn ? [] : adminButtons(formatCommand, hasDetails)),
    ],
  })
}

/** For a list that is empty because of its filters. */
const wholeButton = (isFiltered: boolean, isOwn: boolean): Button[] =>
  isFiltered ? [commandButton('All entries', isOwn ? '/hc audit --mine' : '/hc audit')] : []

/** Counts all entries of the page, also those that are shown as similar to another one. */
function formatTitle({ folds, isOlderPage, isOwn }: AuditPage): string {
  const total = folds.reduce((sum, { rows }) => sum + rows, 0)
  if (total === 0) return 'No audit entries match'
  if (isOlderPage) return `${pluralize(total, 'earlier entry', 'earlier entries')}, newest first`
  const prefix = isOwn ? 'Your last' : 'The last'
  return total === 1 ? `${prefix} entry` : `${prefix} ${countEntries(total)}, newest first`
}

const ONLY_STARTED_NOTE: Line = [
  'Changes that have started but not ended aren’t listed. To see them, add ',
  textElement('--intents', { code: true }),
  '.',
]

const countEntries = (count: number): string => pluralize(count, 'entry', 'entries')

const adminButtons = (formatCommand: (...more: string[]) => string, hasDetails: boolean) => [
  hasDetails
    ? commandButton('Without details', formatCommand(''), { inPlace: true })
    : commandButton('Details', formatCommand('--details'), { inPlace: true }),
  commandButton('Export', formatCommand('--export')),
]

const OUTCOMES: Readonly<Record<AuditOutcome, string>> = {
  begun: '⏳ started',
  done: '✅ done',
  refused: '⛔ refused',
  failed: '❌ failed',
  unknown: '❓ outcome unknown',
}

/** The past tense of each verb, by the last word of the command. Other verbs are shown as “used /hc …”. */
const PAST_TENSES: Readonly<Record<string, string>> = {
  create: 'created',
  edit: 'changed',
  'edit-anyway': 'changed',
  delete: 'deleted',
  export: 'exported',
  watch: 'watched',
  unwatch: 'stopped watching',
  mute: 'muted',
  unmute: 'unmuted',
  'watch-ack': 'acknowledged',
  clone: 'copied',
  import: 'imported',
  undo: 'undid',
  'job-start': 'started the',
  'job-stop': 'stopped the',
  'job-undo': 'undid a',
  'alert-add': 'added an alert to',
  'alert-edit': 'changed',
  'alert-remove': 'removed',
  maintenance: 'planned maintenance of',
  'maintenance-edit': 'changed maintenance of',
  'maintenance-end': 'ended maintenance of',
  connect: 'stored a token for',
  disconnect: 'removed the token of',
  'token-generate': 'generated a token for',
  env: 'switched the environment of',
  access: 'changed',
  'access-request': 'requested',
  'access-grant': 'gave',
  'access-decline': 'declined',
  grant: 'gave',
  audit: 'made an',
  'audit-delete': 'deleted',
  policy: 'changed',
  hold: 'returned … to waiting for approval',
  resolve: 'recorded the outcome of',
  submit: 'sent',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrew',
  take: 'took',
  release: 'gave back',
  reopen: 'reopened',
  'takedown-sent': 'recorded a takedown request for',
  down: 'marked … as down',
  up: 'marked … as still up',
  'false-positive': 'marked … as a false positive',
  whois: 'read the WHOIS record of',
  kit: 'created a takedown kit for',
  memory: 'changed how long to remember',
  '/cert-order': 'requested',
  renew: 'requested',
  reissue: 'requested',
  again: 'requested',
  handover: 'handed over',
  'watch-edit': 'changed',
  'watch-hand-over': 'handed over',
  'watch-step-down': 'stepped down from',
  'watch-resume': 'resumed',
  '/threat': 'looked up',
}

const MAX_OBJECT_LENGTH = 200

const USER_ID = /^[UW][A-Z0-9]{5,}$/
const USER_IDS = /\b([UW][A-Z0-9]{7,})\b/
const UUID = /\b([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}([0-9a-f]{4})\b/gi

/** Words in front of the name of a requested certificate. */
const REQUESTED_OBJECTS = {
  create: 'a certificate for ',
  renew: 'a renewal of ',
  reissue: 'a reissue of ',
} as const

const formatPerson = (text: string): Line => (USER_ID.test(text) ? person(text) : text)

/** `health check Group wiki`, `threat event 7e57…0001`, `the operator role of @Max`. */
function objectLine(verb: string, object: string): Line[] {
  const readableObject = oneLine(object)
    .replace(/^(alert \S+ of )?([a-z]+)-([a-z]+) /, '$1$2 $3 ')
    .replace(/^connection /, 'the $&')
    .replace(/ [0-9a-f-]{36} \((.+)\)$/, ' $1')
    // The verb already says what the object is: “muted web”, “watched everything”.
    .replace(/^(?:mute|watch|maintenance) [\w-]{22} \((.+?)\)( \(OTE\))?$/, '$1$2')
    .replace(/^card [\w-]{22}(?= |$)/, 'the outages of a card')
    .replace(/^job [\w-]{22}$/, 'bulk change')
    .replace(/^import [\w-]{22}$/, 'import')
    .replace(/^(job|import) \S+ \((.+)\)$/, '$1 “$2”')
    .replace(/^order(?: (\d+))?: (create|renew|reissue) /, (_, number, action) =>
      number ? `order ${number} for ` : REQUESTED_OBJECTS[action as keyof typeof REQUESTED_OBJECTS],
    )
    .replace(/^digest (?=[CDG])/, 'the daily summary of ')
    .replaceAll(UUID, '$1…$2')
  const clipped = clip(readableObject, MAX_OBJECT_LENGTH)
  // Only roles get IDs replaced with mentions. In other objects, an ID may be part of text that someone typed.
  if (!clipped.startsWith('role ')) return linkChannel(clipped)
  const role = clipped.replace(/^role (\w+)/, 'the $1 role')
  // “Requested the operator role of Max”, but “gave the operator role to Max”.
  return (verb.endsWith('grant') ? role.replace(' of ', ' to ') : role).split(USER_IDS).map(formatPerson)
}

/** Matches objects about a channel, as Signalman itself writes them. */
const CHANNEL_OBJECT = /^(channel |the daily summary of )([CG][A-Z0-9]{5,})( \(OTE\))?$/

function linkChannel(text: string): Line[] {
  const [, prefix = '', channelId = '', rest = ''] = CHANNEL_OBJECT.exec(text) ?? []
  return channelId ? [prefix, { type: 'channel', channel_id: channelId }, rest] : [text]
}

/** Describes the action and its object. Uses the past tense only if the action was completed. */
function actionLine({ verb, outcome, object = '', after }: AuditEntry): Line[] {
  // The object ends with how the action was requested, if not by command: “, through …”, or only “(through …)”.
  const [sourceSuffix = ''] = /, through [^,()]+$|^\(through [^()]+\)$/.exec(object) ?? []
  const objectText = object.slice(0, object.length - sourceSuffix.length)
  const sourceText = sourceSuffix.replace(/^, |[()]/g, '')
  const preposition = objectText ? ' on' : ''
  const pastTense = PAST_TENSES[verb.split(' ').at(-1) ?? ''] ?? `used ${cmd(verb)}${preposition}`
  // In a past tense, an ellipsis marks the place of the object.
  const [beforeObject = '', afterObject] = (
    outcome === 'done' ? pastTense : `tried to use ${cmd(verb)}${preposition}`
  ).split(' …')
  const newEnvironment = ENVIRONMENTS.find((known) => known === asRecord(after).environment)
  if (outcome === 'done' && verb.endsWith(' env') && newEnvironment)
    return [
      ' switched ',
      // The object names the environment from before the switch.
      ...objectLine(verb, objectText.replace(/ \(OTE\)$/, '')),
      ` to ${ENVIRONMENT_NAMES[newEnvironment]}`,
      sourceText && ` ${sourceText}`,
    ]
  return [
    ` ${beforeObject}${objectText && ' '}`,
    ...objectLine(verb, objectText),
    afterObject ?? '',
    sourceText && ` ${sourceText}`,
  ]
}

const channelLine = (channelId = ''): Line =>
  /^[CG][A-Z0-9]+$/.test(channelId) ? [' · ', { type: 'channel', channel_id: channelId }] : []

/** Two lines per entry: who did what, and then the outcome, time, and channel. */
function foldLines(fold: AuditFold, hasDetails: boolean): Line[] {
  const { entry, rows } = fold
  const author = USER_ID.test(entry.actor.userId)
    ? person(entry.actor.userId)
    : textElement(entry.actor.userId, { bold: true })
  return [
    joinLines([author, ...actionLine(entry)], []),
    joinLines(
      [
        `${OUTCOMES[entry.outcome]} · `,
        entry.at,
        channelLine(entry.channelId),
        rows === 1 ? [] : ` · and ${formatCount(rows - 1)} similar`,
      ],
      [],
    ),
    ...(hasDetails ? detailLines(fold) : []),
  ]
}

/** The verb, object, and changed values as stored in the log. */
function detailLines({ entry, rows }: AuditFold): Line[] {
  const { verb, object = '', before, after, sequence, reference } = entry
  const change = changeLine(before, after)
  return [
    [cmd(verb), object && ` ${clip(oneLine(object), MAX_OBJECT_LENGTH)}`, change && ` – ${change}`],
    `Row ${sequence}, reference ${reference}${rows === 1 ? '' : `. To see each of them, type ${cmd('/hc audit')} --reference ${reference}`}`,
  ]
}

const MAX_VALUE_LENGTH = 80
const MAX_CHANGE_LENGTH = 400

/** The fields that changed, old → new, on one line of at most 400 characters. */
export function changeLine(before: unknown, after: unknown): string {
  if (before === undefined && after === undefined) return ''
  const areRecords = isRecord(before ?? {}) && isRecord(after ?? {})
  const line = areRecords ? formatFields(asRecord(before), asRecord(after)) : formatChange(before, after)
  return clip(line, MAX_CHANGE_LENGTH)
}

function formatFields(before: Record<string, unknown>, after: Record<string, unknown>): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => `${key}: ${formatChange(before[key], after[key])}`)
    .join('; ')
}

function formatChange(before: unknown, after: unknown): string {
  if (before === undefined) return formatValue(after)
  return after === undefined ? `was ${formatValue(before)}` : `${formatValue(before)} → ${formatValue(after)}`
}

function formatValue(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : clip(value.map(formatValue).join(', '), MAX_VALUE_LENGTH)
  if (isRecord(value)) return clip(`(${formatFields({}, value)})`, MAX_VALUE_LENGTH)
  return clip(oneLine(String(value)), MAX_VALUE_LENGTH) || '(empty)'
}

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** The sentence above the file. */
export function describeExport(rows: number, filters: AuditFilters): string {
  const filterText = describeFilters(filters)
  return `${pluralize(rows, 'row')} of the audit log, oldest first, one JSON object per line.${filterText ? ` Filtered by: ${filterText}.` : ''}`
}

/** The reply in the place where the export was requested. */
export function sentView(rows: number): Message {
  const sentence = `Signalman sent you a DM with the file of ${pluralize(rows, 'row')}.`
  return message(sentence, section(sentence))
}
