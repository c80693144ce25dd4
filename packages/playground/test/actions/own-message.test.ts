import { describe, expect, it } from 'vitest'
import { startWorld } from '../app.ts'

describe('a person’s own message', () => {
  it('can’t be edited or deleted by anyone else, or edited to be empty', async () => {
    await using world = await startWorld()
    const channel = 'C0GENERAL1'
    const { ts } = await world.slack.member.say('mine')
    const byAdmin = { user: 'U0ADMIN001', channel, ts, text: 'theirs' }
    expect(await world.callControlApi('edit', byAdmin)).toMatchObject({ error: 'cant_update_message' })
    expect(await world.callControlApi('delete', byAdmin)).toMatchObject({ error: 'cant_update_message' })
    expect(await world.callControlApi('edit', { channel, ts, text: ' ' })).toMatchObject({
      error: 'no_text',
    })
    expect(await world.slack.member.messages()).toMatchObject([{ text: 'mine', edited: false }])
  })
})
