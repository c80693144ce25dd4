import {
  card,
  clip,
  commandButton,
  commandMenu,
  context,
  type Line,
  lines,
  type Message,
  oneLine,
  textElement,
} from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import { checkName, statusEmoji, statusWord } from '../../../bot/views/check-facts.ts'
import { describeDown } from '../../../bot/views/down.ts'
import { describePage, listPage } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { NothingFound } from '../../../domain/nothing-found.ts'
import { quoted } from '../../../domain/quoting.ts'
import { describeNone, formatCount, pluralize } from '../../../domain/wording.ts'
import type { HealthCheck, NamedCheck, NamedChecks } from '../../../service/health-checks.ts'
import { describeFilters, formatFilters, formatListCommand } from '../parse.ts'
import {
  type CheckFilters,
  type Counts,
  hasFilter,
  type IsMaintained,
  type ListingPage,
  type Summary,
  splitFilters,
} from '../rules/listing.ts'
import { formatTarget } from './check.ts'

/** Short enough that forty rows and a menu of their names fit in a message. */
const MAX_PART_LENGTH = 100

/** A page of a listing: a line for each check, those that are down first, and a menu that opens one. */
export function listView(
  page: ListingPage,
  filters: CheckFilters,
  {
    isMaintained = () => false,
    none,
    take = [],
  }: {
    isMaintained?: IsMaintained | undefined
    /** What an empty list is about, if that could be counted. */
    none?: Counts | undefined
    take?: readonly Button[]
  },
  environment: Environment,
  now: Date,
): Message {
  const { down, rows, total } = page
  const shown = [...(down?.rows ?? []), ...rows]
  const filterText = describeFilters(filters)
  const facts: RowFacts = {
    since: page.since ?? new Map(),
    isMaintained,
    saysStatus: filters.status !== 'UNHEALTHY',
    showsTarget: filters.target === undefined ? createHasNamesake(shown) : () => true,
  }
  const isNone = shown.length + total === 0
  return listPage({
    ...(none ? describeEmpty(filters, none) : buildHeading(page, filterText)),
    environment,
    rows: [...checkBlocks(down?.rows ?? [], facts), ...moreDown(page), ...checkBlocks(rows, facts)],
    notes: buildNotes(page),
    ...pageLines(page, filters),
    openMenu: checkMenu(shown),
    controls: !isNone
      ? [...take, ...onlyDown(filters)]
      : filterText === '' || none?.total === 0
        ? FIRST_STEPS
        : ALL,
    moreControls: isNone && none?.ofKind !== none?.total ? [] : moreButtons(page, filters),
    now: page.at ?? now,
  })
}

/** `and 46 more that are down`, if not all of them are on the page. */
function moreDown({ down, rows }: ListingPage): KnownBlock[] {
  if (!down) return []
  const shown = down.rows.length + rows.filter(({ status }) => status === 'UNHEALTHY').length
  const more = down.total - down.unreadable - shown
  return more > 0 ? [lines([`and ${formatCount(more)} more that ${more === 1 ? 'is' : 'are'} down`])] : []
}

/** What to do if there are no health checks yet. */
const FIRST_STEPS = [commandButton('Create', '/hc create'), commandButton('Import', '/hc import')]
/** What else to list if nothing matches. */
const ALL = [commandButton('All health checks', '/hc list')]
const onlyDown = (filters: CheckFilters): Button[] =>
  filters.status === undefined ? [commandButton('Only down', formatDownCommand(filters))] : []
const formatDownCommand = (filters: CheckFilters): string =>
  formatListCommand({ ...filters, status: 'UNHEALTHY' })
const NO_CHECKS = 'There are no health checks'

function buildHeading(
  { down, rows, pageSize, start, next, total, unreadable, isUncompared }: ListingPage,
  filterText: string,
): { title: string; subtitle: string } {
  if (rows.length + total === 0) {
    const readable = unreadable === 0 ? '' : 'readable '
    const none = isUncompared ? 'The service finds no match' : `No ${readable}health check matches`
    return { title: filterText ? none : NO_CHECKS, subtitle: filterText }
  }
  const page = Math.ceil(start / pageSize) + 1
  const subtitle = [
    down && down.total > 0 && `${formatCount(down.total)} down`,
    describePage(page, page + Math.ceil(Math.max(0, total - next) / pageSize)),
    filterText,
  ]
  return { title: pluralize(total, 'health check'), subtitle: subtitle.filter(Boolean).join(' · ') }
}

/** `with “shop” in their name`, `named “shop*”`, `(HTTP, customer 7)` */
function describeKind({ name, ...others }: CheckFilters, their: string): string {
  const shown = quoteName({ name })
  if (name !== undefined) return name.includes('*') ? ` named ${shown}` : ` with ${shown} in ${their} name`
  return hasFilter(others) ? ` (${describeFilters(others)})` : ''
}

/** Says which case an empty list is: there is no check at all, none of its kind, or none of them is as it wants them. */
export function describeEmpty(
  filters: CheckFilters,
  { ofKind, total }: Counts,
): { title: string; subtitle: string } {
  const { kind, narrowed } = splitFilters(filters)
  const { status, ...others } = narrowed
  if (total === 0) return { title: NO_CHECKS, subtitle: '' }
  if (ofKind === 0 && kind.name !== undefined) return { title: describeNoneNamed(kind.name), subtitle: '' }
  const isOnlyStatus = ofKind > 0 && status !== undefined && !hasFilter(others)
  const subtitle = isOnlyStatus ? '' : describeFilters(ofKind === 0 ? kind : narrowed)
  const [count, about] = ofKind === 0 ? [total, {}] : [ofKind, kind]
  const is = isOnlyStatus ? `is ${statusWord(status)}` : 'matches'
  const [one, many] = [describeKind(about, 'its'), describeKind(about, 'their')]
  return { title: describeNone(count, [is], `health check${one}`, `health checks${many}`), subtitle }
}

const describeNoneNamed = (name: string): string =>
  `No health check ${name.includes('*') ? `is named ${quoteName({ name })}` : `has ${quoteName({ name })} in its name`}`

const quoteName = ({ name = '' }: CheckFilters): string => `“${clip(oneLine(name), MAX_PART_LENGTH)}”`

/** The error for filters of which no health check is: that isn't the same as that none of them is down. */
export const explainEmpty = (
  filters: CheckFilters,
  counts: Counts,
  environment: Environment,
): NothingFound => {
  const { name, ...others } = filters
  const { title, subtitle } = describeEmpty(filters, counts)
  return new NothingFound(
    `${title}${environmentSuffix(environment)}${subtitle && `: ${subtitle}`}.`,
    counts.total === 0 ? [] : [{ label: 'All health checks', line: '/hc list' }],
    // What has another name may be down.
    name === undefined || others.status === undefined ? {} : { without: formatListCommand(others) },
  )
}

const buildNotes = ({ down, rows, total, unreadable, isUncompared }: ListingPage): string[] =>
  [
    rows.length + unreadable + (down?.rows.length ?? 0) === 0 && total > 0
      ? `The service reports ${pluralize(total, 'health check')} but listed none on this page. Try again in a minute.`
      : '',
    unreadable > 0 ? `${unreadable} couldn’t be read, ${UNEXPECTED}` : '',
    down && down.unreadable > 0
      ? `${down.unreadable} of those that are down couldn’t be read, ${UNEXPECTED}`
      : '',
    isUncompared
      ? 'There are too many names to compare. Others may match, too, because the service finds a name only as it’s written.'
      : '',
  ].filter(Boolean)

const UNEXPECTED = 'because the service sent them in an unexpected format.'

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

const pageLines = ({ pageSize, start, next, total }: ListingPage, filters: CheckFilters) => ({
  previous: start > 0 ? formatListCommand(filters, Math.max(0, start - pageSize)) : undefined,
  next: next < total && next > start ? formatListCommand(filters, next) : undefined,
})

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
  {
    atHome = false,
    silenced = [],
    take = [],
  }: { atHome?: boolean; silenced?: readonly Line[]; take?: readonly Button[] } = {},
): Message {
  const { total, down } = summary
  const refresh = commandButton('Refresh', atHome ? '/hc home' : '/hc', { inPlace: true })
  return card({
    headline: `${formatSummaryHeadline(summary, environmentSuffix(environment))}${otherCount(summary)}`,
    notes: silenced,
    body: [
      ...checkBlocks(down.rows, { ...summary, showsTarget: createHasNamesake(down.rows) }),
      ...(down.unreadable > 0 ? [context(`${down.unreadable} of them couldn’t be read, ${UNEXPECTED}`)] : []),
    ],
    smallPrint: [['The service answered ', now]],
    controls:
      total === 0
        ? [...FIRST_STEPS, refresh]
        : [
            ...take,
            ...checkMenu(down.rows),
            ...(down.total > down.rows.length
              ? [commandButton(`All ${formatCount(down.total)} down`, '/hc list --status UNHEALTHY')]
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
          commandButton('Help', '/hc help'),
        ],
  })
}

/** A page of the checks that no channel watches, or of those of them whose names match. */
export function unwatchedView(
  {
    found,
    matching,
    unreadable,
    at,
    name,
    offset,
  }: Pick<NamedChecks, 'unreadable' | 'at'> & {
    readonly found: readonly NamedCheck[]
    /** How many have such a name, watched or not. */
    readonly matching: number
    readonly name: string | undefined
    readonly offset: number
  },
  environment: Environment,
): Message {
  const count = pluralize(found.length, 'health check')
  const rows = found.slice(offset, offset + MAX_BLOCK_LINES)
  const end = offset + rows.length
  const toLine = (start: number): string =>
    formatListCommand({ name }, start).replace('/hc list', '/hc list unwatched')
  const named = describeKind({ name }, matching === 1 ? 'its' : 'their')
  const none =
    matching > 0
      ? `A channel watches ${matching > 1 ? `each of the ${formatCount(matching)} health checks` : 'the only health check'}${named}`
      : name === undefined
        ? NO_CHECKS
        : describeNoneNamed(name)
  return listPage({
    title: found.length > 0 ? `No channel watches ${count}${named}` : none,
    subtitle: found.length > rows.length ? `${formatCount(offset + 1)} to ${formatCount(end)}` : '',
    environment,
    rows: checkBlocks(rows, { since: new Map(), showsTarget: createHasNamesake(rows) }),
    notes: unreadable > 0 ? [`${formatCount(unreadable)} couldn’t be read, ${UNEXPECTED}`] : [],
    previous: offset > 0 ? toLine(Math.max(0, offset - MAX_BLOCK_LINES)) : undefined,
    next: end < found.length ? toLine(end) : undefined,
    controls: [commandButton('Watch…', '/hc watch-edit'), commandButton('Watches', '/hc watches --all')],
    now: at,
  })
}

/** Checks that are neither up nor down: they are being installed, or their status is unknown. */
function otherCount({ total, healthy, down }: Summary): string {
  const others = total - healthy - down.total
  return others > 0 ? ` · ${formatCount(others)} installing or unknown` : ''
}

export function formatSummaryHeadline({ total, healthy, down }: Summary, badge: string): string {
  if (total === 0) return `${NO_CHECKS}${badge}`
  const count = `${pluralize(total, 'health check')}${badge}`
  if (down.total > 0) return `${formatCount(down.total)} of ${count} ${down.total === 1 ? 'is' : 'are'} down`
  if (healthy !== total) return `No health check${badge} is down`
  return total === 1
    ? `The only health check${badge} is up`
    : `All ${formatCount(total)} health checks${badge} are up`
}

interface RowFacts extends Pick<Summary, 'since' | 'isMaintained'> {
  /** False if the headline says the status of all. */
  saysStatus?: boolean
  showsTarget: (check: HealthCheck) => boolean
}

/** Returns whether another one of these checks has the same name, so that only its target tells them apart. */
function createHasNamesake(checks: readonly HealthCheck[]): (check: HealthCheck) => boolean {
  const byName = Map.groupBy(checks, checkName)
  return (check) => (byName.get(checkName(check))?.length ?? 0) > 1
}

/** A page of the default size is one block. More may be too long for it. */
const MAX_BLOCK_LINES = 15

/** A line for each check, in the summary and in a list. */
function checkBlocks(checks: readonly HealthCheck[], facts: RowFacts): KnownBlock[] {
  const blocks: KnownBlock[] = []
  for (let start = 0; start < checks.length; start += MAX_BLOCK_LINES)
    blocks.push(
      lines(...checks.slice(start, start + MAX_BLOCK_LINES).map((check) => checkLine(check, facts))),
    )
  return blocks
}

/** `🟢 Shop search` fits on one line of a phone, and `🔴 Shop checkout · since today at 9:00 AM · nobody is on it` on two. */
function checkLine(check: HealthCheck, facts: RowFacts): Line {
  // One that the service says is up may have been down when Signalman last asked.
  const down = check.status === 'UNHEALTHY' ? facts.since.get(check.uuid) : undefined
  const status = facts.saysStatus && check.status !== 'HEALTHY' ? statusWord(check.status) : ''
  const target = facts.showsTarget(check) ? clip(formatTarget(check), MAX_PART_LENGTH) : ''
  return [
    `${statusEmoji(check.status)} `,
    textElement(clip(checkName(check), MAX_PART_LENGTH), { bold: true }),
    target && ` · ${target}`,
    status && ` · ${status}`,
    down ? [status && down.at ? ' ' : ' · ', describeDown(down)] : '',
    facts.isMaintained?.(check) ? [' · ', textElement(IN_MAINTENANCE, { italic: true })] : '',
  ]
}
