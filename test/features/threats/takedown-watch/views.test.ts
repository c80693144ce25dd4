import { describe, expect, it } from 'vitest'
import { stepsView } from '../../../../src/features/threats/cases/views/thread.ts'
import type { TakedownNews, TakedownState } from '../../../../src/features/threats/takedown-watch/rules.ts'
import {
  directView,
  newsWords,
  startedView,
  startedWords,
  stoppedView,
  watchedView,
  watchedWords,
} from '../../../../src/features/threats/takedown-watch/views.ts'
import { threatEventOf } from '../../../service/reading.ts'
import { sentMessage } from '../accepted.ts'
import { ANN, NOW, sampleCase } from '../cases/sample.ts'
import { eventOf } from '../events.ts'
import { CORPUS } from '../hostile.ts'
import { nodesOf } from '../markup.ts'
import { sampleWatch } from './sample.ts'

const watch = sampleWatch('exa.mple')
const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)

describe('the words of a watch until something is down', () => {
  it.each<{ news: TakedownNews; says: string }>([
    {
      news: { kind: 'down', at: later(74 * 60) },
      says: 'Taken down after 3 d 3 h of watching',
    },
    {
      news: { kind: 'unreachable', at: later(1) },
      says: 'Not reachable from here since the watch began: look yourself',
    },
    { news: { kind: 'back', at: later(9), downMs: 7_500_000 }, says: 'Back again, after 2 h 5 min down' },
    {
      news: { kind: 'blind', at: later(9), why: 'unreachable' },
      says: 'The watch sees nothing: the service does not answer',
    },
    {
      news: { kind: 'check-deleted', at: later(9) },
      says: 'The watch has ended: somebody deleted its health check Takedown exa[.]mple [7e57ed00] at the service',
    },
    {
      news: { kind: 'ended', at: later(9) },
      says: 'The watch has ended: the case has been closed for 30 days. Its health check Takedown exa[.]mple [7e57ed00] is still at the service',
    },
  ])('say: $says', ({ news, says }) => {
    expect(newsWords(news, watch)).toBe(says)
  })

  it.each<{ state: TakedownState; says: string }>([
    { state: { looks: 0 }, says: 'Watched for 1 h 30 min: not seen up yet' },
    { state: { looks: 3, upAt: NOW }, says: 'Watched for 1 h 30 min: still up' },
    {
      state: { looks: 3, upAt: NOW, downAt: later(-10) },
      says: 'Watched for 1 h 30 min: down for 10 min; you are told if it comes back',
    },
    {
      state: { looks: 3, unreachableAt: later(-10) },
      says: 'Watched for 1 h 30 min: never reachable from here',
    },
    {
      state: { looks: 3, isBlind: true },
      says: 'Watched for 1 h 30 min; just now the watch sees nothing',
    },
  ])('say how it is now: $says', ({ state, says }) => {
    expect(watchedWords({ ...watch, state }, NOW)).toBe(says)
  })

  it('leave it to the step to say by whom', async () => {
    const event = threatEventOf(eventOf('exa.mple'))
    const begun = await sampleCase(event, ['take', ANN], ['note', ANN, 5, startedWords(watch)])
    expect(stepsView({ ...begun, toldVersion: 1 })?.text).toBe(
      'Watched until it is down, with the health check Takedown exa[.]mple [7e57ed00]; started by Ann · 5 min later',
    )
    expect(startedWords(watch)).not.toContain('Ann')
  })

  it('call whoever has the case when it is back, and nobody else', async () => {
    const event = threatEventOf(eventOf('exa.mple'))
    const by = { userId: 'U0ANN00001', name: 'Ann' }
    const says = 'Back again, after 2 h 5 min'
    const back = await sampleCase(event, ['take', by], ['down', undefined, 5], ['reopen', undefined, 9, says])
    expect(stepsView({ ...back, toldVersion: 2 })?.text).toBe(
      `${says}: opened again · 4 min later\n<@U0ANN00001> has this case.`,
    )
    const reopened = await sampleCase(event, ['take', by], ['down', undefined, 5], ['reopen', ANN, 9])
    expect(stepsView({ ...reopened, toldVersion: 2 })?.text).toBe('Opened again by Ann · 4 min later')
  })
})

it('shows every hostile string as text alone', () => {
  const alive = CORPUS.flatMap((text) => {
    const hostile = sampleWatch(text)
    const views = [
      startedView(hostile, { isOld: false, isTold: true }),
      stoppedView(hostile),
      watchedView(hostile, NOW),
      directView(hostile, newsWords({ kind: 'check-deleted', at: NOW }, hostile)),
      directView(hostile, startedWords(hostile)),
    ]
    return views.flatMap((view) => nodesOf(sentMessage(view)).map((node) => ({ text, node })))
  })
  expect(alive.slice(0, 8)).toEqual([])
})
