import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'
import { REFUSED_BLOCKS } from './refused-blocks.ts'
import { REFUSED_ELEMENTS } from './refused-elements.ts'
import { REFUSED_VIEWS } from './refused-views.ts'

interface Payload {
  method: string
  args: Fields
  error: string
  message: string
}

const messagePayloads = REFUSED_BLOCKS.map(([block, message]): Payload => {
  const args = { channel: 'C0GENERAL1', text: 'x', blocks: [block] }
  return { method: 'chat.postMessage', args, error: 'invalid_blocks', message }
})
const viewPayloads = [...REFUSED_VIEWS, ...REFUSED_ELEMENTS].map(([view, message]): Payload => {
  return { method: 'views.open', args: { trigger_id: 'x', view }, error: 'invalid_arguments', message }
})
const PAYLOADS = [...messagePayloads, ...viewPayloads]

describe('a payload that breaks one rule', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(undefined, { rate: 'off', levels: ['slack', 'careful'] })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(PAYLOADS)('gets $error from $method: $message', async ({ method, args, error, message }) => {
    const answer = await world.api(method, args)
    expect(answer).toMatchObject({ status: 200, ok: false, error })
    expect(answer.response_metadata).toEqual({
      messages: message.split('\n').map((line) => `[ERROR] ${line}`),
    })
  })
})
