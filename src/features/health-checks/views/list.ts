import {
  card,
  clip,
  commandButton,
  commandMenu,
  joinLines,
  type Line,
  lines,
  type Message,
  oneLine,
  textElement,
} from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import { checkName, statusEmoji, statusLabel } from '../../../bot/views/check-facts.ts'
import { describePage, listPage } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { quoted, quotedName } from '../../../domain/quoting.ts'
import { readTyped } from '../../../domain/typed-text/typed-address.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { describeFilters, formatFilters, formatListCommand, MAX_PAGE_SIZE } from '../parse.ts'
import type { CheckFilters, IsMaintained, ListingPage, Summary } from '../rules/listing.ts'
import { formatTarget } from './check.ts'

/** Short enough that forty rows and a menu of their names fit in a message. */
const MAX_PART_LENGTH = 100

/** A page of a listing: a line for each check, and a menu that opens one. */
export function listView(
  page: ListingPage,
  filters: CheckFilters,
  {
    similar = [],
    isMaintained = () => false,
  }: {
    similar?: readonly HealthCheck[]
    isMaintained?: IsMaintained | undefined
  },
  environment: Environment,
  now: Date,
): Message {
  // The service may return more rows than requested.
  const rows = page.rows.slice(0, MAX_PAGE_SIZE)
  const shown = rows.length > 0 ? rows : similar
  const filterText = describeFilters(filters)
  const facts: DownFacts = { since: page.since ?? new Map(), isMaintained }
  const isEmpty = rows.length + page.total === 0 && filterText === ''
  const areAllDown = rows.length > 0 && filters.status === 'UNHEALTHY'
  return listPage({
    ...buildHeading(page, filters, filterText),
    environment,
    rows: [
      ...(shown === similar && similar.length > 0 ? [lines('Did you mean one of these?')] : []),
      ...checkBlocks(shown, facts, { saysStatus: !areAllDown }),
    ],
    notes: buildNotes(page, page.rows.length - rows.length),
    ...pageLines(page, filters),
    openMenu: checkMenu(shown),
    controls: isEmpty
      ? FIRST_STEPS
      : rows.length + page.total === 0
        ? otherLists(filters)
        : onlyDown(filters),
    moreControls: isEmpty ? [] : moreButtons(page, filters),
    now,
  })
}

/** What to do if there are no health checks yet. */
const FIRST_STEPS = [commandButton('Create', '/hc create'), commandButton('Import', '/hc import')]
const onlyDown = (filters: CheckFilters): Button[] =>
  filters.status === undefined
    ? [commandButton('Only down', formatListCommand({ ...filters, status: 'UNHEALTHY' }))]
    : []
const NO_CHECKS = 'There are no health checks'

function buildHeading(
  { rows, pageSize, start, total, listable, unreadable, down = 0 }: ListingPage,
  filters: CheckFilters,
  filterText: string,
): { title: string; subtitle: string } {
  if (rows.length + total === 0) {
    if (unreadable === 0 && isOnlyDown(filters)) return { title: 'No health check is down', subtitle: '' }
    const none = unreadable > 0 ? 'No readable health check matches' : 'No health check matches'
    return { title: filterText ? none : NO_CHECKS, subtitle: filterText }
  }
  const page = Math.floor(start / pageSize) + 1
  const subtitle = [
    down > 0 && filters.status === undefined && `${formatCount(down)} down`,
    describePage(page, Math.max(page, Math.ceil(listable / pageSize))),
    filterText,
  ]
  return { title: pluralize(total, 'health check'), subtitle: subtitle.filter(Boolean).join(' · ') }
}

const isOnlyDown = ({ status, ...others }: CheckFilters): boolean =>
  status === 'UNHEALTHY' && Object.values(others).every((filter) => filter === undefined)

/** What else to list if nothing matches. */
function otherLists({ name, ...others }: CheckFilters): Button[] {
  const isTarget = name !== undefined && others.target === undefined && readTyped(name).kind !== 'text'
  return [
    ...(isTarget
      ? [commandButton('Find it as a target', formatListCommand({ ...others, target: name }))]
      : []),
    ...(name?.includes('*') && describeFilters(others) !== ''
      ? [commandButton('Find it by name only', formatListCommand({ name }))]
      : []),
    ...(name === undefined || name.includes('*')
      ? []
      : [commandButton('Find the closest name', `/hc show ${quotedName(name)}`)]),
    commandButton('All health checks', '/hc list'),
  ]
}

const buildNotes = ({ rows, total, unreadable, isByName }: ListingPage, more: number): string[] =>
  [
    rows.length + unreadable === 0 && total > 0
      ? `The service reports ${pluralize(total, 'health check')} but listed none on this page. Try again in a minute.`
      : '',
    more > 0 ? `${more} more on this page don’t fit in one message. Narrow the list.` : '',
    unreadable > 0
      ? `${unreadable} couldn’t be read, because the service sent them in an unexpected format.`
      : '',
    isByName && rows.length > 0 ? 'Too many to sort by status, so they’re sorted by name.' : '',
  ].filter(Boolean)

const IN_MAINTENANCE = 'in maintenance'

/** A button for each row would push the rows apart, so a menu opens the checks of a page. */
const checkMenu = (rows: readonly HealthCheck[]) =>
  rows.length === 0
    ? []
    : [
        commandMenu(
          'Open a check…',
          rows.map((check) => ({ label: checkName(check), value: `/hc show ${quoted(check.uuid)}` })),
          { inPlace: false },
        ),
      ]

function pageLines(
  { rows, pageSize, start, listable, unreadable, isPagedByService }: ListingPage,
  filters: CheckFilters,
) {
  const end = start + rows.length + (isPagedByService ? unreadable : 0)
  return {
    previous: start > 0 ? formatListCommand(filters, Math.max(0, start - pageSize)) : undefined,
    next: end < listable && rows.length > 0 ? formatListCommand(filters, end) : undefined,
  }
}

function moreButtons({ start, total }: ListingPage, filters: CheckFilters): Button[] {
  return [
    // An empty listing has nothing to export or change.
    ...(total > 0
      ? [commandButton('Export these', ['/hc export', ...formatFilters(filters)].join(' '))]
      : []),
    commandButton('Share to channel', `${formatListCommand(filters, start)} --share`),
  ]
}

/** Shows which checks are down, and since when if known. In App Home, leaves out the buttons for channels. */
export function summaryView(
  summary: Summary,
  environment: Environment,
  now: Date,
  { atHome = false, silenced = [] }: { atHome?: boolean; silenced?: readonly Line[] } = {},
): Message {
  const { total, unhealthy, down, newest, since } = summary
  const refresh = commandButton('Refresh', atHome ? '/hc home' : '/hc', { inPlace: true })
  const downSince = newest && since.get(newest.uuid)
  // The first line of the list names it.
  const newestAt = unhealthy > 1 && !downSince?.isAtLeast ? downSince?.at : undefined
  const details = [
    ...(summary.allUpSince ? [' · since ', summary.allUpSince] : []),
    ...(newestAt ? [' · newest since ', newestAt] : []),
    ...otherCounts(summary),
  ]
  return card({
    headline: [
      formatSummaryHeadline(summary, environmentSuffix(environment)),
      ...details.filter((part) => part !== false),
    ],
    notes: silenced,
    body: checkBlocks(down, summary),
    smallPrint: [['As of ', now]],
    controls:
      total === 0
        ? [...FIRST_STEPS, refresh]
        : [
            ...checkMenu(down),
            ...(unhealthy > down.length
              ? [commandButton(`All ${formatCount(unhealthy)} down`, '/hc list --status UNHEALTHY')]
              : []),
            commandButton('List', '/hc list'),
            refresh,
          ],
    moreControls: atHome
      ? []
      : [
          ...(total === 0 ? [] : [commandButton('Create', '/hc create')]),
          commandButton('Watch here', '/hc watch'),
          commandButton('Share to channel', '/hc --share'),
        ],
  })
}

/** Counts checks that are neither up nor down. If there are too many to count by status, gives the total instead. */
const otherCounts = ({ total, unhealthy, others }: Summary): readonly (string | false)[] =>
  others
    ? [
        others.installing > 0 && ` · ${formatCount(others.installing)} installing`,
        others.unknown > 0 && ` · ${formatCount(others.unknown)} with an unknown status`,
        others.unreadable > 0 && ` · ${formatCount(others.unreadable)} couldn’t be read`,
      ]
    : [unhealthy === 0 && ` · about ${formatCount(total)} in total`]

export function formatSummaryHeadline({ total, unhealthy, others }: Summary, badge: string): string {
  if (total === 0) return `${NO_CHECKS}${badge}`
  const count = `${others ? '' : 'about '}${pluralize(total, 'health check')}${badge}`
  if (unhealthy > 0) return `${formatCount(unhealthy)} of ${count} ${unhealthy === 1 ? 'is' : 'are'} down`
  // One that couldn't be read may be down.
  if (others && others.unreadable > 0) return `No readable health check${badge} is down`
  if (others?.healthy !== total) return `No health check${badge} is down`
  return total === 1
    ? `The only health check${badge} is up`
    : `All ${formatCount(total)} health checks${badge} are up`
}

type DownFacts = Pick<Summary, 'since' | 'isMaintained'>

/** As many as the summary shows. More may be too long for a block. */
const MAX_BLOCK_LINES = 10

/** A line for each check, in the summary and in a list. If all are down, the headline says so instead of each line. */
function checkBlocks(
  checks: readonly HealthCheck[],
  facts: DownFacts,
  { saysStatus = false } = {},
): KnownBlock[] {
  const blocks: KnownBlock[] = []
  for (let start = 0; start < checks.length; start += MAX_BLOCK_LINES)
    blocks.push(
      lines(
        ...checks.slice(start, start + MAX_BLOCK_LINES).map((check) => checkLine(check, facts, saysStatus)),
      ),
    )
  return blocks
}

/** `🔴 Shop checkout · HTTPS shop.example.com · since today at 9:00 AM · Ann is on it` */
function checkLine(check: HealthCheck, facts: DownFacts, saysStatus: boolean): Line {
  // One that the service says is up may have been down when Signalman last asked.
  const down = check.status === 'UNHEALTHY' ? facts.since.get(check.uuid) : undefined
  const { at, isAtLeast, acknowledgedBy = '' } = down ?? {}
  const onIt = clip(oneLine(acknowledgedBy), MAX_PART_LENGTH)
  return joinLines(
    [
      [
        saysStatus ? `${statusLabel(check.status)} · ` : `${statusEmoji(check.status)} `,
        textElement(clip(checkName(check), MAX_PART_LENGTH), { bold: true }),
      ],
      clip(formatTarget(check), MAX_PART_LENGTH),
      // If it was down when Signalman first saw it, it may have been down for longer.
      at ? [isAtLeast ? 'since at least ' : 'since ', at] : '',
      facts.isMaintained?.(check) ? textElement(IN_MAINTENANCE, { italic: true }) : '',
      onIt && textElement(`${onIt} is on it`, { italic: true }),
    ].filter(Boolean),
    ' · ',
  )
}
