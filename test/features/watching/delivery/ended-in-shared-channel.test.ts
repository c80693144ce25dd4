import { expect, it } from 'vitest'
import { CHANNELS, createModel, UUIDS } from '../model/model.ts'

it.each(['an outage', 'a period without polls', 'the end of such a period'])(
  'posts nothing about %s in a channel that waits for consent when its last watch ends',
  async (what) => {
    await using model = await createModel()
    const [channelId] = CHANNELS
    await model.watch(0, 0, 1)
    await model.minute()
    const { watches, outbox } = model.store.watching
    await watches.pauseSharedChannel('T1', channelId, { now: model.now(), revokesConsent: true })
    if (what === 'an outage') model.set(UUIDS.indexOf('a1'), 'UNHEALTHY')
    else model.service('unavailable')
    await model.pass(8)
    if (what === 'the end of such a period') model.service(false)
    await model.minute()
    await model.unwatch(0)
    await model.pass(3)
    expect([...model.channels.messages.values()]).toEqual([])
    expect(await outbox.countPending('T1', channelId)).toBe(0)
  },
)
