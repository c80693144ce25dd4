import { expect, it } from 'vitest'
import { CHANNELS, createModel, UUIDS } from '../model/model.ts'

it.each(['an outage', 'a period without polls', 'the end of a period without polls'])(
  'posts nothing about %s when the last watch ends in a channel that waits for consent',
  async (event) => {
    await using model = await createModel()
    const [channelId] = CHANNELS
    await model.watch(0, 0, 1)
    await model.passMinute()
    const { watches, outbox } = model.store.watching
    await watches.pauseSharedChannel('T1', channelId, { now: model.now(), revokesConsent: true })
    if (event === 'an outage') model.setStatus(UUIDS.indexOf('a1'), 'UNHEALTHY')
    else model.setServiceFailure('unavailable')
    await model.passMinutes(8)
    if (event === 'the end of a period without polls') model.setServiceFailure(false)
    await model.passMinute()
    await model.unwatch(0)
    await model.passMinutes(3)
    expect([...model.channels.messages.values()]).toEqual([])
    expect(await outbox.countPending('T1', channelId)).toBe(0)
  },
)
