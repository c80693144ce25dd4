import type { KnownBlock } from '@slack/types'
import { commandButton, commandMenu } from '../../../blocks/command-buttons.ts'
import { utc, when } from '../../../blocks/dates.ts'
import { actions, context, header, say, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { literal } from '../../../blocks/text.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { Digest, Mute, Watch } from '../../../domain/watching/watch.ts'
import { grouped } from '../../../domain/wording.ts'
import type { WatchesShown } from '../read-watches.ts'
import { PAUSE_WORDS } from './paused.ts'
import { filterWords, subjectName, termWords, watchCount } from './watch-words.ts'

/** How many of each kind are shown, one block each, so that all of them and the buttons fit into one message. */
const WATCHES = 22
const MUTES = 12
const DIGESTS = 6

/** What a channel watches and mutes, or, with `isWhole`, what all channels do. */
export function watchesView(shown: WatchesShown, isWhole: boolean): Message {
  const watches = shown.watches.slice(0, WATCHES)
  const mutes = shown.mutes.slice(0, MUTES)
  const digests = shown.digests.slice(0, DIGESTS)
  const title = isWhole ? 'Watches of all channels' : 'Watches of this channel'
  const notes = [
    ...seeingNotes(shown),
    ...leftOut('watches', shown.watches.length - watches.length),
    ...leftOut('mutes', shown.mutes.length - mutes.length),
    ...leftOut('daily summaries', shown.digests.length - digests.length),
  ]
  const nothing = isWhole ? 'No channel watches anything yet.' : 'Nothing is watched in this channel yet.'
  const lines = [
    ...(watches.length === 0
      ? [nothing]
      : watches.map((watch) => placed(watch, isWhole, watchWords(watch, shown)))),
    ...mutes.map((mute) => placed(mute, isWhole, muteWords(mute))),
    ...digests.map((digest) => placed(digest, isWhole, digestWords(digest))),
  ]
  return message(
    [title, ...lines.map(literal), ...notes.map(literal)].join('\n'),
    header(title),
    notes.length > 0 ? context(...notes) : [],
    watches.length === 0 ? section(nothing) : watches.map((watch) => watchBlock(watch, shown, isWhole)),
    mutes.map((mute) => muteBlock(mute, isWhole)),
    digests.map((digest) => say(`${linked(digest, isWhole)}${literal(digestWords(digest))}`)),
    controls(shown, isWhole),
  )
}

function controls({ watches }: WatchesShown, isWhole: boolean) {
  const ends = watches.map(({ id, filter, channelId }) => ({
    label: isWhole ? `${channelId}: ${filterWords(filter)}` : filterWords(filter),
    value: `/hc unwatch ${quoted(id)}`,
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

/** A channel by its link, which Slack shows to those who may know its name. */
const linked = ({ channelId }: { channelId: string }, isWhole: boolean): string =>
  isWhole ? `<#${channelId}> ` : ''

const placed = ({ channelId }: { channelId: string }, isWhole: boolean, words: string): string =>
  isWhole ? `${channelId}: ${words}` : words

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
    : commandButton('Change', `/hc watch-edit ${quoted(watch.id)}`, { spoken: `Change ${name}` })
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
