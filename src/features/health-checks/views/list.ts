import {
  actions,
  clip,
  commandButton,
  commandMenu,
  context,
  header,
  LIMITS,
  literal,
  type Message,
  newOrClassic,
  oneLine,
  table,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { checkName, PROTOCOLS, STATUSES, statusLabel } from '../../../bot/replies/check-facts.ts'
import { asOf } from '../../../bot/replies/list-page.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { type Anchor, type CheckFilters, filterWords, type ListPlace, listLine } from '../parse.ts'
import type { Listed } from '../read-listing.ts'
import { checkLine, checkRow } from './check.ts'

/** Around the rows stand at most seven blocks: header, place, three notes, actions, time. */
const MOST_ROWS = LIMITS.messageBlocks - 7
/** So many checks at the edge of a page are remembered by its buttons: it goes on there while one of them is left. */
const ANCHORS = 3
const CELL = 120

/** A page of a listing: a table where the workspace takes tables, a row with a button for each check elsewhere. */
export function listView(
  listed: Listed,
  filters: CheckFilters,
  { pageSize, similar = [] }: { pageSize: number; similar?: readonly HealthCheck[] },
  environment: Environment,
  now: Date,
): Message {
  // A service may answer more than it was asked for; the menus below the rows must not fall off the message.
  const rows = listed.rows.slice(0, MOST_ROWS)
  const place = placeWords(listed, filters, pageSize)
  const notes = notesOf(listed, listed.rows.length - rows.length)
  const head: KnownBlock[] = [header(`Health checks${badgeOf(environment)}`), context(place)]
  const foot: KnownBlock[] = [
    ...notes.map((note) => context(note)),
    ...similarRows(similar),
    ...controls(listed, filters, pageSize),
    asOf(environment, now),
  ]
  return newOrClassic(
    literal(
      [
        `Health checks${badgeOf(environment)}: ${place}`,
        ...notes,
        ...rows.map(checkLine),
        ...similar.map(checkLine),
      ].join('\n'),
    ),
    [head, rows.length > 0 ? [checksTable(rows), ...actions(openMenu(rows))] : [], foot],
    () => [head, rows.map(checkRow), foot],
  )
}

/** What a name that fits nothing was likely meant to be. */
const similarRows = (similar: readonly HealthCheck[]): KnownBlock[] =>
  similar.length === 0 ? [] : [context('Did you mean one of these?'), ...similar.map(checkRow)]

function placeWords(
  { rows, start, total, unreadable }: Listed,
  filters: CheckFilters,
  pageSize: number,
): string {
  const narrowed = filterWords(filters)
  const count = rows.length + unreadable
  if (count === 0) return `No health checks ${narrowed ? `match: ${narrowed}` : 'here'}.`
  // Checks that went since make a page begin a little in front of where it would.
  const page = Math.round(start / pageSize) + 1
  const pages = Math.max(page, Math.ceil(total / pageSize))
  const place = `${start + 1}–${start + count} of ${total} · page ${page} of ${pages}`
  return narrowed ? `${place} · ${narrowed}` : place
}

function notesOf({ unreadable, other }: Listed, more: number): string[] {
  return [
    more > 0 ? `${more} more on this page do not fit one message: narrow the listing.` : '',
    unreadable > 0 ? `${unreadable} could not be read: the service sent them in a form not understood.` : '',
    other > 0 ? `${other} with another status are not among them: list them by name to see them.` : '',
  ].filter(Boolean)
}

function checksTable(rows: readonly HealthCheck[]) {
  return table(
    ['Status', 'Name', 'Protocol', 'Target', 'Port'],
    rows.map((check) => [
      statusLabel(check.status),
      clip(checkName(check), CELL),
      clip(check.protocol ?? '', CELL),
      clip(oneLine(check.target ?? ''), CELL),
      String(check.port ?? ''),
    ]),
  )
}

/** A cell of a table holds no button, so that the checks of a page are opened from a menu. */
const openMenu = (rows: readonly HealthCheck[]) =>
  commandMenu(
    'Open a health check',
    rows.map((check) => ({ label: checkName(check), value: `/hc show ${quoted(check.uuid)}` })),
    { inPlace: false },
  )

function controls(
  { rows, start, total, unreadable, other }: Listed,
  filters: CheckFilters,
  pageSize: number,
) {
  const end = start + rows.length + unreadable
  const here: ListPlace = { offset: start, anchor: undefined }
  const uuids = rows.map(({ uuid }) => uuid)
  const line = (offset: number, side: Anchor['side'], near: readonly string[]): string =>
    listLine(filters, { offset, anchor: near.length > 0 ? { side, uuids: near } : undefined })
  return actions(
    ...(start > 0
      ? [
          commandButton('Previous', line(Math.max(0, start - pageSize), 'before', uuids.slice(0, ANCHORS)), {
            inPlace: true,
          }),
        ]
      : []),
    ...(end < total
      ? [commandButton('Next', line(end, 'after', uuids.slice(-ANCHORS).reverse()), { inPlace: true })]
      : []),
    commandButton('Filter', listLine(filters, {}, 'filter')),
    commandMenu('Status', choicesOf('status', STATUSES, filters)),
    commandMenu('Protocol', choicesOf('protocol', PROTOCOLS, filters)),
    ...(other > 0
      ? [commandButton('List by name', listLine({ ...filters, sort: 'name' }), { inPlace: true })]
      : []),
    commandButton('Refresh', listLine(filters, here), { inPlace: true }),
    commandButton('Share to channel', `${listLine(filters, here)} --share`),
  )
}

function choicesOf(what: 'status' | 'protocol', values: readonly string[], filters: CheckFilters) {
  const lineWith = (value: string | undefined) => listLine({ ...filters, [what]: value })
  return [
    { label: `Every ${what}`, value: lineWith(undefined), chosen: !filters[what] },
    ...values.map((value) => ({
      label: what === 'status' ? statusLabel(value) : value,
      value: lineWith(value),
      chosen: filters[what] === value,
    })),
  ]
}
