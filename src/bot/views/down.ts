import { clip, type Line, oneLine } from '@signalman/slack'
import type { DownCheck, OnIt } from '../../domain/outages/outage.ts'
import { formatSince } from '../../domain/outages/spell.ts'

const MAX_NAME = 80

/** `Ann has been on it since 9:05`, or `nobody is on it`. */
export const describeOnIt = (onIt: OnIt | undefined, before = ''): readonly (string | Date)[] =>
  onIt
    ? [`${before}${clip(oneLine(onIt.name || onIt.by), MAX_NAME)} has been on it since `, onIt.at]
    : [`${before}nobody is on it`]

/** `since 9:00 · nobody is on it`: what cards, lists, App Home, and `/hc who` say of what is down. */
export const describeDown = ({ at, isAtLeast, onIt }: DownCheck): Line =>
  at ? [...formatSince({ at, isAtLeast }), ...describeOnIt(onIt, ' · ')] : describeOnIt(onIt)
