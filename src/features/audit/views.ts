import type { AuditEntry, AuditFold, AuditOutcome, AuditQuery } from '@signalman/durable'
import {
  card,
  clip,
  commandButton,
  group,
  type Line,
  lines,
  type Message,
  oneLine,
  person,
  textElement,
} from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'

/** Which entries to show. An undefined filter matches every entry. */
export type AuditFilters = Pick<AuditQuery, 'userId' | 'text' | 'from' | 'to'>

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
}

/** Lists entries, one line each: the outcome, when, who, the verb, and the object. */
export function auditView({ folds, filters, line, before, isOlderPage }: AuditPage): Message {
  const isEmpty = folds.length === 0
  const inPlace = { inPlace: true }
  return card({
    headline: [formatTitle(folds, isOlderPage), ...filterParts(filters)],
    body: isEmpty ? [] : [lines(...folds.map(foldLine))],
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
        ? 'The log has every change, every threat event that someone looked up, and every refusal, as long as they’re kept.'
        : 'The exported file also has the changed values and the references.',
    ],
  })
}

/** Counts all entries of the page, also those that are shown as similar to another one. */
function formatTitle(folds: readonly AuditFold[], isOlderPage: boolean): string {
  const total = folds.reduce((sum, { rows }) => sum + rows, 0)
  if (total === 0) return 'No audit entries match'
  return `${pluralize(total, isOlderPage ? 'earlier entry' : 'entry', isOlderPage ? 'earlier entries' : 'entries')}, newest first`
}

const filterParts = ({ userId, text, from, to }: AuditFilters): Line[] => [
  ...(userId ? [[' · by ', formatPerson(userId)]] : []),
  ...(from ? [[' · from ', from]] : []),
  ...(to ? [[' · before ', to]] : []),
  ...(text ? [` · “${clip(oneLine(text), 80)}”`] : []),
]

const OUTCOMES: Readonly<Record<AuditOutcome, string>> = {
  begun: '⏳ started',
  done: '✅ done',
  refused: '⛔ refused',
  failed: '❌ failed',
  unknown: '❓ outcome unknown',
}

function foldLine({ entry, rows }: AuditFold): Line {
  const { actor, at, channelId = '', outcome, verb } = entry
  return [
    `${OUTCOMES[outcome]} · `,
    at,
    ' · ',
    formatPerson(actor.userId),
    ' · ',
    textElement(cmd(verb), { code: true }),
    ' ',
    formatObject(entry),
    /^[CG][A-Z0-9]+$/.test(channelId) ? [' · ', { type: 'channel', channel_id: channelId }] : [],
    rows === 1 ? [] : ` · and ${formatCount(rows - 1)} similar`,
  ]
}

const MAX_OBJECT_LENGTH = 150

/** Names a check instead of its UUID, and mentions who has a role. Anything else is shown as it is stored. */
function formatObject({ object = '' }: AuditEntry): Line {
  const [, shared] = /^share (\/.*)$/s.exec(object) ?? []
  if (shared) return `share ${clip(oneLine(cmd(shared)), MAX_OBJECT_LENGTH)}`
  const [, role, id = ''] = /^(role [a-z]+ of )([UWS][A-Z0-9]+)$/.exec(object) ?? []
  if (role) return [role, id.startsWith('S') ? group(id) : formatPerson(id)]
  const [, name] = /^health-check [0-9a-f-]{36} \((.*)$/s.exec(object) ?? []
  return clip(
    oneLine(name === undefined ? object : `health-check ${name.replace(/\)/, '')}`),
    MAX_OBJECT_LENGTH,
  )
}

/** Shows anything that isn't a user ID, such as `system`, as text, because Slack would reject the whole message. */
const formatPerson = (userId: string): Line =>
  /^[UW][A-Z0-9]+$/.test(userId) ? person(userId) : textElement(userId, { bold: true })
