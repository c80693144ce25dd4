import { formatDuration } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  type Line,
  lineText,
  type Message,
  mrkdwnSection,
  oneLine,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { CardState } from '../rules/card.ts'
import type { Silence } from '../rules/silence.ts'
import { formatStart } from '../rules/silence-windows.ts'
import { type CurrentChannels, describeCoverage, describeEnd, describeSubject, joinParts } from './words.ts'

/** A card about a maintenance window in a channel. */
export interface MaintenanceModel extends Pick<CardState, 'channelId' | 'closedAt'> {
  readonly cardId: string
  readonly window: Silence
}

/** The channel's one message about a maintenance window, from its announcement to its end. */
export function maintenanceCardView({ window, channelId, closedAt }: MaintenanceModel): Message {
  const { from, to, forMs, reason, ownerName, every } = window
  const isCanceled = to !== undefined && to <= from
  const state = closedAt ? 'over' : window.state
  const isRunning = state === 'running'
  return card({
    headline: formatTitle(window, [channelId], closedAt !== undefined),
    facts: [
      ['From', state === 'announced' ? undefined : from],
      ['Until', isCanceled || isRunning ? undefined : to],
      ['Lasts', isCanceled || closedAt || forMs === undefined ? undefined : formatDuration(forMs)],
      ['Repeats', every && `every ${every}`],
      ['Why', reason || undefined],
      ['Planned by', ownerName],
    ],
    smallPrint: closedAt ? [] : [MAINTENANCE_EFFECT],
    controls: maintenanceControls(window, isRunning, closedAt !== undefined),
  })
}

export const MAINTENANCE_EFFECT =
  'Outages during maintenance aren’t reported and don’t count against uptime. When it ends, Signalman posts what is still down with nobody on it, in the channels that watch it.'

export const maintenanceControls = (
  window: Pick<Silence, 'planId' | 'every'>,
  hasBegun: boolean,
  isOver = false,
) => [
  ...(isOver
    ? []
    : [
        commandButton('Change', `/hc maintenance-edit ${quoted(window.planId)}`),
        commandButton(hasBegun ? 'End it now' : 'Cancel it', formatEndCommand(window, hasBegun)),
      ]),
  commandButton('All maintenance', '/hc maintenance'),
]

function formatTitle(window: Silence, here: CurrentChannels, isClosed: boolean): Line {
  const { state, from, to = from } = window
  const maintenanceText = ['maintenance of ', ...describeCoverage(window, here)]
  if (state === 'over')
    return to <= from
      ? joinParts('⚪ Canceled: ', ...maintenanceText)
      : joinParts(
          '✅ Ended: ',
          ...maintenanceText,
          `, after ${formatDuration(to.getTime() - from.getTime())}`,
        )
  if (isClosed) return joinParts('⚪ Doesn’t affect this channel anymore: ', ...maintenanceText)
  return state === 'running'
    ? joinParts('🔧 Started: ', ...maintenanceText, ', until ', to)
    : joinParts('🗓️ Planned: ', ...maintenanceText, ', from ', from)
}

/** Ends the current window, or cancels the plan. */
export const formatEndCommand = (
  { planId, every }: Pick<Silence, 'planId' | 'every'>,
  isRunning: boolean,
): string => `/hc maintenance-end ${quoted(planId)}${isRunning && every ? ' --once' : ''}`

/** `🔧 Maintenance: shop* in production, in this channel, until … · every week · by Max · database upgrade`. */
export const formatSilence = (silence: Silence, here: CurrentChannels): Line =>
  joinParts(
    silence.kind === 'mute' ? '🔕 Muted: ' : '🔧 Maintenance: ',
    ...describeCoverage(silence, here),
    ', ',
    ...describeTimes(silence),
  )

/** A silence below the watch that it covers in part: `└ 🔕 shop-1 muted until … · by Max`. */
export const formatSilenceBelow = (silence: Silence): Line =>
  joinParts(
    silence.kind === 'mute' ? '└ 🔕 ' : '└ 🔧 Maintenance of ',
    describeSubject(silence.subject),
    silence.channelId === undefined ? ' in every channel' : '',
    silence.kind === 'mute' ? ' muted ' : ' ',
    ...describeTimes(silence),
  )

const describeTimes = ({ from, to, state, every, reason, ownerName }: Silence) => [
  ...(state === 'running' ? [] : ['from ', from, ' ']),
  ...describeEnd(to),
  ...[
    every && `every ${every}`,
    `by ${clip(oneLine(ownerName), 60)}`,
    reason && clip(oneLine(reason), 200),
  ].flatMap((part) => (part ? [` · ${part}`] : [])),
]

/**
 * Menu entries for each silence. If several have the same name, their labels also have the start time. It comes first, so that
 * it's visible even if a long name is cut off. Those that the person may not end have no `end`.
 */
export function silenceChoices(silences: readonly Silence[], mayEnd: (silence: Silence) => boolean) {
  const names = silences.map(({ subject, kind }) => `${kind} ${describeSubject(subject)}`)
  const withStart = silences.map((silence, index) => `${formatStart(silence)} ${names[index]}`)
  return silences.map((silence, index) => {
    const { planId, state, kind, subject, environment } = silence
    const isUnique = (all: readonly string[]) => all.filter((name) => name === all[index]).length === 1
    const occurrence = withStart.slice(0, index + 1).filter((text) => text === withStart[index]).length
    const startText = isUnique(names) ? '' : withStart[index]?.slice(0, START_LENGTH)
    const labelPrefix = `${startText}${isUnique(withStart) ? '' : `(${occurrence}) `}`
    const name = nameInMenu(describeSubject(subject), environment)
    const endChoice =
      kind === 'mute'
        ? { label: `Unmute ${labelPrefix}${name}`, value: `/hc unmute ${quoted(planId)}` }
        : {
            label: `${state === 'running' ? 'End' : 'Cancel'} ${labelPrefix}maintenance of ${name}`,
            value: formatEndCommand(silence, state === 'running'),
          }
    return {
      end: mayEnd(silence) ? endChoice : undefined,
      change:
        kind === 'mute'
          ? undefined
          : {
              label: `Change ${labelPrefix}maintenance of ${name}`,
              value: `/hc maintenance-edit ${quoted(planId)}`,
            },
    }
  })
}

/** A name with its environment, which is visible even if the name is long. */
export const nameInMenu = (name: string, environment: Environment): string =>
  environment === 'production' ? name : `${clip(name, MAX_NAME_IN_MENU)}${environmentSuffix(environment)}`
const MAX_NAME_IN_MENU = 45

/** The length of `2026-12-01 22:00 `. */
const START_LENGTH = 17

export const maintenanceBlock = (window: Silence): KnownBlock =>
  mrkdwnSection(
    lineText(formatSilence(window, [])),
    commandButton('Change', `/hc maintenance-edit ${quoted(window.planId)}`, {
      accessibilityLabel: `Change maintenance of ${describeSubject(window.subject)}`,
    }),
  )
