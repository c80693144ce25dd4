import {
  actions,
  clip,
  commandButton,
  commandMenu,
  context,
  header,
  isDirect,
  literal,
  type Message,
  message,
  mrkdwn,
  say,
  section,
  utc,
  when,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { checkName } from '../../../bot/replies/check-facts.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { filterWords } from '../filter-fields.ts'
import { maintenanceBlock, maintenanceWords } from '../maintenance/views.ts'
import type { WatchesShown } from '../read-watches.ts'
import type { PausedModel } from '../rules/card-model.ts'
import {
  type AskedInChannel,
  type Digest,
  type Mute,
  type PauseReason,
  type Watch,
  whose,
} from '../rules/watch.ts'
import { termWords } from '../watch-fields.ts'
import { placeLink, subjectName, watchCount } from './words.ts'

/** How many of each kind are shown, one block each, so that all of them and the buttons fit into one message. */
const WATCHES = 22
const MUTES = 12
const DIGESTS = 6
const MAINTENANCE = 6

/** What a channel watches and mutes, or, with `isWhole`, what all channels do. */
export function watchesView(shown: WatchesShown, isWhole: boolean): Message {
  const watches = shown.watches.slice(0, WATCHES)
  const mutes = shown.mutes.slice(0, MUTES)
  const digests = shown.digests.slice(0, DIGESTS)
  const planned = shown.maintenance.slice(0, MAINTENANCE)
  const title = isWhole ? 'Watches of all channels' : 'Watches of this channel'
  const notes = [
    ...seeingNotes(shown),
    ...leftOut('watches', shown.watches.length - watches.length),
    ...leftOut('mutes', shown.mutes.length - mutes.length),
    ...leftOut('daily summaries', shown.digests.length - digests.length),
    ...leftOut('times of maintenance', shown.maintenance.length - planned.length),
  ]
  const nothing = isWhole ? 'No channel watches anything yet.' : 'Nothing is watched in this channel yet.'
  const lines = [
    ...(watches.length === 0
      ? [nothing]
      : watches.map((watch) => placed(watch, isWhole, watchWords(watch, shown)))),
    ...mutes.map((mute) => placed(mute, isWhole, muteWords(mute))),
    ...digests.map((digest) => placed(digest, isWhole, digestWords(digest))),
    ...planned.map((window) => maintenanceWords(window, utc)),
  ]
  return message(
    [title, ...lines.map(literal), ...notes.map(literal)].join('\n'),
    header(title),
    notes.length > 0 ? context(...notes) : [],
    watches.length === 0 ? section(nothing) : watches.map((watch) => watchBlock(watch, shown, isWhole)),
    mutes.map((mute) => muteBlock(mute, isWhole)),
    digests.map((digest) => say(`${linked(digest, isWhole)}${literal(digestWords(digest))}`)),
    planned.map((window) =>
      maintenanceBlock(window, window.channelId && isWhole ? `<#${window.channelId}> ` : ''),
    ),
    controls(shown, isWhole),
  )
}

function controls({ watches }: WatchesShown, isWhole: boolean) {
  const ends = watches.map(({ id, filter, channelId, environment }) => ({
    label: placed({ channelId }, isWhole, filterWords(filter)),
    value: `/hc unwatch ${quoted(id)} --env ${environment}`,
  }))
  return actions(
    ...(isWhole ? [] : [commandButton('New watch', '/hc watch-edit', { style: 'primary' })]),
    ...(ends.length > 0 ? [commandMenu('End a watch', ends, { inPlace: false })] : []),
    isWhole
      ? commandButton('This channel', '/hc watches', { inPlace: true })
      : commandButton('All channels', '/hc watches --all', { inPlace: true }),
    commandButton('History', '/hc history'),
    ...(watches.length > 0 ? [commandButton('Export', '/hc watches --export')] : []),
    commandButton('Import', '/hc watch-import'),
  )
}

/** A channel by its link, which Slack shows to those who may know its name; direct messages by the person whose they are. */
const linked = (one: AskedInChannel, isWhole: boolean): string => {
  if (!isWhole) return ''
  const person = isDirect(one.channelId) && whose(one)
  return person ? `<@${person}> alone ` : `${placeLink(one.channelId)} `
}

const placed = ({ channelId }: { channelId: string }, isWhole: boolean, words: string): string =>
  isWhole ? `${isDirect(channelId) ? 'One person alone' : channelId}: ${words}` : words

function watchWords(watch: Watch, shown: WatchesShown): string {
  const { filter, environment, paused } = watch
  const parts = [
    `${filterWords(filter)}${badgeOf(environment)}`,
    ...termWords(watch),
    ...fittedWords(watch, shown),
    ...(paused ? [`paused since ${utc(paused.at)}: ${PAUSE_WORDS[paused.why].why}`] : []),
  ]
  return `${paused ? '⏸️ Paused' : '👁️ Watched'}: ${parts.join(' · ')}`
}

/** How many checks it fitted when all were last listed, which may be an hour ago. */
function fittedWords({ environment, paused, matched }: Watch, { polling }: WatchesShown): string[] {
  const fullAt = polling.find((one) => one.environment === environment)?.status.fullAt
  return matched === undefined || paused || !fullAt ? [] : [`fitted ${grouped(matched)} at ${utc(fullAt)}`]
}

function watchBlock(watch: Watch, shown: WatchesShown, isWhole: boolean): KnownBlock {
  const name = filterWords(watch.filter)
  const button = watch.paused
    ? commandButton('Resume', `/hc watch-resume ${watch.channelId}`, { spoken: `Resume ${name}` })
    : commandButton('Change', `/hc watch-edit ${quoted(watch.id)} --env ${watch.environment}`, {
        spoken: `Change ${name}`,
      })
  return say(`${linked(watch, isWhole)}${literal(watchWords(watch, shown))}`, button)
}

function muteWords({ about, environment, until }: Mute): string {
  const end = until ? utc(until) : 'somebody ends it'
  return `🔕 Muted: ${subjectName(about)}${badgeOf(environment)}, until ${end}`
}

function muteBlock(mute: Mute, isWhole: boolean): KnownBlock {
  const { about, environment, until, by } = mute
  const end = until ? when(until) : 'somebody ends it'
  const name = `🔕 Muted: ${subjectName(about)}${badgeOf(environment)}`
  return say(
    // One person alone sees this, so that a person's name notifies nobody.
    `${linked(mute, isWhole)}${literal(name)}, until ${end}, by <@${by}>`,
    commandButton('Unmute', `/hc unmute ${quoted(mute.id)}`, { spoken: `Unmute ${subjectName(about)}` }),
  )
}

const digestWords = ({ hour, timeZone, environment }: Digest): string =>
  `🗓️ Daily summary${badgeOf(environment)} at ${hour}:00, ${timeZone}`

/** What keeps watches from telling anything. */
export function seeingNotes({ polling, watches }: Pick<WatchesShown, 'polling' | 'watches'>): string[] {
  const paused = watches.filter((watch) => watch.paused).length
  return [
    ...polling.flatMap(({ environment, status: { failingSince, isBlind } }) =>
      failingSince && isBlind
        ? [
            `⚫ The health checks${badgeOf(environment)} cannot be seen since ${utc(failingSince)}: nothing is told until they can.`,
          ]
        : [],
    ),
    ...(paused > 0 ? [`⏸️ ${watchCount(paused)} paused: Slack takes no messages for the channel.`] : []),
  ]
}

const leftOut = (what: string, count: number): string[] =>
  count > 0 ? [`${grouped(count)} more ${what} are not shown here; Export has all watches.`] : []

const CHANNELS = 8

/** Watching in App Home: which channels are told, and what keeps them from it. */
export function homeWatchBlocks(shown: WatchesShown): KnownBlock[] {
  const { watches, mutes } = shown
  if (watches.length === 0)
    return [
      section(
        'No channel is told yet when a health check goes down. Type /hc watch in the channel that is to be told.',
      ),
    ]
  const byChannel = [...Map.groupBy(watches, ({ channelId }) => channelId)]
  const left = byChannel.length - CHANNELS
  return [
    ...seeingNotes(shown).map((note) => context(note)),
    ...shown.maintenance
      .slice(0, MAINTENANCE)
      .map((window) => maintenanceBlock(window, window.channelId ? `<#${window.channelId}> ` : '')),
    ...byChannel.slice(0, CHANNELS).flatMap(([channelId, own]) => channelBlocks(channelId, own, mutes)),
    ...(left > 0 ? [context(`${counted(left, 'more channel')}: see all watches.`)] : []),
    ...actions(commandButton('All watches', '/hc watches --all'), commandButton('History', '/hc history')),
  ]
}

/** What this person has said to be on, in App Home. */
export const homeHeldBlocks = (held: readonly { environment: Environment; outage: Outage }[]): KnownBlock[] =>
  held.map(({ environment, outage: { check, startedAt } }) => {
    const name = checkName(check)
    return say(
      `🔴 ${literal(name)}${badgeOf(environment)} is down since ${when(startedAt)}: you are on it`,
      commandButton('Show', `/hc show ${quoted(check.uuid)} --env ${environment}`, {
        spoken: `Show ${name}`,
      }),
    )
  })

function channelBlocks(
  channelId: string,
  own: WatchesShown['watches'],
  mutes: WatchesShown['mutes'],
): KnownBlock[] {
  const paused = own.find((watch) => watch.paused)?.paused
  const muted = mutes.filter((mute) => mute.channelId === channelId).map(({ about }) => subjectName(about))
  const words = [
    `${watchCount(own.length)}: ${clip(own.map(({ filter }) => filterWords(filter)).join(' / '), 500)}`,
    ...(muted.length > 0 ? [`🔕 muted: ${clip(muted.join(', '), 300)}`] : []),
    ...(paused ? [`⏸️ paused: ${PAUSE_WORDS[paused.why].why}`] : []),
  ].join(' · ')
  const resume = paused ? commandButton('Resume', `/hc watch-resume ${channelId}`) : undefined
  const place = isDirect(channelId) ? 'In direct messages' : placeLink(channelId)
  return [context(mrkdwn(place, 100)), section(words, resume)]
}

/** Why nothing can be told in a channel, and what mends it. */
export const PAUSE_WORDS: Readonly<Record<PauseReason, { why: string; mend: string }>> = {
  archived: {
    why: 'the channel is archived',
    mend: 'Bring the channel back, or watch in another one.',
  },
  'not-in-channel': {
    why: 'Signalman is not in the channel any more',
    mend: 'Invite it again with /invite.',
  },
  'thread-gone': {
    why: 'the thread is gone, or closed',
    mend: 'Watch in the channel, or in another thread.',
  },
  refused: {
    why: 'Slack refuses what Signalman writes there',
    mend: 'See who may post in the channel, then press Resume.',
  },
}

/** To the owner of watches that cannot tell any more. */
export function pausedView({ channelId, why, watches, untold }: PausedModel): Message {
  const { why: reason, mend } = PAUSE_WORDS[why]
  const count = watches === 1 ? 'Your watch' : `${grouped(watches)} watches of yours`
  const paused = `${count} in ${placeLink(channelId)} ${watches === 1 ? 'is' : 'are'} paused: ${reason}. Nothing is told there until it is mended. It is tried again every hour, and what was missed is told then.`
  const lost = untold > 0 ? ` The last word on ${counted(untold, 'card')} could not be written there.` : ''
  const text = `${paused}${lost} ${mend}`
  return message(
    text,
    say(text),
    actions(
      commandButton('Resume', `/hc watch-resume ${channelId}`),
      commandButton('Watches', '/hc watches --all'),
    ),
  )
}
