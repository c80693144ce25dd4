import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'

const text = { type: 'plain_text', text: 'x' }

describe('blocks.validate', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each<[input: string, args: { [name: string]: Json }, error: string, pointer: string]>([
    ['blocks', { blocks: [{ type: 'header' }] }, 'invalid_blocks', '/0'],
    ['blocks as JSON', { blocks: '[{"type":"nope"}]' }, 'invalid_blocks', '/0/type'],
    ['a message', { message: { blocks: [{ type: 'header' }] } }, 'invalid_message', '/blocks/0'],
    [
      'a view',
      { view: { type: 'modal', title: text, blocks: [{ type: 'plan' }] } },
      'invalid_view',
      '/blocks/0/type',
    ],
  ])('returns a pointer to the error in %s', async (_input, args, error, pointer) => {
    const answer = await world.api('blocks.validate', args)
    expect(answer).toMatchObject({ ok: false, error, errors: [{ pointer, code: 'failed_constraint' }] })
  })

  it.each([
    ['blocks of a message', { blocks: [{ type: 'section', text }] }],
    [
      'blocks of a modal',
      { blocks: [{ type: 'input', label: text, element: { type: 'plain_text_input' } }] },
    ],
    ['a message without text', { message: { blocks: [{ type: 'divider' }] } }],
    ['a Home', { view: { type: 'home', blocks: [] } }],
  ])('accepts %s', async (_input, args) => {
    expect(await world.api('blocks.validate', args)).toMatchObject({ ok: true })
  })

  it.each([{}, { blocks: [], view: {} }])('requires exactly one of its arguments: %j', async (args) => {
    expect(await world.api('blocks.validate', args)).toMatchObject({ error: 'invalid_arguments' })
  })
})
