import { describe, expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

const ANSWERS = { Name: 'api', Target: 'api.example.com', Port: '443', 'Customer ID': '7' }

describe('an audit log that cannot be written', () => {
  it('does not make what was done look undone: the form does not come back', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    await member.command('/hc', 'create')
    // The store's own object, as the app uses it: from here on each row is refused, as by a full disk.
    Object.assign(world.app.store.audit, { append: () => Promise.reject(new Error('disk full')) })
    const done = await member.submit(ANSWERS, { until: 'Created.' })
    expect(done.view?.view.submit).toBeNull()
    expect(await world.service.requests('POST')).toHaveLength(1)
    expect(world.log.join('\n')).toContain('could not be put into the audit log')
  })
})

describe('a verb that opens a window, asked for by a mention', () => {
  it('does nothing, because nobody could see what it did', async () => {
    await using world = await startWorld()
    const { admin } = world.slack
    const bot = (await admin.state()).bot.userId
    const said = await admin.say(`<@${bot}> hc token-generate --show`)
    const answer = await said.answer({ until: 'Type the command in the channel' })
    expect(answer.text).toContain('Nothing was changed.')
    expect(await world.service.requests('POST')).toEqual([])
  })
})
