import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, startWorld } from '../app.ts'

const GENERAL = 'C0GENERAL1'
const start = (missingScopes: string[] = []) =>
  startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off', missingScopes })

const imageOf = (slack_file: Fields): Fields => ({ type: 'image', slack_file, alt_text: 'A picture' })
const plain = (text: string): Fields => ({ type: 'plain_text', text })
describe('a picture of Slack in a block', () => {
  it('is accepted by ID or URL if the app can see it, and refused otherwise', async () => {
    await using world = await start()
    const { member } = world.slack
    const post = (block: Fields) =>
      world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks: [block] })
    const refusal = {
      error: 'invalid_blocks',
      errors: ['invalid slack file [json-pointer:/blocks/0/slack_file]'],
    }
    const { id } = await member.upload('cat.png', 'x', 'image/png')
    expect(await post(imageOf({ id }))).toMatchObject(refusal)
    await member.say('look', { channel: 'general', files: [id] })
    expect(await post(imageOf({ id }))).toMatchObject({ ok: true })
    const { file } = await world.api('files.info', { file: id })
    const { url_private, permalink } = JSON.parse(JSON.stringify(file))
    for (const url of [url_private, permalink])
      expect(await post(imageOf({ url }))).toMatchObject({ ok: true })

    const notes = await member.upload('notes.txt', 'x', 'text/plain')
    await member.say('read', { channel: 'general', files: [notes.id] })
    for (const file of [{ id: notes.id }, { id: 'F0NOPE' }, { url: 'https://example.com/cat.png' }])
      expect(await post(imageOf(file)), JSON.stringify(file)).toMatchObject(refusal)
    const section = { type: 'section', text: plain('x'), accessory: imageOf({ id: 'F0NOPE' }) }
    expect(await post(section)).toMatchObject({
      errors: ['invalid slack file [json-pointer:/blocks/0/accessory/slack_file]'],
    })
  })
})
