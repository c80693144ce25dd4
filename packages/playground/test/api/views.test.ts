import { describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { createClock, type Handler, startWorld, type World } from '../app.ts'
import { option, plain } from '../validation/samples.ts'
import { input } from '../web/payloads.ts'

const modal = (extraFields: Fields = {}): Fields => ({
  type: 'modal',
  callback_id: 'edit',
  title: plain('Edit'),
  submit: plain('Save'),
  private_metadata: '42',
  blocks: [
    input('name', 'Name', { type: 'plain_text_input', initial_value: 'web' }),
    input('kind', 'Protocol', {
      type: 'static_select',
      options: [option('TCP', 'tcp'), option('HTTP', 'http')],
    }),
    input('notes', 'Notes', { type: 'plain_text_input', multiline: true }, { optional: true }),
  ],
  ...extraFields,
})

/** Runs the command as the member, and opens `view` as the app with the command's trigger ID. */
async function openModal(world: World, view: Fields = modal()): Promise<Fields> {
  await world.slack.member.command('/hc', 'edit', { until: () => true })
  return world.api('views.open', { trigger_id: world.sent.at(-1)?.body.trigger_id, view })
}

const VALID_ANSWERS = { Name: 'db', Protocol: 'HTTP' }

it('views.open accepts a trigger ID only once, and only within 3 seconds', async () => {
  const clock = createClock()
  await using world = await startWorld(undefined, { now: clock.now })
  expect(await openModal(world)).toMatchObject({ ok: true })
  const trigger_id = world.sent[0]?.body.trigger_id
  expect(await world.api('views.open', { trigger_id, view: modal() })).toMatchObject({
    error: 'exchanged_trigger_id',
  })
  await world.slack.member.command('/hc', '', { until: () => true })
  clock.advance(3001)
  const expiredTrigger = world.sent[1]?.body.trigger_id
  expect(await world.api('views.open', { trigger_id: expiredTrigger, view: modal() })).toMatchObject({
    error: 'expired_trigger_id',
  })
  expect(await world.api('views.open', { trigger_id: 'x', view: modal() })).toMatchObject({
    error: 'invalid_trigger_id',
  })
  expect(await world.api('views.open', { view: modal() })).toMatchObject({
    error: 'invalid_arguments',
    response_metadata: { messages: ['[ERROR] missing required field: trigger_id'] },
  })
})

describe('view_submission', () => {
  it('shows errors next to their fields until the view changes', async () => {
    await using world = await startWorld()
    await openModal(world)
    world.setHandler(() => ({ json: { response_action: 'errors', errors: { name: 'Taken' } } }))
    const { view } = await world.slack.member.submit(VALID_ANSWERS)
    expect(view?.errors).toEqual({ name: 'Taken' })
    await world.api('views.update', { view_id: view?.view.id, view: modal() })
    expect((await world.slack.member.view()).errors).toEqual({})
  })

  const errorsResponse = (errors: Json): Json => ({ response_action: 'errors', errors })
  const INVALID = 'invalid_response'
  const tooLong = { ...modal(), title: plain('x'.repeat(25)) }
  it.each<[failure: string, error: string, note: string, reply: ReturnType<Handler>]>([
    ['no response', 'operation_timeout', "didn't answer within", 'silent'],
    ['a plain text response', INVALID, 'with an empty body', { text: 'ok' }],
    ['an unknown block', INVALID, 'no input block "nope"', { json: errorsResponse({ nope: 'x' }) }],
    [
      'an invalid view',
      'invalid_arguments',
      'must be less than 25 characters [json-pointer:/view/title/text]',
      { json: { response_action: 'update', view: tooLong } },
    ],
  ])('shows a banner in the modal after %s (%s)', async (_, error, note, reply) => {
    await using world = await startWorld(
      undefined,
      reply === 'silent' ? { limits: { ackTimeoutMs: 1000 } } : {},
    )
    await openModal(world)
    world.setHandler(() => reply)
    const answer = await world.slack.member.submit(VALID_ANSWERS)
    expect(answer.outcome).toMatchObject({ ok: false, error })
    expect(answer.view?.banner).toBe('We had some trouble connecting. Try again?')
    const [delivery] = await world.slack.deliveries('view_submission')
    expect(delivery?.verdict).toBe(error)
    expect(delivery?.notes.join('\n')).toContain(note)
  })
})

describe('the stack of modals', () => {
  const button = {
    type: 'actions',
    block_id: 'row',
    elements: [{ type: 'button', action_id: 'go', text: plain('Go') }],
  }
  const stackModal = (title: string) => modal({ title: plain(title), blocks: [button] })

  async function push(world: World, title: string): Promise<Fields> {
    await world.slack.member.click(await world.slack.member.view(), 'Go', { until: () => true })
    return world.api('views.push', {
      trigger_id: world.sent.at(-1)?.body.trigger_id,
      view: stackModal(title),
    })
  }

  it('has at most three views, which a person closes one by one or together', async () => {
    await using world = await startWorld()
    await openModal(world, stackModal('One'))
    expect(await push(world, 'Two')).toMatchObject({ ok: true })
    expect(await push(world, 'Three')).toMatchObject({ ok: true })
    expect(await push(world, 'Four')).toMatchObject({ error: 'push_limit_reached' })
    const [, second, third] = await world.slack.member.views()
    expect(third?.view).toMatchObject({ previous_view_id: second?.view.id })

    expect((await world.slack.member.close()).view?.view.id).toBe(second?.view.id)
    const answer = await world.slack.member.close({ all: true })
    expect(answer.closed).toBe(true)
  })
})

it.each([
  { by: 'view_id', args: (view: Fields) => ({ view_id: view.id ?? '' }), error: undefined },
  {
    by: 'the current hash',
    args: (view: Fields) => ({ view_id: view.id ?? '', hash: view.hash ?? '' }),
    error: undefined,
  },
  {
    by: 'an old hash',
    args: (view: Fields) => ({ view_id: view.id ?? '', hash: '1.x' }),
    error: 'hash_conflict',
  },
  { by: 'an unknown id', args: () => ({ view_id: 'V0' }), error: 'not_found' },
])('views.update updates the view found by $by, or returns an error: $error', async ({ args, error }) => {
  await using world = await startWorld()
  const { view } = await openModal(world)
  // Safe cast: the response to a successful views.open contains the view.
  const answer = await world.api('views.update', {
    ...args(view as Fields),
    view: modal({ title: plain('New') }),
  })
  expect(answer.error).toBe(error)
  const { view: shown } = await world.slack.member.view()
  expect(shown.title?.text).toBe(error ? 'Edit' : 'New')
})
