import { clip, commandButton, date, type Fact, joined, oneLine, words } from '@signalman/slack'
import type { Button, RichTextElement } from '@slack/types'
import { statusSign } from '../../../bot/replies/check-facts.ts'
import type { CheckTransition } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { grouped } from '../../../domain/wording.ts'
import type { WatchedCheck } from '../about-check.ts'
import type { MaintenanceWindow } from '../maintenance/rules.ts'
import { channelIn } from '../rules/watch.ts'
import { runbookParts } from './many-cards.ts'
import { PAUSE_WORDS } from './watches.ts'

/** Lines and buttons for the card of a check. */
export interface CheckNotes {
  /** Since when it is as it was seen last. */
  since: { status: string; at: Date; isAtLeast?: boolean; downMs?: number } | undefined
  entries: readonly Fact[]
  buttons: readonly Button[]
}

const CHANNELS = 5

export function checkNotes({
  check,
  channels,
  mute,
  outage,
  latest,
  maintenance,
  runbooks,
  channelId,
}: WatchedCheck): CheckNotes {
  const isHere = channelId !== undefined && channels.some((one) => one.channelId === channelId)
  const id = quoted(check.uuid)
  return {
    since: sinceOf(outage, latest),
    entries: [
      ['Watched in', channelList(channels)],
      ['Muted here', mute && (mute.until ? [words('until '), date(mute.until)] : 'until somebody ends it')],
      ['Maintenance', maintenance && maintenanceWords(maintenance)],
      ['Runbook', runbooks.length > 0 ? joined(runbooks.map(runbookParts), ' · ') : undefined],
      ['Last changes', latest.length > 0 ? latest.flatMap(change) : undefined],
    ],
    buttons: [
      ...(latest.length > 0 || outage ? [commandButton('History', `/hc history ${id}`)] : []),
      ...(channelId && !isHere ? [commandButton('Watch here', `/hc watch ${id}`)] : []),
      ...(isHere && !mute ? [commandButton('Mute', `/hc mute ${id}`)] : []),
      ...(mute ? [commandButton('Unmute', `/hc unmute ${quoted(mute.id)}`)] : []),
    ],
  }
}

function maintenanceWords({ state, to, from, because }: MaintenanceWindow): RichTextElement[] {
  const isRunning = state === 'running'
  return [
    words(isRunning ? 'until ' : 'from '),
    date(isRunning ? to : from),
    words(because ? `: ${clip(oneLine(because), 200)}` : ''),
  ]
}

function sinceOf(
  outage: WatchedCheck['outage'],
  [last, before]: readonly CheckTransition[],
): CheckNotes['since'] {
  if (outage) return { status: outage.status, at: outage.startedAt, isAtLeast: outage.isBaseline }
  if (last?.to !== 'up') return undefined
  const downMs = before?.outageId === last.outageId && last.at.getTime() - before.at.getTime()
  return { status: 'HEALTHY', at: last.at, ...(downMs !== false && { downMs }) }
}

function channelList(channels: WatchedCheck['channels']): Fact[1] {
  if (channels.length === 0) return undefined
  const shown = channels
    .slice(0, CHANNELS)
    .flatMap(({ channelId, paused }, index): RichTextElement[] => [
      ...(index > 0 ? [words(', ')] : []),
      { type: 'channel', channel_id: channelIn(channelId) },
      ...(paused ? [words(` (⏸️ paused: ${PAUSE_WORDS[paused.why].why})`)] : []),
    ])
  const left = channels.length - CHANNELS
  return [...shown, ...(left > 0 ? [words(` and ${grouped(left)} more channels`)] : [])]
}

function change({ to, at, status }: CheckTransition, index: number): RichTextElement[] {
  const says = {
    down: `${statusSign(status)} ${status === 'UNHEALTHY' ? 'went down' : 'was still installing'}`,
    up: `🟢 ${status === 'UNHEALTHY' ? 'came up' : 'was installed'}`,
    installing: `${statusSign('INSTALLING')} began to install again`,
    deleted: '⚪ was deleted',
  }[to]
  return [words(`${index === 0 ? '' : ', '}${says} `), date(at)]
}
