import { formatDuration, formatElapsed } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  type Fact,
  joinLines,
  type Line,
  lineElements,
  lines,
  type Message,
  oneLine,
} from '@signalman/slack'
import { checkAddress, checkName, statusEmoji } from '../../../bot/views/check-facts.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import type { PollFailure } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { takedownQuestion } from '../../../domain/takedown-checks.ts'
import { pluralize } from '../../../domain/wording.ts'
import type {
  CardModel,
  DetailsModel,
  OutageEvent,
  OutageModel,
  OutageState,
  UnreachableModel,
} from '../rules/describe-card.ts'
import {
  cardControls,
  getPersonName,
  handOverButtons,
  multiCheckView,
  onItFacts,
  runbookLines,
  timelineButton,
} from './multi-check-cards.ts'
import { UNWATCHED } from './words.ts'

/** Renders a card. */
export function cardView(model: CardModel): Message {
  switch (model.kind) {
    case 'outage':
      return outageView(model)
    case 'blind':
      return serviceUnreachableView(model)
    default:
      return multiCheckView(model)
  }
}

const TITLES: Readonly<Record<OutageState, (check: string) => string>> = {
  down: (check) => `${statusEmoji('UNHEALTHY')} ${check} is down`,
  recovered: (check) => `🟢 ${check} is up again`,
  installing: (check) => `🟡 ${check} is being installed again`,
  deleted: (check) => `⚪ ${check} was deleted while it was down`,
  unseen: (check) => `⚪ ${check} was down when watching ended`,
  unwatched: (check) => `⚪ ${check} was down ${UNWATCHED}`,
  moved: (check) => `⚪ ${check}: see the newer message below`,
}

/** A card about one check. While the check is down, it shows what people need to act; afterwards, a single line. */
function outageView(model: OutageModel): Message {
  const { since, endedAt, earlierCount, state, lastOnIt, flappingCount } = model
  const title = formatTitle(model)
  const entries: Fact[] = [
    ['Before that', earlierCount > 0 ? `${pluralize(earlierCount, 'outage')} on this card` : undefined],
    ['Flapping', flappingCount && `${pluralize(flappingCount, 'change')} in the last hour`],
  ]
  if (state === 'down')
    return singleCheckCard(
      model,
      [title, ...(flappingCount ? [' · flapping'] : []), ' · since ', since],
      false,
      entries,
    )
  const duration = endedAt ? ` · was down ${formatElapsed(since, endedAt)}` : ''
  const person = lastOnIt ? ` · ${getPersonName(lastOnIt)} was on it` : ''
  return singleCheckCard(model, [title, duration, person], true, [
    ['From', endedAt && [since, ' to ', endedAt]],
    ...entries,
  ])
}

function formatTitle({ check, state, environment }: OutageModel): string {
  const badge = environmentSuffix(environment)
  const question = takedownQuestion(check)
  if (question && state === 'down') return `⚪ ${question.site}${badge} can’t be reached. Is it down?`
  if (question && state === 'recovered') return `🔴 ${question.site}${badge} is up again`
  return TITLES[state](`${checkName(check)}${badge}`)
}

function singleCheckCard(
  model: OutageModel,
  headline: Line,
  isOver: boolean,
  entries: readonly Fact[],
): Message {
  const { check, environment } = model
  const id = quoted(check.uuid)
  const [address, customer] = [checkAddress(check), check.customerId]
  const allFacts: Fact[] = [['Customer', customer], ...entries, ...onItFacts(model)]
  const { firstProbe } = model
  const question = isOver ? undefined : takedownQuestion(check)
  const notes: Line[] = [
    ...(question
      ? ['The page may be hidden from Signalman. Check from another network before you answer.']
      : []),
    ...(address ? [address] : []),
    ...(firstProbe ? [`Seen from here: ${firstProbe.phrase}`] : []),
    ...runbookLines(model),
  ]
  const factLine = isOver ? joinFacts([['', address || undefined], ...allFacts]) : undefined
  return card({
    headline,
    ...(factLine === undefined && { notes, facts: allFacts }),
    smallPrint: [...(factLine ? [factLine] : []), ...testNote(environment)],
    controls: [
      ...(question?.answers ?? []).map(({ label, line }) => commandButton(label, line)),
      ...cardControls(
        model,
        isOver,
        { kind: 'check', uuid: check.uuid, name: check.name },
        question ? [] : [commandButton('Diagnose', `/hc diagnose ${id}`)],
      ),
    ],
    moreControls: [
      commandButton('History', `/hc history ${id}`),
      commandButton('Show', `/hc show ${id}`),
      timelineButton(model),
      ...handOverButtons(model),
    ],
  })
}

/** `HTTPS shop.example.com · customer 1100` */
const joinFacts = (entries: readonly Fact[]): Line =>
  joinLines(
    entries.flatMap(([label, value]): Line[] =>
      value === undefined ? [] : [[label === '' ? '' : `${label.toLowerCase()} `, ...lineElements(value)]],
    ),
    ' · ',
  )

const testNote = (environment: CardModel['environment']): Line[] =>
  environment === 'ote' ? ['OTE test environment'] : []

const UNREACHABLE_REASONS: Readonly<Record<PollFailure, string>> = {
  unreachable: 'The service doesn’t answer.',
  failing: 'The service answers with an error (HTTP 5xx).',
  refused: 'The service refuses the request (HTTP 4xx). The stored token may lack a permission.',
  'rate-limited': 'The service is limiting requests (HTTP 429).',
  unreadable: 'The service’s answer can’t be read.',
  unauthorized: 'The service rejects the stored token. An admin can replace it.',
  'not-connected': 'No token is stored. An admin can add one.',
  late: 'Signalman didn’t check the service in time. Its log says why.',
}

const FIXED_BY_TOKEN: ReadonlySet<PollFailure> = new Set(['unauthorized', 'not-connected', 'refused'])

function serviceUnreachableView(model: UnreachableModel): Message {
  const { environment, reason, since, endedAt, missedChanges, unwatchedAt } = model
  const where = `the health checks${environmentSuffix(environment)}`
  const isOver = endedAt !== undefined || unwatchedAt !== undefined
  const blindTitle = unwatchedAt ? `⚪ I couldn’t see ${where} ${UNWATCHED}` : `⚫ I can’t see ${where}`
  return card({
    headline: endedAt
      ? [`🟢 I can see ${where} again`, ` · after ${formatElapsed(since, endedAt)}`]
      : [blindTitle, ' · since ', since],
    notes: [isOver ? `The reason was: ${UNREACHABLE_REASONS[reason]}` : UNREACHABLE_REASONS[reason]],
    facts: [
      ['From', endedAt && [since, ' to ', endedAt]],
      ['Meanwhile', endedAt && describeMissedChanges(missedChanges)],
    ],
    smallPrint: [
      ...(endedAt ? ['Outages that began and ended during this time weren’t detected.'] : []),
      ...(isOver
        ? []
        : ['Until I can, no outages are posted here, so no news doesn’t mean that everything is up.']),
      ...testNote(environment),
    ],
    controls:
      isOver || !FIXED_BY_TOKEN.has(reason)
        ? []
        : [commandButton('Store a token', `/hc connect --env ${environment}`)],
    moreControls: [commandButton('Summary', '/hc')],
  })
}

function describeMissedChanges(missedChanges: UnreachableModel['missedChanges']): string {
  if (!missedChanges || missedChanges.down + missedChanges.up === 0) return 'nothing changed'
  const { down, up } = missedChanges
  const parts = [
    ...(down > 0 ? [`${pluralize(down, 'health check')} went down`] : []),
    ...(up > 0 ? [`${pluralize(up, 'health check')} recovered`] : []),
  ]
  return parts.join(', ')
}

const MAX_TITLE = 200
const MAX_NAME = 80

/** The reply in a card's thread: its events, oldest first. */
export function detailsView({ title, events, omittedCount, environment }: DetailsModel): Message {
  return card({
    headline: `${clip(oneLine(title), MAX_TITLE)}${environmentSuffix(environment)}`,
    notes:
      omittedCount > 0
        ? [`${pluralize(omittedCount, 'earlier change')} not shown. Timeline on the card has all of them.`]
        : [],
    body: events.length > 0 ? [lines(...events.map((event) => [event.at, `  ${describeEvent(event)}`]))] : [],
  })
}

export function describeEvent(event: OutageEvent): string {
  const { kind, check, downMs, byName, from, name: before, probe } = event
  const name = check ? clip(checkName(check), MAX_NAME) : ''
  const after = downMs === undefined ? '' : ` after ${formatDuration(downMs)}`
  const text = {
    down: `🔴 ${name} went down`,
    already: `🔴 ${name} was already down when watching began`,
    up: `🟢 ${name} recovered${after}`,
    installing: `${statusEmoji('INSTALLING')} ${name} is being installed again${after}`,
    deleted: `⚪ ${name} was deleted${after}`,
    unseen: `⚪ ${name} isn’t watched anymore${after}`,
    took: `👤 ${byName || 'Someone'} ${from ? `took it over from ${from}` : 'is on it'}`,
    'stepped-down': `👤 ${byName || 'Someone'} stepped down`,
    left: `👤 ${byName || 'Someone'} is no longer here, so nobody is on it`,
    renamed: `✏️ ${before ? clip(oneLine(before), MAX_NAME) : 'It'} was renamed to ${name}`,
    probed: `🔎 ${name} seen from here: ${probe?.phrase ?? ''}${probe?.detail ? ` (${probe.detail})` : ''}`,
  }[kind]
  return text.trim()
}
