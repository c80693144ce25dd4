import {
  actions,
  type Choice,
  card,
  clip,
  commandButton,
  commandMenu,
  context,
  date,
  type Line,
  lines,
  lineText,
  type Message,
  mrkdwn,
  section,
} from '@signalman/slack'
import type { KnownBlock, RichTextElement } from '@slack/types'
import { describePage, neighborPages, pageButtons, slicePage } from '../../../bot/views/list-page.ts'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import { mayAffectWatch } from '../rules/affected-watches.ts'
import { describeFilter } from '../rules/filter-fields.ts'
import type { Silence } from '../rules/silence.ts'
import type { PauseReason, Watch } from '../rules/watch.ts'
import { describeSettings } from '../rules/watch-fields.ts'
import type { WatchListing } from '../rules/watch-listing.ts'
import {
  formatSilence,
  formatSilenceBelow,
  maintenanceBlock,
  nameInMenu,
  silenceChoices,
} from './silences.ts'
import {
  type CurrentChannels,
  channelLinkParts,
  countWatches,
  describeEnd,
  describeSubject,
  joinParts,
} from './words.ts'

/** A line of the list of watches, with its entries in the Change and End menus. Lines of one group are below each other. */
interface Row {
  line: Line
  group: string
  change?: readonly Choice[]
  end?: readonly Choice[]
}

/** Lines per page. */
const PAGE_SIZE = 40

/** A page of the watches, and silences of a channel, or of all channels if `isWorkspaceWide`. */
export function watchesView(
  shown: WatchListing,
  {
    isWorkspaceWide,
    here,
    page: requestedPage = 1,
  }: { isWorkspaceWide: boolean; here: CurrentChannels; page?: number | undefined },
): Message {
  const all: readonly Row[] = [
    ...listWatchRows(shown, isWorkspaceWide, here),
  ]
  const { items: rows, page, pages } = slicePage(all, requestedPage, PAGE_SIZE)
  const command = `/hc watches${isWorkspaceWide ? ' --all' : ''}`
  return card({
    headline: [
      ...formatHeadline(shown, isWorkspaceWide),
      ...(pages > 1 ? [` · ${describePage(page, pages)}`] : []),
    ],
    notes: listProblems(shown),
    body: [...Map.groupBy(rows, ({ group }) => group).values()].map((group) =>
      lines(...group.map(({ line }) => line)),
    ),
    controls: [
      ...(isWorkspaceWide ? [] : [commandButton('New watch', '/hc watch-edit')]),
      ...createMenu('Change…', rows, 'change'),
      ...createMenu('End…', rows, 'end'),
      ...pageButtons(neighborPages({ page, pages }, (to) => `${command} --page ${to}`)),
    ],
    moreControls: [
      isWorkspaceWide
        ? commandButton('This channel', '/hc watches')
        : commandButton('All channels', '/hc watches --all'),
      commandButton('History', '/hc history'),
    ],
  })
}

/** `2 watches in this channel · 1 mute`. */
function formatHeadline({ watches, silences }: WatchListing, isWorkspaceWide: boolean): readonly string[] {
  const channels = new Set(watches.map(({ channelId }) => channelId)).size
  const mutes = silences.filter(({ kind }) => kind === 'mute')
  const where = isWorkspaceWide ? ` in ${pluralize(channels, 'channel')}` : ' in this channel'
  const nothing = isWorkspaceWide ? 'No channel watches anything' : 'Nothing is watched in this channel'
  return [
    watches.length === 0 ? nothing : `${countWatches(watches.length)}${where}`,
    mutes.length > 0 && ` · ${pluralize(mutes.length, 'mute')}`,
    silences.length > mutes.length && ` · ${pluralize(silences.length - mutes.length, 'maintenance window')}`,
  ].filter((part) => part !== false)
}

const createMenu = (placeholder: string, rows: readonly Row[], action: 'change' | 'end') => {
  const choices = rows.flatMap((row) => row[action] ?? [])
  return choices.length > 0 ? [commandMenu(placeholder, choices, { inPlace: false })] : []
}

/** The channel, in the list of all channels. */
const channelPart = (
  { channelId }: Pick<Watch, 'channelId'>,
  isWorkspaceWide: boolean,
): readonly (string | RichTextElement)[] =>
  isWorkspaceWide
    ? [' · ', ...channelLinkParts(channelId)]
    : []

/** The watches, each with the silences that cover it below. Silences that cover none of them come last. */
function listWatchRows(shown: WatchListing, isWorkspaceWide: boolean, here: CurrentChannels): Row[] {
  const { watches, silences, mayEnd } = shown
  const choices = silenceChoices(silences, mayEnd)
  const choicesOf = (silence: Silence) => {
    const { change, end } = choices[silences.indexOf(silence)] ?? {}
    return { change: change ? [change] : [], end: end ? [end] : [] }
  }
  const byWatch = Map.groupBy(silences, (silence) => {
    const covered = watches.filter((watch) => coversWatch(silence, watch))
    return covered.find((watch) => isWholeMute(silence, watch)) ?? covered[0]
  })
  const rows = watches.flatMap((watch): Row[] => {
    const own = byWatch.get(watch) ?? []
    const mute = own.find((silence) => isWholeMute(silence, watch))
    const row = watchRow(watch, shown, isWorkspaceWide, mute)
    return [
      { ...row, end: [...(row.end ?? []), ...(mute ? choicesOf(mute).end : [])] },
      ...own
        .filter((silence) => silence !== mute)
        .map((silence) => ({ group: row.group, line: formatSilenceBelow(silence), ...choicesOf(silence) })),
    ]
  })
  return [
    ...rows,
    ...(byWatch.get(undefined) ?? []).map((silence) => ({
      group: `silence ${silence.id}`,
      line: formatSilence(silence, here),
      ...choicesOf(silence),
    })),
  ]
}

const coversWatch = ({ subject, environment, channelId }: Silence, watch: Watch): boolean =>
  environment === watch.environment && channelId === watch.channelId && mayAffectWatch(watch.filter, subject)

/** Whether a mute covers exactly what a watch is about, and says nothing more than when it ends. */
function isWholeMute({ kind, subject, reason }: Silence, { filter: { include, exclude } }: Watch): boolean {
  const [rule, ...others] = include
  if (kind !== 'mute' || reason || exclude.length > 0 || others.length > 0) return false
  if (subject.kind === 'all') return rule === undefined
  return rule?.pattern === (subject.kind === 'check' ? subject.uuid : subject.pattern)
}

function watchRow(watch: Watch, shown: WatchListing, isWorkspaceWide: boolean, mute?: Silence): Row {
  const { id, filter, environment, paused } = watch
  const name = describeFilter(filter)
  const label = nameInMenu(name, environment)
  const watchArguments = `${quoted(id)} --env ${environment}`
  return {
    group: id,
    line: joinParts(
      `${paused ? '⏸️' : '👁️'} ${name}${environmentSuffix(environment)}`,
      ...channelPart(watch, isWorkspaceWide),
      ...describeSettings(watch).map((setting) => ` · ${setting}`),
      ...(mute ? [' · muted ', ...describeEnd(mute.to)] : []),
      ...matchedNote(watch, shown),
      ...(paused ? [' · paused since ', date(paused.at), `: ${PAUSE_TEXTS[paused.reason].explanation}`] : []),
    ),
    change: [
      paused
        ? { label: `Resume ${label}`, value: `/hc watch-resume ${watch.channelId}` }
        : { label: `Change ${label}`, value: `/hc watch-edit ${watchArguments}` },
    ],
    end: [{ label: `End the watch of ${label}`, value: `/hc unwatch --id ${watchArguments}` }],
  }
}

/** How many checks matched at the last full listing, up to an hour ago. */
function matchedNote(
  { environment, paused, matchedCount }: Watch,
  { polling }: WatchListing,
): (string | RichTextElement)[] {
  const fullAt = polling.find((poll) => poll.environment === environment)?.status.fullAt
  return matchedCount === undefined || paused || !fullAt
    ? []
    : [` · ${pluralize(matchedCount, 'health check')} as of `, date(fullAt)]
}

/** Problems that keep watches from posting. */
function listProblems({ polling, watches }: Pick<WatchListing, 'polling' | 'watches'>): Line[] {
  const paused = watches.filter((watch) => watch.paused).length
  return [
    ...polling.flatMap(({ environment, status: { unseen } }) =>
      unseen
        ? [
            [
              `⚫ Signalman hasn’t seen the health checks${environmentSuffix(environment)} since `,
              unseen.since,
              '. No outage is posted until it can.',
            ],
          ]
        : [],
    ),
    ...(paused > 0
      ? [`⏸️ ${countWatches(paused)} paused, so nothing is posted for ${paused === 1 ? 'it' : 'them'}.`]
      : []),
  ]
}

const MAX_CHANNELS = 8
const MAX_WINDOWS = 6

/** The App Home section: problems, maintenance windows, and the channels with watches. */
export function watchHomeBlocks(shown: WatchListing): KnownBlock[] {
  const { watches, silences } = shown
  const maintenance = silences.filter(({ kind }) => kind === 'maintenance')
  if (watches.length === 0)
    return [
      section(
        `No channel watches health checks. Operators can start with ${cmd('/hc watch')} in any channel.`,
      ),
    ]
  const byChannel = [...Map.groupBy(watches, ({ channelId }) => channelId)]
  const remaining = byChannel.length - MAX_CHANNELS
  return [
    ...listProblems(shown).map((note) => lines(note)),
    ...maintenance.slice(0, MAX_WINDOWS).map(maintenanceBlock),
    ...(maintenance.length > MAX_WINDOWS
      ? [
          context(
            `${pluralize(maintenance.length - MAX_WINDOWS, 'more maintenance window')}: ${cmd('/hc maintenance')} lists them.`,
          ),
        ]
      : []),
    ...byChannel
      .slice(0, MAX_CHANNELS)
      .flatMap(([channelId, channelWatches]) => channelBlocks(channelId, channelWatches, silences)),
    ...(remaining > 0 ? [context(`${pluralize(remaining, 'more channel')}: see all watches.`)] : []),
    ...actions(commandButton('All watches', '/hc watches --all'), commandButton('History', '/hc history')),
  ]
}

function channelBlocks(
  channelId: string,
  channelWatches: WatchListing['watches'],
  silences: WatchListing['silences'],
): KnownBlock[] {
  const paused = channelWatches.find((watch) => watch.paused)?.paused
  const muted = silences
    .filter((silence) => silence.kind === 'mute' && silence.channelId === channelId)
    .map(({ subject, environment }) => `${describeSubject(subject)}${environmentSuffix(environment)}`)
  const names = channelWatches.map(
    ({ filter, environment }) => `${describeFilter(filter)}${environmentSuffix(environment)}`,
  )
  const text = [
    `${countWatches(channelWatches.length)}: ${clip(names.join(' / '), 500)}`,
    ...(muted.length > 0 ? [`🔕 muted: ${clip(muted.join(', '), 300)}`] : []),
    ...(paused ? [`⏸️ paused: ${PAUSE_TEXTS[paused.reason].explanation}`] : []),
  ].join(' · ')
  const resume = paused ? commandButton('Resume', `/hc watch-resume ${channelId}`) : undefined
  const channelText = lineText(channelLinkParts(channelId))
  return [context(mrkdwn(channelText, 100)), section(text, resume)]
}

/** Why nothing can be posted in a channel, and how to fix it. */
export const PAUSE_TEXTS: Readonly<Record<PauseReason, { explanation: string; fix: string }>> = {
  archived: {
    explanation: 'the channel is archived',
    fix: 'Unarchive the channel, or watch in another one.',
  },
  'not-in-channel': {
    explanation: 'Signalman isn’t in the channel anymore',
    fix: 'Invite it again with /invite.',
  },
  'shared-outside': {
    explanation:
      'the channel is now shared with another organization, and everyone in it would see what is down',
    fix: 'Press Resume if that’s fine, or end the watch.',
  },
  refused: {
    explanation: 'Slack refuses Signalman’s messages there',
    fix: 'Check who may post in the channel, then press Resume.',
  },
}

/** The direct message to the owner of paused watches. */
export function pausedView({
  channelId,
  reason,
  watches,
  pendingCards,
}: {
  channelId: string
  reason: PauseReason
  /** How many watches of this owner are paused, and how many cards couldn't be updated. */
  watches: number
  pendingCards: number
}): Message {
  const { explanation, fix } = PAUSE_TEXTS[reason]
  const count = watches === 1 ? 'Your watch' : `${formatCount(watches)} watches of yours`
  return card({
    headline: [
      `${count} in `,
      ...channelLinkParts(channelId),
      ` ${watches === 1 ? 'is' : 'are'} paused: ${explanation}. ${fix}`,
    ],
    notes: [
      reason === 'shared-outside'
        ? 'Nothing is posted there until someone confirms it. Then Signalman posts what was missed.'
        : 'Nothing is posted there until that is fixed. Signalman tries again every hour, and then posts what was missed.',
      ...(pendingCards > 0
        ? [`The latest update of ${pluralize(pendingCards, 'card')} couldn’t be posted there.`]
        : []),
    ],
    controls: [
      commandButton('Resume', `/hc watch-resume ${channelId}`),
      commandButton('Watches', '/hc watches --all'),
    ],
  })
}
