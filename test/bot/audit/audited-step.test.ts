import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../store/databases.ts'
import { startWorld } from '../../world.ts'

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
