import type { KnownBlock } from '@slack/types'
import { checkName } from '../../../blocks/checks.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, context, divider, header, section } from '../../../blocks/layout.ts'
import { clip, mrkdwn } from '../../../blocks/text.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { Outage } from '../../../domain/watching/outage.ts'
import { grouped } from '../../../domain/wording.ts'
import type { HomeWatches } from '../home-watches.ts'
import { outageLine } from './many-cards.ts'
import { PAUSE_WORDS } from './paused.ts'
import { filterWords, subjectName, watchCount } from './watch-words.ts'
import { seeingNotes } from './watches.ts'

const CHANNELS = 8

/** Watching in App Home: what is down and since when, which channels are told, and what keeps them from it. */
export function homeWatchBlocks(shown: HomeWatches): KnownBlock[] {
  const { watches, mutes, down } = shown
  if (watches.length === 0)
    return [
      divider(),
      header('Watches'),
      section(
        'No channel is told yet when a health check goes down. Type /hc watch in the channel that is to be told.',
      ),
    ]
  const outages = down.flatMap((one) => one.outages.map((outage) => ({ ...one, outage })))
  const byChannel = [...Map.groupBy(watches, ({ channelId }) => channelId)]
  const left = byChannel.length - CHANNELS
  return [
    divider(),
    header('Watches'),
    ...seeingNotes(shown).map((note) => context(note)),
    ...(outages.length === 0 ? [context('Nothing that a channel is told of is down.')] : []),
    ...outages.map(({ outage, environment }) => downBlock(outage, environment)),
    ...byChannel.slice(0, CHANNELS).flatMap(([channelId, own]) => channelBlocks(channelId, own, mutes)),
    ...(left > 0 ? [context(`${grouped(left)} more channels: see all watches.`)] : []),
    ...actions(commandButton('All watches', '/hc watches --all'), commandButton('History', '/hc history')),
  ]
}

const downBlock = (outage: Outage, environment: Environment): KnownBlock =>
  section(
    `${outageLine(outage)}${badgeOf(environment)}`,
    commandButton('Show', `/hc show ${quoted(outage.check.uuid)} --env ${environment}`, {
      spoken: `Show ${checkName(outage.check)}`,
    }),
  )

function channelBlocks(
  channelId: string,
  own: HomeWatches['watches'],
  mutes: HomeWatches['mutes'],
): KnownBlock[] {
  const paused = own.find((watch) => watch.paused)?.paused
  const muted = mutes.filter((mute) => mute.channelId === channelId).map(({ about }) => subjectName(about))
  const words = [
    `${watchCount(own.length)}: ${clip(own.map(({ filter }) => filterWords(filter)).join(' / '), 500)}`,
    ...(muted.length > 0 ? [`🔕 muted: ${clip(muted.join(', '), 300)}`] : []),
    ...(paused ? [`⏸️ paused: ${PAUSE_WORDS[paused.why].why}`] : []),
  ].join(' · ')
  const resume = paused ? commandButton('Resume', `/hc watch-resume ${channelId}`) : undefined
  return [context(mrkdwn(`<#${channelId}>`, 100)), section(words, resume)]
}
