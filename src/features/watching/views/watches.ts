import {
  card,
  clip,
  commandButton,
  commandMenu,
  date,
  type Line,
  lineElements,
  lines,
  lineText,
  MAX_CONTROLS,
  type Message,
} from '@signalman/slack'
import { explainChannelRefusal } from '../../../bot/posts/channel-refusals.ts'
import type { Obstacle } from '../../../bot/routes/command-context.ts'
import { describePage, fitPage, neighborPages, pageButtons } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import type { Unseen } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import type { ChannelAccess } from '../rules/channel-access.ts'
import { describeFilter, nameWatches } from '../rules/filter-fields.ts'
import { formatResponders } from '../rules/page-step.ts'
import type { Silence } from '../rules/silence.ts'
import type { Responder, Watch } from '../rules/watch.ts'
import { describeSettings } from '../rules/watch-fields.ts'
import { formatSilence, nameEnding } from './silences.ts'
import { channelLink, countWatches, describeUnseen, joinParts, listNames } from './words.ts'

/** The most lines of a page, and how long they and their menus can be together. The rest of a message has room beside them. */
const PAGE_SIZE = 40
const MAX_ROWS_LENGTH = 11_000
const MAX_NAME_IN_MENU = 45

export interface WatchListing {
  readonly watches: readonly Watch[]
  /** The UUIDs of single checks that the service doesn't have anymore. */
  readonly gone: ReadonlySet<string>
  /** Why Slack can't notify whom watches page, or their owners, by ID. */
  readonly stale: Readonly<Record<'responders' | 'owners', ReadonlyMap<string, string>>>
  readonly findChannel: (channelId: string) => ChannelAccess
  readonly silences: readonly Silence[]
  /** The watched environments whose checks can't be seen. */
  readonly unseen: readonly (Unseen & { readonly environment: Environment })[]
  readonly now: Date
}

/** A page of the watches and silences of a channel, or of all channels if `isWorkspaceWide`. */
export function watchesView(
  shown: WatchListing,
  {
    isWorkspaceWide,
    isInChannel,
    page: requestedPage = 1,
  }: {
    isWorkspaceWide: boolean
    /** False in a direct message, in which nothing is watched. */
    isInChannel: boolean
    page?: number | undefined
  },
): Message {
  const { watches, silences, now } = shown
  const rows = [
    ...watches.map((watch) => watchRow(shown, watch, isWorkspaceWide)),
    ...silences.map((silence) => {
      const { label, line } = nameEnding(silence, now)
      const { channelId } = silence
      const where = isWorkspaceWide && channelId !== undefined ? [' · ', channelLink(channelId)] : []
      return {
        line: [...lineElements(formatSilence(silence, now)), ...where],
        change: [],
        end: [{ label, value: line }],
      }
    }),
  ]
  const { items, page, pages } = fitPage(rows, requestedPage, {
    ...{ size: PAGE_SIZE, max: MAX_ROWS_LENGTH },
    length: ({ line, change, end }) =>
      lineText(line).length + [...change, ...end].reduce((sum, { label }) => sum + label.length, 0),
  })
  const command = `/hc watches${isWorkspaceWide ? ' --all' : ''}`
  const createMenu = (placeholder: string, action: 'change' | 'end') => {
    const choices = items.flatMap((row) => row[action])
    return choices.length > 0 ? [commandMenu(placeholder, choices, { inPlace: false })] : []
  }
  return card({
    headline: [
      formatHeadline(shown, isWorkspaceWide),
      pages > 1 ? ` · ${describePage(page, pages)}` : '',
    ].join(''),
    notes: listProblems(shown),
    body: items.map(({ line }) => lines(line)),
    controls: [
      ...(isWorkspaceWide ? [] : [commandButton('New watch', '/hc watch-edit')]),
      ...createMenu('Change…', 'change'),
      ...createMenu('End…', 'end'),
      ...(isWorkspaceWide ? [] : [commandButton('All channels', '/hc watches --all')]),
      ...(isWorkspaceWide && isInChannel ? [commandButton('This channel', '/hc watches')] : []),
      ...pageButtons(neighborPages({ page, pages }, (to) => `${command} --page ${to}`)),
    ],
    moreControls: [
      ...(isInChannel ? [commandButton('Plan maintenance', '/hc maintenance-edit')] : []),
      commandButton('History', '/hc history'),
    ],
  })
}

/** `2 watches in this channel · 1 mute · 2 maintenance windows`. */
function formatHeadline({ watches, silences }: WatchListing, isWorkspaceWide: boolean): string {
  const channels = new Set(watches.map(({ channelId }) => channelId)).size
  const where = isWorkspaceWide ? ` in ${pluralize(channels, 'channel')}` : ' in this channel'
  const nothing = isWorkspaceWide ? 'No channel watches anything' : 'Nothing is watched in this channel'
  const maintenance = silences.filter(({ isMaintenance }) => isMaintenance).length
  const mutes = silences.length - maintenance
  return [
    watches.length === 0 ? nothing : `${countWatches(watches.length)}${where}`,
    ...(mutes > 0 ? [pluralize(mutes, 'mute')] : []),
    ...(maintenance > 0 ? [pluralize(maintenance, 'maintenance window')] : []),
  ].join(' · ')
}

/** A name with its environment, which is visible even if the name is long. */
const nameInMenu = (name: string, environment: Environment): string =>
  `${clip(name, MAX_NAME_IN_MENU)}${environmentSuffix(environment)}`

function watchRow({ findChannel, gone, stale }: WatchListing, watch: Watch, isWorkspaceWide: boolean) {
  const { id, filter, environment, channelId, page = [], ownerId } = watch
  const lost = page
    .flatMap(({ responders }) => responders)
    .flatMap(({ id: one = '', name }) => {
      const reason = stale.responders.get(one)
      return reason === undefined ? [] : [`${name} ${reason}`]
    })
  const ownerLost = stale.owners.get(ownerId)
  const { paused } = findChannel(channelId)
  const missing = filter.include.flatMap(({ pattern, label }) =>
    gone.has(pattern) ? [label ?? pattern] : [],
  )
  const name = describeFilter(filter)
  const label = nameInMenu(name, environment)
  const watchArguments = `${quoted(id)} --env ${environment}`
  return {
    line: joinParts(
      `${paused ? '⏸️' : '👁️'} ${name}${environmentSuffix(environment)}`,
      ...(missing.length > 0 ? [` · not found anymore: ${listNames(missing)}`] : []),
      ...(isWorkspaceWide ? [' · ', channelLink(channelId)] : []),
      ...describeSettings(watch).map((setting) => ` · ${setting}`),
      ...(lost.length > 0 ? [` · ⚠️ ${[...new Set(lost)].join(', ')}`] : []),
      ...[' · set up by ', { type: 'user', user_id: ownerId } as const],
      ...(ownerLost === undefined ? [] : [`, who ${ownerLost} ⚠️`]),
      ...(paused ? [' · paused since ', date(paused.at), `: ${explainPause(paused.reason).problem}`] : []),
    ),
    change: [
      paused
        ? { label: `Resume ${label}`, value: `/hc watch-resume ${channelId}` }
        : { label: `Change ${label}`, value: `/hc watch-edit ${watchArguments}` },
    ],
    end: [{ label: `End the watch of ${label}`, value: `/hc unwatch --id ${watchArguments}` }],
  }
}

function listProblems({ unseen, watches, findChannel }: WatchListing): Line[] {
  const paused = watches.filter(({ channelId }) => findChannel(channelId).paused).length
  return [
    ...unseen.map((one) => describeUnseen(one, environmentSuffix(one.environment))),
    ...(paused > 0 ? [`⏸️ ${countWatches(paused)} paused, so nothing is posted there.`] : []),
  ]
}

export const explainPause = (reason: Obstacle) =>
  reason === 'shared-outside' ? SHARED_OUTSIDE : explainChannelRefusal(reason, 'the channel')

const SHARED_OUTSIDE = {
  problem: 'the channel is now shared with another organization, and everyone in it would see what is down',
  fix: 'An admin can press Resume if that’s fine, or end the watch.',
}

/** The direct message to the owner of paused watches. `watches`: how many of this owner are paused. */
export function pausedView({
  channelId,
  reason,
  watches,
  pages,
}: {
  channelId: string
  reason: Obstacle
  watches: number
  pages: boolean
}): Message {
  const { problem, fix } = explainPause(reason)
  const count = watches === 1 ? 'Your watch' : `${formatCount(watches)} watches of yours`
  return card({
    headline: [
      `${count} in `,
      channelLink(channelId),
      ` ${watches === 1 ? 'is' : 'are'} paused: ${problem}. ${fix}`,
    ],
    notes: [
      reason === 'shared-outside'
        ? 'Nothing is posted there, and nobody is paged, until an admin agrees. Then Signalman posts what was missed.'
        : `Nothing is posted there until that is fixed. Signalman tries again every hour, and then posts what was missed.${pages ? ' Until then, you get the pages of the watches.' : ''}`,
    ],
    controls: [
      commandButton('Resume', `/hc watch-resume ${channelId}`),
      commandButton('Watches', '/hc watches --all'),
      commandButton('What is down', '/hc down'),
    ],
  })
}

/** The direct message to the owner of watches that page somebody whom Slack can't notify in their channel. */
export const staleView = (watches: readonly Watch[], responders: readonly Responder[]): Message =>
  card({
    headline: [
      `Slack can’t notify ${formatResponders(responders)} in `,
      ...watches.slice(0, 1).flatMap(({ channelId }) => channelLink(channelId)),
      `, and your watch of ${nameWatches(watches)} pages them. If nobody else is paged, you get the pages.`,
    ],
    controls: watches
      .slice(0, MAX_CONTROLS)
      .map(({ id, filter, environment }) =>
        commandButton(
          watches.length === 1 ? 'Change' : `Change ${nameInMenu(describeFilter(filter), environment)}`,
          `/hc watch-edit ${quoted(id)} --env ${environment}`,
        ),
      ),
  })
