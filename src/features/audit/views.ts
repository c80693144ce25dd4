import type { AuditEntry, AuditFold, AuditOutcome, AuditQuery } from '@signalman/durable'
import { isRecord } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  group,
  joinLines,
  type Line,
  lines,
  type Message,
  oneLine,
  person,
  textElement,
} from '@signalman/slack'
import { readObject } from '../../bot/audit/object-text.ts'
import type { Verbs } from '../../bot/routes/read-line.ts'
import { cmd } from '../../domain/command-names.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'

/** Which entries to show. An undefined filter matches every entry. */
export type AuditFilters = Pick<AuditQuery, 'userId' | 'text' | 'aliases' | 'from' | 'to'>

interface AuditPage {
  /** The entries. A fold is an entry that stands for several similar ones. */
  folds: readonly AuditFold[]
  filters: AuditFilters
  /** The line that shows this page's entries, without the page. */
  line: string
  /** The next page starts before this row. Undefined on the last page. */
  before: number | undefined
  /** False on the first page. */
  isOlderPage: boolean
  /** Tells which verbs only buttons run. */
  routes: Verbs
}

/** Lists entries, one line each: when, who, what they did to what, and what changed. */
export function auditView({ folds, filters, line, before, isOlderPage, routes }: AuditPage): Message {
  const isEmpty = folds.length === 0
  const inPlace = { inPlace: true }
  return card({
    headline: isEmpty
      ? [joinLines(['No audit entries', ...filterParts(filters)], ' '), '.']
      : joinLines(
          [formatTitle(folds, { isOlderPage, isPart: before !== undefined }), ...filterParts(filters)],
          ' · ',
        ),
    body: isEmpty ? [] : [lines(...folds.map((fold) => foldLine(fold, routes)))],
    controls: [
      ...(before === undefined ? [] : [commandButton('Older', `${line} --before ${before}`, inPlace)]),
      ...(isEmpty
        ? filterParts(filters).length > 0
          ? [commandButton('All entries', '/hc audit')]
          : []
        : [
            commandButton(isOlderPage ? 'Newest' : 'Refresh', line, inPlace),
            commandButton('Export', `${line} --export`),
          ]),
    ],
    smallPrint: [
      isEmpty
        ? 'The log has changes, threat lookups, and refusals, unless they were too old to keep.'
        : 'The exported file also has the channels, the IDs, all values, and the references.',
    ],
  })
}

/** Counts all entries of the page, also those that are shown as similar to another one, and says if it's only a part. */
function formatTitle(
  folds: readonly AuditFold[],
  { isOlderPage, isPart }: { isOlderPage: boolean; isPart: boolean },
): string {
  const total = folds.reduce((sum, { rows }) => sum + rows, 0)
  if (isOlderPage) return `${pluralize(total, 'earlier entry', 'earlier entries')}, newest first`
  return isPart
    ? `The newest ${pluralize(total, 'entry', 'entries')}`
    : `${pluralize(total, 'entry', 'entries')}, newest first`
}

const filterParts = ({ userId, text, from, to }: AuditFilters): Line[] => [
  ...(userId ? [['by ', formatPerson(userId)]] : []),
  ...(from ? [['from ', from]] : []),
  ...(to ? [['before ', to]] : []),
  ...(text ? [`with “${clip(oneLine(text), 80)}”`] : []),
]

/** Only an entry that wasn't done says how it ended. */
const OUTCOMES: Readonly<Record<Exclude<AuditOutcome, 'done'>, string>> = {
  begun: '⏳ started · ',
  refused: '⛔ refused · ',
  failed: '❌ failed · ',
  unknown: '❓ outcome unknown · ',
}

/** The command comes first, because on a phone it would break in its middle behind a name and a date. */
function foldLine({ entry, rows }: AuditFold, routes: Verbs): Line {
  const { actor, at, outcome } = entry
  return [
    outcome === 'done' ? '' : OUTCOMES[outcome],
    formatVerb(entry, routes),
    entry.object ? [' ', formatObject(entry.object, entry.verb)] : '',
    outcome === 'done' ? formatChange(entry) : '',
    rows === 1 ? [] : ` · and ${formatCount(rows - 1)} similar`,
    ' · ',
    formatPerson(actor.userId),
    ', ',
    at,
  ]
}

/** As a person types it, or what the button does, in words. Nobody types what Signalman does by itself, such as `submit`. */
function formatVerb({ verb }: AuditEntry, routes: Verbs): Line {
  const [slashed = '', word = slashed] = verb.split(' ')
  const verbs = routes.findVerbs(slashed.slice(1))
  const declared = verbs.get(word === slashed ? '' : word)
  return verbs.size === 0 || (declared && !declared.hidden)
    ? textElement(cmd(verb), { code: true })
    : (declared?.label ?? word.replaceAll('-', ' '))
}

const MAX_OBJECT_LENGTH = 150
/** The name alone says what it is. */
const PLAIN_KINDS: readonly string[] = ['health-check', 'outage', 'threat event']

/** Names the object instead of its IDs, and a role as it is typed. Anything else is shown as it is stored. A verb may say its kind. */
function formatObject(object: string, verb: string): Line {
  const [, channelId, ote = ''] = /^channel ([CG][A-Z0-9]+)( \(OTE\))?$/.exec(object) ?? []
  if (channelId) return [formatChannel(channelId), ote]
  const found = readObject(object)
  if (!found) return clip(oneLine(object), MAX_OBJECT_LENGTH)
  if ('line' in found) return `share ${clip(oneLine(cmd(found.line)), MAX_OBJECT_LENGTH)}`
  if ('role' in found) {
    const { role, subject } = found
    const whom =
      subject === 'everyone' ? subject : subject.startsWith('S') ? group(subject) : formatPerson(subject)
    return [whom, ` ${role}`]
  }
  const { kind, name, suffix } = found
  const isPlain = PLAIN_KINDS.includes(kind) || verb.includes(kind)
  const named = name === undefined ? kind : isPlain ? name : `${kind} ${name}`
  return clip(oneLine(`${named}${suffix}`), MAX_OBJECT_LENGTH)
}

const MAX_CHANGES = 3
const MAX_VALUE_LENGTH = 40

/**
 * ` · frequency 60 → 30`, ` · reason: wrong domain`, or why nothing was changed: ` · was already watched`. Nothing if the old or the new
 * state isn't known.
 */
function formatChange({ before, after }: AuditEntry): Line {
  if (typeof after === 'string') return ` · ${clip(oneLine(after), MAX_OBJECT_LENGTH)}`
  if (!isRecord(before) || !isRecord(after)) return ''
  const changed = Object.keys({ ...before, ...after }).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )
  // States that have no field in common don't describe a change.
  if (!Object.keys(after).some((key) => key in before)) return ''
  const more = changed.length - MAX_CHANGES
  return [
    ...changed.slice(0, MAX_CHANGES).map((key): Line => {
      const [from, to] = cutEqualStart(formatValue(before[key]), formatValue(after[key]))
      const name = clip(oneLine(formatKey(key)), MAX_VALUE_LENGTH)
      return from === 'none'
        ? [` · ${name}: `, toLine(key, after[key], to)]
        : [` · ${name} `, toLine(key, before[key], from), ' → ', toLine(key, after[key], to)]
    }),
    more > 0 ? ` · and ${pluralize(more, 'more change')}` : '',
  ]
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** `customerId` → `customer`, `serviceOrder` → `service order`. */
const formatKey = (key: string): string =>
  key
    .replace(/Id$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()

/** A person, a channel, and a time are shown as Slack shows them. */
function toLine(key: string, value: unknown, text: string): Line {
  if (typeof value !== 'string') return text
  if (TIME.test(value)) return new Date(value)
  if (key === 'channelId' && /^[CG][A-Z0-9]+$/.test(value)) return formatChannel(value)
  return /^[UW][A-Z0-9]{6,}$/.test(value) ? formatPerson(value) : text
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  if (Array.isArray(value)) return value.map(formatValue).join(', ') || 'none'
  if (isRecord(value)) return formatValue(value.name ?? Object.values(value))
  return oneLine(TIME.test(String(value)) ? String(value).slice(0, 10) : String(value))
}

/** Cuts two values so that where they begin to differ is shown. */
function cutEqualStart(from: string, to: string): [string, string] {
  let start = 0
  while (start < from.length && from[start] === to[start]) start += 1
  const skipped = from.length > MAX_VALUE_LENGTH || to.length > MAX_VALUE_LENGTH ? Math.max(start - 10, 0) : 0
  const cut = (text: string) => clip(`${skipped > 0 ? '…' : ''}${text.slice(skipped)}`, MAX_VALUE_LENGTH)
  return [cut(from), cut(to)]
}

const formatChannel = (channelId: string): Line => ({ type: 'channel', channel_id: channelId })

/** Shows anything that isn't a user ID, such as `system`, as text, because Slack would reject the whole message. */
const formatPerson = (userId: string): Line =>
  /^[UW][A-Z0-9]+$/.test(userId) ? person(userId) : textElement(userId, { bold: true })
