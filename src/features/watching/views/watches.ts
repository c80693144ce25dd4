import type { KnownBlock } from '@slack/types'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { utc, when } from '../../../blocks/dates.ts'
import { actions, context, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { literal, mrkdwn } from '../../../blocks/text.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { Digest, Mute, Watch } from '../../../domain/watching/watch.ts'
import { grouped } from '../../../domain/wording.ts'
import type { WatchesShown } from '../read-watches.ts'
import { badge } from './check-words.ts'
import { PAUSE_WORDS } from './paused.ts'
import { filterWords, subjectName, termWords, watchCount } from './watch-words.ts'

/** Each watch and mute takes a block: so many of either find room in one message. */
const ROWS = 15

/** What a channel watches and mutes, or, with `isWhole`, what all channels do. */
export function watchesView(shown: WatchesShown, isWhole: boolean): Message {
  const { watches, mutes, digests } = shown
  const title = isWhole ? 'Watches of all channels' : 'Watches of this channel'
  const notes = [...seeingNotes(shown), ...leftOut('watches', watches), ...leftOut('mutes', mutes)]
  const nothing = isWhole ? 'No channel watches anything yet.' : 'Nothing is watched in this channel yet.'
  const lines = [
    ...(watches.length === 0 ? [nothing] : watches.slice(0, ROWS).map((watch) => watchWords(watch, isWhole))),
    ...mutes.slice(0, ROWS).map((mute) => muteWords(mute, isWhole)),
    ...digests.slice(0, ROWS).map((digest) => digestWords(digest, isWhole)),
  ]
  return message(
    [title, ...lines.map(literal), ...notes.map(literal)].join('\n'),
    header(title),
    notes.map((note) => context(note)),
    watches.length === 0
      ? section(nothing)
      : watches.slice(0, ROWS).flatMap((watch) => watchBlocks(watch, isWhole)),
    mutes.slice(0, ROWS).flatMap((mute) => muteBlocks(mute, isWhole)),
    digests
      .slice(0, ROWS)
      .flatMap((digest) => [...place(digest, isWhole), section(`🗓️ ${digestWords(digest, false)}`)]),
    actions(
      ...(isWhole ? [] : [commandButton('New watch', '/hc watch-edit', { style: 'primary' })]),
      isWhole
        ? commandButton('This channel', '/hc watches', { inPlace: true })
        : commandButton('All channels', '/hc watches --all', { inPlace: true }),
      commandButton('History', '/hc history'),
      ...(watches.length > 0 ? [commandButton('Export', '/hc watches --export')] : []),
      commandButton('Import', '/hc watch-import'),
    ),
  )
}

/** A channel by its link, which Slack shows to those who may know its name. */
const place = ({ channelId }: { channelId: string }, isWhole: boolean): KnownBlock[] =>
  isWhole ? [context(mrkdwn(`<#${channelId}>`, 100))] : []

const placed = ({ channelId }: { channelId: string }, isWhole: boolean): string =>
  isWhole ? `${channelId}: ` : ''

function watchWords(watch: Watch, isWhole: boolean): string {
  const { filter, environment, paused, matched } = watch
  const parts = [
    `${filterWords(filter)}${badge(environment)}`,
    ...termWords(watch),
    ...(matched === undefined ? [] : [`fits ${grouped(matched)} now`]),
    ...(paused ? [`paused since ${utc(paused.at)}: ${PAUSE_WORDS[paused.why].why}`] : []),
  ]
  return `${placed(watch, isWhole)}${paused ? '⏸️' : '👁️'} ${parts.join(' · ')}`
}

function watchBlocks(watch: Watch, isWhole: boolean): KnownBlock[] {
  const id = quoted(watch.id)
  const name = filterWords(watch.filter)
  return [
    ...place(watch, isWhole),
    section(watchWords(watch, false)),
    ...actions(
      ...(watch.paused
        ? [commandButton('Resume', `/hc watch-resume ${watch.channelId}`, { spoken: `Resume ${name}` })]
        : []),
      commandButton('Change', `/hc watch-edit ${id}`, { spoken: `Change ${name}` }),
      commandButton('Stop', `/hc unwatch ${id}`, { spoken: `Stop watching ${name}` }),
    ),
  ]
}

function muteWords({ about, environment, until, ...mute }: Mute, isWhole: boolean): string {
  const end = until ? utc(until) : 'somebody ends it'
  return `${placed(mute, isWhole)}🔕 Muted: ${subjectName(about)}${badge(environment)}, until ${end}`
}

function muteBlocks(mute: Mute, isWhole: boolean): KnownBlock[] {
  const { about, environment, until, by } = mute
  const end = until ? when(until) : 'somebody ends it'
  // Only whoever asked sees this, so that a person's name calls nobody.
  const words = `until ${end}, by <@${by}>`
  const button = commandButton('Unmute', `/hc unmute ${quoted(mute.id)}`, {
    spoken: `Unmute ${subjectName(about)}`,
  })
  return [
    ...place(mute, isWhole),
    section(`🔕 Muted: ${subjectName(about)}${badge(environment)}`, button),
    context(mrkdwn(words, 300)),
  ]
}

function digestWords({ hour, timeZone, environment, ...digest }: Digest, isWhole: boolean): string {
  return `${placed(digest, isWhole)}Daily summary${badge(environment)} at ${hour}:00, ${timeZone}`
}

/** What keeps watches from telling anything. */
export function seeingNotes({ polling, watches }: Pick<WatchesShown, 'polling' | 'watches'>): string[] {
  const paused = watches.filter((watch) => watch.paused).length
  return [
    ...polling.flatMap(({ environment, status: { failingSince, isBlind } }) =>
      failingSince && isBlind
        ? [
            `⚫ The health checks${badge(environment)} cannot be seen since ${utc(failingSince)}: nothing is told until then.`,
          ]
        : [],
    ),
    ...(paused > 0 ? [`⏸️ ${watchCount(paused)} paused: Slack takes no messages for the channel.`] : []),
  ]
}

const leftOut = (what: string, all: readonly unknown[]): string[] =>
  all.length > ROWS
    ? [`${grouped(all.length - ROWS)} more ${what} are not shown here; Export has all watches.`]
    : []
