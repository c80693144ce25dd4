import type { AuditEntry, AuditFold, AuditOutcome } from '@signalman/durable'
import {
  card,
  clip,
  commandButton,
  joined,
  type Line,
  lines,
  literal,
  type Message,
  message,
  oneLine,
  person,
  section,
  words,
} from '@signalman/slack'
import { counted, grouped } from '../../domain/wording.ts'
import { type AuditFilters, filterFlags, filtersLine } from './parse.ts'

export interface AuditPage {
  folds: readonly AuditFold[]
  filters: AuditFilters
  /** Rows before this one are on the next page; undefined on the last one. */
  before: number | undefined
  /** True when rows that are alike are not folded. */
  isUnfolded: boolean
  /** False on the first page. */
  isLater: boolean
  /** With the names, rows and references of the log itself. */
  hasDetails: boolean
  /** Shown to whoever did all of it: without details and export, which are for admins. */
  isMine?: boolean
}

/** A page of the audit log, newest first. */
export function auditView(auditPage: AuditPage): Message {
  const { folds, filters, before, isUnfolded, isLater, hasDetails, isMine = false } = auditPage
  const typed = isMine ? { ...filters, userId: undefined } : filters
  const flags = [isMine && '--mine', filterFlags(typed), isUnfolded && '--unfolded'].filter(Boolean).join(' ')
  const details = hasDetails ? '--details' : ''
  const line = (...more: string[]) => ['/hc audit', flags, ...more].filter(Boolean).join(' ')
  const { userId, ...others } = filters
  const narrowed = [userId ? ['by ', person(userId)] : [], filtersLine(others)].filter(
    ({ length }) => length > 0,
  )
  const last = folds.length === 1 ? 'The last act' : `The last ${counted(folds.length, 'act')}, newest first`
  const place = isLater ? `${counted(folds.length, 'earlier act')}, newest first` : last
  const inPlace = { inPlace: true }
  return card({
    answer: [
      folds.length === 0 ? 'Nothing in the audit log fits' : place,
      ...(narrowed.length > 0 ? [' · only: ', ...[joined(narrowed)].flat()] : []),
    ],
    body: folds.map((fold) => lines(...foldLines(fold, hasDetails))),
    controls: [
      ...(before === undefined ? [] : [commandButton('Older', line(details, `--before ${before}`), inPlace)]),
      isLater
        ? commandButton('Newest', line(details), inPlace)
        : commandButton('Refresh', line(details), inPlace),
      ...(folds.length === 0 || isMine ? [] : adminButtons(line, hasDetails)),
    ],
  })
}

const adminButtons = (line: (...more: string[]) => string, hasDetails: boolean) => [
  hasDetails
    ? commandButton('Without details', line(''), { inPlace: true })
    : commandButton('Details', line('--details'), { inPlace: true }),
  commandButton('Export', line('--export')),
]

const OUTCOMES: Readonly<Record<AuditOutcome, string>> = {
  begun: '⏳ begun',
  done: '✅ done',
  refused: '⛔ refused',
  failed: '❌ failed',
  unknown: '❓ outcome unknown',
}

/** What somebody did (to …), by the last word of the verb; what has no word of its own is said as it is typed. */
const DID: Readonly<Record<string, string>> = {
  create: 'created',
  edit: 'changed',
  'edit-anyway': 'changed',
  delete: 'deleted',
  export: 'exported',
  watch: 'watched',
  unwatch: 'stopped watching',
  mute: 'muted',
  unmute: 'unmuted',
  'watch-ack': 'took on',
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
  report: 'made',
  connect: 'stored a token for',
  disconnect: 'forgot the token of',
  'token-generate': 'generated a token for',
  env: 'switched the environment of',
  access: 'changed',
  'access-request': 'asked for',
  'access-grant': 'gave',
  'access-decline': 'declined',
  grant: 'gave',
  audit: 'made an',
  policy: 'changed',
  hold: 'put in force',
  resolve: 'settled',
  submit: 'placed',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrew',
  take: 'took',
  release: 'gave back',
  reopen: 'reopened',
  'takedown-sent': 'sent the takedown of',
  down: 'called … down',
  up: 'called … still up',
  'false-positive': 'called … a false positive',
  whois: 'read the WHOIS record of',
  kit: 'made a takedown kit of',
  memory: 'changed how long to remember',
  '/cert-order': 'asked for',
  '/threat': 'looked up',
}

const OBJECT = 200
const USER_ID = /^[UW][A-Z0-9]{5,}$/
const USER_IDS = /\b([UW][A-Z0-9]{7,})\b/
const UUID = /\b([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}([0-9a-f]{4})\b/gi

const personOr = (text: string): Line => (USER_ID.test(text) ? person(text) : text)

/** `health check Group wiki`, `threat event 7e57…0001`, `role operator of @Max`. */
function objectLine(verb: string, object: string): Line[] {
  const named = oneLine(object)
    .replace(/^(alert \S+ of )?([a-z]+)-([a-z]+) /, '$1$2 $3 ')
    .replace(/^connection /, 'the $&')
    .replace(/ [0-9a-f-]{36} \((.+)\)$/, ' $1')
    // A verb says what it is: “muted web”, “watched everything”.
    .replace(/^(?:mute|watch|maintenance) [\w-]{22} \((.+)\)$/, '$1')
    .replace(/^job [\w-]{22}$/, 'change of many health checks')
    .replace(/^import [\w-]{22}$/, 'import')
    .replace(/^(job|import) \S+ \((.+)\)$/, '$1 “$2”')
    .replace(/^digest (?=[CDG])/, 'the daily summary of ')
    .replaceAll(UUID, '$1…$2')
  const shown = clip(named, OBJECT)
  // What else has an id in it may be outside text.
  if (!shown.startsWith('role ')) return inChannel(shown)
  // A role is somebody’s, and given to them.
  const role = verb.endsWith('grant') ? shown.replace(' of ', ' to ') : shown
  return role.split(USER_IDS).map(personOr)
}

/** What the app itself says of a channel. */
const OF_CHANNEL = /^(channel |the daily summary of )([CG][A-Z0-9]{5,})( \(OTE\))?$/

function inChannel(shown: string): Line[] {
  const [, what = '', channelId = '', rest = ''] = OF_CHANNEL.exec(shown) ?? []
  return channelId ? [what, { type: 'channel', channel_id: channelId }, rest] : [shown]
}

/** What was done, and to what: in words of their own where the verb has them and it came to an end. */
function deedLine({ verb, outcome, object = '' }: AuditEntry): Line[] {
  // The log has the way in behind the object, or alone.
  const [through = ''] = /, through [^,()]+$|^\(through [^()]+\)$/.exec(object) ?? []
  const what = object.slice(0, object.length - through.length)
  const door = through.replace(/^, |[()]/g, '')
  const on = what ? ' on' : ''
  const did = DID[verb.split(' ').at(-1) ?? ''] ?? `used ${verb}${on}`
  const [before = '', after] = (outcome === 'done' ? did : `wanted to use ${verb}${on}`).split(' …')
  return [` ${before}${what && ' '}`, ...objectLine(verb, what), after ?? '', door && ` ${door}`]
}

const channelWords = (channelId = ''): Line =>
  /^[CG][A-Z0-9]+$/.test(channelId) ? [' · ', { type: 'channel', channel_id: channelId }] : []

/** Two lines a row: who did what, and what came of it, when and where. */
function foldLines(fold: AuditFold, hasDetails: boolean): Line[] {
  const { entry, rows } = fold
  const who = USER_ID.test(entry.actor.userId)
    ? person(entry.actor.userId)
    : words(entry.actor.userId, { bold: true })
  return [
    joined([who, ...deedLine(entry)], []),
    joined(
      [
        `${OUTCOMES[entry.outcome]} · `,
        entry.at,
        channelWords(entry.channelId),
        rows === 1 ? [] : ` · ${grouped(rows - 1)} more like it`,
      ],
      [],
    ),
    ...(hasDetails ? detailLines(fold) : []),
  ]
}

/** As the log itself has it. */
function detailLines({ entry, rows }: AuditFold): Line[] {
  const { verb, object = '', before, after, sequence, reference } = entry
  const change = changeLine(before, after)
  return [
    [verb, object && ` ${clip(oneLine(object), OBJECT)}`, change && ` – ${change}`],
    `Row ${sequence}, reference ${reference}${rows === 1 ? '' : `; each of them: /hc audit --reference ${reference}`}`,
  ]
}

const VALUE = 80
const WHOLE = 400

/** What an act changed, on one line of at most 400 characters: the fields that differ, old → new. */
export function changeLine(before: unknown, after: unknown): string {
  if (before === undefined && after === undefined) return ''
  const fields = isRecord(before ?? {}) && isRecord(after ?? {})
  const line = fields ? fieldLines(asRecord(before), asRecord(after)) : pair(before, after)
  return clip(line, WHOLE)
}

function fieldLines(before: Record<string, unknown>, after: Record<string, unknown>): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => `${key}: ${pair(before[key], after[key])}`)
    .join('; ')
}

function pair(before: unknown, after: unknown): string {
  if (before === undefined) return shown(after)
  return after === undefined ? `was ${shown(before)}` : `${shown(before)} → ${shown(after)}`
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : clip(value.map(shown).join(', '), VALUE)
  if (isRecord(value)) return clip(`(${fieldLines({}, value)})`, VALUE)
  return clip(oneLine(String(value)), VALUE) || '(empty)'
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** The direct message while the file is made. */
export function exportingView(rows: number): Message {
  const sentence = `Exporting ${counted(rows, 'row')} of the audit log…`
  return message(sentence, section(sentence))
}

/** The same where the file was not taken: what is wrong with that is said where it was asked for. */
export function unsentView(): Message {
  const sentence = 'The audit log was not sent: Slack did not take the file.'
  return message(sentence, section(sentence))
}

/** The direct message above the file. */
export function exportedView(rows: number, filters: AuditFilters): Message {
  const narrowed = filtersLine(filters)
  const sentence = `${counted(rows, 'row')} of the audit log, oldest first, one JSON object a line.${narrowed ? ` Only: ${narrowed}.` : ''}`
  return message(literal(sentence), section(sentence))
}

/** The answer in the place where it was asked for. */
export function sentView(rows: number): Message {
  const sentence = `The file with ${counted(rows, 'row')} is in your direct messages with Signalman.`
  return message(sentence, section(sentence))
}
