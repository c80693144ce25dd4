import {
  actions,
  card,
  clip,
  commandButton,
  context,
  type Line,
  lines,
  type Message,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { LookedUp } from '../../../bot/access/reachable.ts'
import { checkName, statusEmoji } from '../../../bot/views/check-facts.ts'
import { describeDown, describeOnIt } from '../../../bot/views/down.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import type { Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts, OnIt, Unseen } from '../../../domain/outages/outage.ts'
import { getFall } from '../../../domain/outages/spell.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, joinNames, pluralize } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { formatResponders } from '../rules/page-step.ts'
import type { Said } from '../rules/said.ts'
import type { Responder, Watch } from '../rules/watch.ts'
import { messageLink, type OpenCard, personButtons, stepDownLine } from './on-it-buttons.ts'
import { describeUnseen, incidentName, listChannels, listNames } from './words.ts'

/** An outage, and a card that lists it. What isn't this channel's can't be acted on from here. */
export interface ShownOutage {
  readonly incident: Incident
  readonly card: OpenCard | undefined
  readonly isHere: boolean
}

interface WhoIsOnIt {
  readonly down: readonly Incident[]
  readonly shown: readonly ShownOutage[]
  readonly userId: string
  readonly environment: Environment
  /** The health check that was asked about, if no outage of it is known here. */
  readonly notDown?: Pick<HealthCheck, 'uuid' | 'name' | 'status'> | undefined
  /** Whether a channel watches it or, if none was asked about, anything. */
  readonly isWatching: boolean
  readonly unseen: Unseen | undefined
  readonly now: Date
}

/** Who is on what is down, with what the person can do about it below each card of this channel. */
export function whoView(who: WhoIsOnIt): Message {
  const { down, shown, userId, environment, notDown, isWatching, unseen, now } = who
  const cards = [...Map.groupBy(shown, ({ card, isHere }) => (isHere && card?.id) || '')].toSorted(([id]) =>
    id === '' ? 1 : -1,
  )
  const rest = down.length - shown.length
  return card({
    headline: `${nameWho(who)}${environmentSuffix(environment)}.`,
    controls:
      isWatching || down.length > 0
        ? []
        : [
            commandButton('What is down', '/hc'),
            commandButton('Watch here', `/hc watch${notDown ? ` ${quoted(notDown.uuid)}` : ''}`),
          ],
    notes: unseen ? [describeUnseen(unseen)] : [],
    body: cards.map(([, [first, ...others]]) => [
      lines(...[first, ...others].flatMap((one) => (one ? [formatOnIt(one)] : []))),
      ...actions(...(first?.isHere ? personButtons(first.card, userId) : [])),
    ]),
    smallPrint: [
      ...(rest > 0 ? [describeRest(rest)] : []),
      ...(shown.some(({ isHere }) => !isHere)
        ? ['To take what has no button here, press “I’m on it” or “Take over” on its message.']
        : []),
      ['As of ', now],
    ],
  })
}

/** `Nobody is on 2 of 3 health checks that are down` */
function nameWho({ down, notDown, isWatching }: WhoIsOnIt): string {
  if (notDown?.status === 'UNHEALTHY')
    return `${checkName(notDown)} is down, but ${isWatching ? 'Signalman hasn’t reported it yet' : 'no channel watches it'}`
  if (notDown) return `Signalman sees no outage of ${listNames([incidentName(notDown)])}`
  if (down.length === 0)
    return isWatching
      ? 'Nothing that Signalman watches is down'
      : 'No channel watches anything, so Signalman doesn’t see what is down'
  const free = down.filter(({ onIt }) => !onIt).length
  if (free === 0) return 'Everything that is down has somebody on it'
  const count = free < down.length ? `${formatCount(free)} of ${formatCount(down.length)}` : 'the'
  return down.length === 1 ? 'Nobody is on it' : `Nobody is on ${count} health checks that are down`
}

/** `🔴 web-1 · since 9:00 · Ann has been on it since 9:05` */
const formatOnIt = ({ incident, card }: Pick<ShownOutage, 'incident' | 'card'>): Line => [
  `${statusEmoji('UNHEALTHY')} `,
  textElement(clip(checkName(incident.check), MAX_NAME), { bold: true }),
  ' · ',
  describeDown({ ...getFall(incident), onIt: incident.onIt }),
  messageLink(card),
]

const MAX_NAME = 80

const describeRest = (count: number): string => `And ${pluralize(count, 'more health check')}.`

/** The outages in App Home that the person is on, of so many, and how to step down. Empty if there are none. */
export const homeTakenBlocks = (
  taken: readonly (Omit<ShownOutage, 'isHere'> & { readonly environment: Environment })[],
  count: number,
  userId: string,
): KnownBlock[] =>
  taken.length === 0
    ? []
    : [
        context('Outages that you’re on'),
        ...[...Map.groupBy(taken, ({ card }) => card?.id).values()].flatMap((onCard) => [
          lines(...onCard.map((one): Line => [formatOnIt(one), environmentSuffix(one.environment)])),
          ...actions(...personButtons(onCard[0]?.card, userId)),
        ]),
        ...(count > taken.length ? [context(describeRest(count - taken.length))] : []),
      ]

/** `taken`: the checks that are down and that the person just took; empty if they were on them already. */
export const takenView = (cardId: string, taken: readonly Pick<CheckFacts, 'uuid' | 'name'>[]): Message =>
  card({
    headline: `You’re ${taken.length > 0 ? '' : 'already '}on it. Nobody is paged while you are.`,
    notes: taken.length > 0 ? [`Yours now: ${listNames(taken.map(incidentName))}.`] : [],
    controls: [commandButton('Step down', stepDownLine(cardId))],
  })

export const saidTakenOver = (
  name: string,
  from: string,
  taken: readonly Pick<CheckFacts, 'uuid' | 'name'>[],
): Said => ({
  line: [
    textElement(name, { bold: true }),
    textElement(' took over from '),
    { type: 'user', user_id: from },
    textElement(taken.length > 0 ? `: ${listNames(taken.map(incidentName))}.` : '.'),
  ],
})

/**
 * Who gets the pages that somebody asked for. `owners` get those that nobody in the channel would hear of. `asked`: the line that sends
 * them, and the one that pages somebody else.
 */
export function pagedView(
  pages: readonly (LookedUp<Responder> & { readonly owners: LookedUp<{ readonly id: string }> })[],
  asked?: { readonly line: string; readonly someoneElse: string },
): Message {
  const lines = pages.flatMap(({ reachable, not, unknown, owners }): Line[] => {
    const told = [...reachable, ...unknown.map(({ one }) => one)]
    const why = not.map(({ one, reason }) => `${one.name} ${reason}`).join(', ')
    const isDirect = told.length === 0
    return [
      ...(isDirect ? [[`Nobody in the channel can be paged: ${why}. `, ...nameOwners(owners)]] : []),
      ...(isDirect
        ? []
        : [
            asked
              ? `Page ${formatResponders(told)} now?`
              : `Paging ${formatResponders(told)} now, in the channel.`,
          ]),
      ...(!isDirect && not.length > 0 ? [`Not paged: ${why}.`] : []),
      ...(unknown.length > 0
        ? [`Slack didn’t say whether it can notify ${joinNames(unknown.map(({ one }) => one.name))} there.`]
        : []),
    ]
  })
  const [headline = '', ...notes] = lines
  if (!asked) return card({ headline, notes })
  return card({
    headline,
    notes: [...notes, ['To page someone else, type ', textElement(asked.someoneElse, { code: true })]],
    controls: [commandButton('Page now', asked.line, { inPlace: true })],
  })
}

/** Nobody was paged, because pages are posted in channels that watch the check. `channelId`: where it was asked, if that is a channel. */
export function notPagedView(
  { uuid }: Pick<CheckFacts, 'uuid'>,
  { channelId, watching }: { channelId: string | undefined; watching: readonly Pick<Watch, 'channelId'>[] },
): Message {
  const why = channelId === undefined ? 'Pages are posted only in channels' : 'This channel doesn’t watch it'
  const channels = listChannels([...new Set(watching.map((watch) => watch.channelId))])
  return card({
    headline: `${why}, so nobody was paged.`,
    notes: [
      watching.length > 0 ? ['Page in a channel that watches it: ', channels, '.'] : 'No channel watches it.',
    ],
    controls: channelId === undefined ? [] : [commandButton('Watch it here', `/hc watch ${quoted(uuid)}`)],
  })
}

/** `@Ann, who owns the watch, gets the page in a DM.` In place of whoever can't get one, an admin does. */
function nameOwners({ reachable, not, unknown }: LookedUp<{ readonly id: string }>) {
  const owners = [...reachable, ...unknown.map(({ one }) => one)]
  if (owners.length === 0) return ['An admin gets the page in a DM.']
  const links = owners.flatMap(({ id: user_id }, index) => [
    ...(index > 0 ? [', '] : []),
    { type: 'user', user_id } as const,
  ])
  const get =
    owners.length === 1
      ? ', who owns the watch, gets the page in a DM.'
      : ', who own the watches, get the page in a DM.'
  return [...links, get, ...(not.length > 0 ? [' So does an admin.'] : [])]
}

export const steppedDownView = (count: number): Message =>
  card({
    headline:
      count > 0
        ? `You stepped down from ${pluralize(count, 'outage')}. Nobody is on ${count === 1 ? 'it' : 'them'} now.`
        : 'You aren’t on anything that this message lists.',
  })

export const alreadyTakenView = (onIt: OnIt, line: string): Message =>
  card({
    headline: [...describeOnIt(onIt), '. Nothing was changed.'],
    controls: [commandButton('Take over', line, { inPlace: true })],
  })
