import { describe, expect, it } from 'vitest'
import type { Fields } from '../src/protocol/json.ts'
import { startWorld } from './app.ts'

const plain = (text: string): Fields => ({ type: 'plain_text', text })
const divider: Fields = { type: 'divider' }
const section: Fields = { type: 'section', text: plain('x') }
const postArgs = (...blocks: Fields[]) => ({ channel: 'C0GENERAL1', text: 'x', blocks })

describe('the fault refuse-block', () => {
  it('rejects only calls with a block of that type, in every method', async () => {
    await using world = await startWorld(({ body }) => {
      if (body.command) void world.respond(body.response_url, postArgs(section, divider))
      return {}
    })
    await world.slack.faults({ method: '*', kind: 'refuse-block', block: 'divider', times: 10 })
    expect(await world.api('chat.postMessage', postArgs(section, divider))).toMatchObject({
      status: 200,
      ok: false,
      error: 'invalid_blocks',
      response_metadata: { messages: ['[ERROR] unsupported type: divider [json-pointer:/blocks/1/type]'] },
    })
    expect(await world.api('chat.postMessage', postArgs(section))).toMatchObject({ ok: true })
    await world.api('chat.postMessage', { ...postArgs(section), blocks: JSON.stringify([divider]) })
    const { member } = world.slack
    await member.command('/hc', '', { until: () => true })
    await expect
      .poll(async () => (await world.slack.deliveries('response_url')).map(({ verdict }) => verdict))
      .toEqual(['invalid_blocks'])
    const verdicts = (await world.slack.deliveries())
      .filter(({ direction }) => direction === 'from-app')
      .map(({ kind, verdict, response }) => [kind, verdict, response?.status])
    expect(verdicts).toEqual([
      ['chat.postMessage', 'invalid_blocks', 200],
      ['chat.postMessage', 'ok', 200],
      ['chat.postMessage', 'invalid_blocks', 200],
      ['response_url', 'invalid_blocks', 400],
    ])
  })

  it('rejects a view with such a block with the error code for views', async () => {
    await using world = await startWorld()
    await world.slack.faults({ method: 'views.publish', kind: 'refuse-block', block: 'header' })
    const view = { type: 'home', blocks: [{ type: 'header', text: plain('x') }] }
    const args = { user_id: 'U0MEMBER01', view }
    expect(await world.api('views.publish', args)).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: [expect.stringContaining('[json-pointer:/view/blocks/0/type]')] },
    })
    expect(await world.api('views.publish', args)).toMatchObject({ ok: true })
  })
})
