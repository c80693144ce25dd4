import { expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, startWorld } from '../app.ts'

const GENERAL = 'C0GENERAL1'
const start = (missingScopes: string[] = []) =>
  startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off', missingScopes })

const imageOf = (slack_file: Fields): Fields => ({ type: 'image', slack_file, alt_text: 'A picture' })
it('a picture of Slack in a block is accepted if the app can see it, and refused otherwise', async () => {
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
  const notes = await member.upload('notes.txt', 'x', 'text/plain')
  await member.say('read', { channel: 'general', files: [notes.id] })
  for (const file of [{ id: notes.id }, { id: 'F0NOPE' }])
    expect(await post(imageOf(file)), JSON.stringify(file)).toMatchObject(refusal)
})
