import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'

const manifestPath = new URL('../step-manifest.yml', import.meta.url).pathname
const GENERAL = 'C0GENERAL1'

const findEvent = ({ sent }: World, type: string): Fields | undefined =>
  sent.map(({ body }) => body.event).find((value): value is Fields => isFields(value) && value.type === type)

/** Starts an app that completes each step with the Web API call that `completeStep` returns. */
async function startStepApp(completeStep: (execution: string) => [method: string, args: object]) {
  const world = await startWorld(undefined, { manifestPath })
  world.setHandler(({ body }) => {
    if (isFields(body.event)) void world.api(...completeStep(String(body.event.function_execution_id)))
    return {}
  })
  return world
}

describe('a workflow step', () => {
  it('gets the ID of the person who runs it, and returns the app’s outputs', async () => {
    const outputs = { status: 'up' }
    await using world = await startStepApp((function_execution_id) => [
      'functions.completeSuccess',
      { function_execution_id, outputs },
    ])
    const run = await world.slack.admin.runStep('check-status', { name: 'shop' })
    expect(run).toMatchObject({ status: 'completed', outputs, user: 'U0ADMIN001' })
    expect(findEvent(world, 'function_executed')).toMatchObject({
      function: {
        callback_id: 'check-status',
        input_parameters: [
          { name: 'name', type: 'string', is_required: true },
          { name: 'who', type: 'slack#/types/user_context', is_required: true },
        ],
        output_parameters: [{ name: 'status', is_required: true }],
      },
      inputs: { name: 'shop', who: { id: 'U0ADMIN001', secret: expect.any(String) } },
      function_execution_id: run.id,
      bot_access_token: expect.stringMatching(/^xwfp-/),
    })
    const secondCompletion = { function_execution_id: run.id, outputs }
    expect(await world.api('functions.completeSuccess', secondCompletion)).toMatchObject({
      error: 'execution_not_in_running_state',
    })
  })

  it('adds its execution ID and an interactivity pointer (but no trigger ID) to clicks in its messages and modals', async () => {
    await using world = await startWorld(undefined, { manifestPath })
    const running = world.slack.member.runStep('check-status', { name: 'shop' })
    await world.eventually('the step', () => world.sent.length > 0)
    const { bot_access_token, function_execution_id } = findEvent(world, 'function_executed') ?? {}
    const runFields = {
      bot_access_token,
      function_data: { execution_id: function_execution_id, inputs: { name: 'shop' } },
      interactivity: { interactor: { id: 'U0MEMBER01' }, interactivity_pointer: expect.any(String) },
    }
    const lastBody = () => world.sent.at(-1)?.body ?? {}
    const callAsStep = (method: string, args: object) => world.api(method, args, String(bot_access_token))
    const lastPointer = () => {
      const { interactivity } = lastBody()
      return { interactivity_pointer: isFields(interactivity) ? interactivity.interactivity_pointer : '' }
    }
    const button = { type: 'button', action_id: 'done', text: { type: 'plain_text', text: 'Done' } }
    const blocks = [{ type: 'actions', elements: [button] }]
    expect(await callAsStep('chat.postMessage', { channel: GENERAL, text: 'Done?', blocks })).toMatchObject({
      ok: true,
    })
    const [message] = await world.slack.member.messages()
    expect(JSON.stringify(message)).not.toContain('xwfp-')

    await world.slack.member.click(message, 'Done', { until: () => true })
    expect(lastBody()).toMatchObject(runFields)
    expect(lastBody()).not.toHaveProperty('trigger_id')
    const plain = (text: string) => ({ type: 'plain_text', text })
    const view = {
      type: 'modal',
      title: plain('Status'),
      submit: plain('Save'),
      notify_on_close: true,
      blocks,
    }
    const usedPointer = lastPointer()
    expect(await callAsStep('views.open', { ...usedPointer, view })).toMatchObject({ ok: true })
    expect(await callAsStep('views.open', { ...usedPointer, view })).toMatchObject({
      error: 'exchanged_interactivity_pointer',
    })

    await world.slack.member.click(await world.slack.member.view(), 'Done', { until: () => true })
    expect(lastBody()).toMatchObject(runFields)
    expect(await callAsStep('views.push', { ...lastPointer(), view })).toMatchObject({ ok: true })
    expect(JSON.stringify(await world.slack.member.views())).not.toContain('xwfp-')
    await world.slack.member.close()
    expect(lastBody()).toMatchObject({
      type: 'view_closed',
      bot_access_token,
      function_data: runFields.function_data,
    })
    await world.slack.member.submit()
    expect(lastBody()).toMatchObject({ type: 'view_submission', ...runFields })
    expect(lastBody()).not.toHaveProperty('trigger_id')

    await world.api('functions.completeSuccess', { function_execution_id, outputs: { status: 'up' } })
    expect(await running).toMatchObject({ status: 'completed' })
  })

  it('fails with the app’s error message', async () => {
    await using world = await startStepApp((function_execution_id) => [
      'functions.completeError',
      { function_execution_id, error: 'There is no such check.' },
    ])
    const run = await world.slack.member.runStep('check-status', { name: 'x' })
    expect(run).toMatchObject({ status: 'failed', error: 'There is no such check.' })
  })

  it.each([
    { callbackId: 'nope', inputs: {}, message: 'no function "nope"' },
    { callbackId: 'check-status', inputs: {}, message: 'missing required field: name' },
    {
      callbackId: 'check-status',
      inputs: { name: 'x', who: { id: 'U0ADMIN001', secret: 's' } },
      message: 'Slack fills in the person who started the run',
    },
  ])(
    'can’t be run with the callback ID $callbackId and the inputs $inputs',
    async ({ callbackId, inputs, message }) => {
      await using world = await startWorld(undefined, { manifestPath })
      await expect(world.slack.member.runStep(callbackId, inputs)).rejects.toThrow(message)
    },
  )

  it('can’t be completed with undeclared outputs or an unknown execution ID', async () => {
    await using world = await startWorld(undefined, { manifestPath })
    const running = world.slack.member.runStep('check-status', { name: 'x' })
    await world.eventually('the event', () => findEvent(world, 'function_executed') !== undefined)
    const function_execution_id = String(findEvent(world, 'function_executed')?.function_execution_id)
    expect(
      await world.api('functions.completeSuccess', { function_execution_id, outputs: { state: 'up' } }),
    ).toMatchObject({ error: 'parameter_validation_failed' })
    expect(
      await world.api('functions.completeSuccess', { function_execution_id: 'Fx1', outputs: {} }),
    ).toMatchObject({ error: 'function_execution_not_found' })
    await world.api('functions.completeError', { function_execution_id, error: 'over' })
    expect(await running).toMatchObject({ error: 'over' })
  })
})

const ENTITY = {
  entity_type: 'slack#/entities/incident',
  external_ref: { id: 'case-1' },
  url: 'https://app.example.com/cases/1',
  entity_payload: {
    attributes: { title: { text: 'Case 1' } },
    actions: { primary_actions: [{ text: 'Take', action_id: 'take', value: '/threat take 1' }] },
  },
}

/** Starts an app that posts a work object, and presents `details` to anyone who opens it. */
async function startEntityApp(details: object) {
  const world = await startWorld(undefined, { manifestPath })
  world.setHandler(({ body }) => {
    const detailsRequest =
      isFields(body.event) && body.event.type === 'entity_details_requested' ? body.event : undefined
    if (detailsRequest)
      void world.api('entity.presentDetails', { trigger_id: detailsRequest.trigger_id, ...details })
    return {}
  })
  const post = { channel: GENERAL, text: 'a case', metadata: { entities: [ENTITY] } }
  expect(await world.api('chat.postMessage', post)).toMatchObject({ ok: true })
  const message = (await world.slack.member.messages()).at(-1)
  return { ...world, message: message ?? { channel: '', ts: '' }, entities: message?.entities }
}

describe('a work object', () => {
  it('shows its details only to the person who opens it', async () => {
    await using world = await startEntityApp({ metadata: ENTITY })
    expect(world.entities).toMatchObject([{ external_ref: { id: 'case-1' } }])
    expect(await world.slack.member.openEntity(world.message)).toMatchObject({
      ref: 'case-1',
      metadata: ENTITY,
    })
    expect((await world.slack.admin.state()).pane).toBeNull()
    const detailsRequest = world.sent.map(({ body }) => body.event).find(isFields)
    expect(detailsRequest).toMatchObject({
      type: 'entity_details_requested',
      user: 'U0MEMBER01',
      external_ref: { id: 'case-1' },
      link: { url: ENTITY.url, domain: 'app.example.com' },
      message_ts: world.message.ts,
    })
    await world.slack.member.pressEntity(world.message, 'Take', { inPane: true, until: () => true })
    expect(world.sent.at(-1)?.body.payload ?? world.sent.at(-1)?.body).toMatchObject({
      type: 'block_actions',
      container: { type: 'entity_detail', external_ref: { id: 'case-1' } },
      actions: [{ action_id: 'take', value: '/threat take 1' }],
    })
  })

  it('has no channel or message if it is opened outside of a conversation', async () => {
    await using world = await startEntityApp({ metadata: ENTITY })
    const { member } = world.slack
    expect(await member.openEntity(world.message, 'case-1', { outside: true })).toMatchObject({
      channel: null,
    })
    await member.pressEntity(world.message, 'Take', { inPane: true, until: () => true })
    const bodies = world.sent.map(({ body }) => body.event ?? body.payload ?? body).filter(isFields)
    const [opened, pressed] = bodies.filter(({ type }) =>
      ['entity_details_requested', 'block_actions'].includes(String(type)),
    )
    expect(opened).not.toHaveProperty('channel')
    expect(opened).not.toHaveProperty('message_ts')
    expect(pressed).not.toHaveProperty('channel')
    expect(pressed?.container).not.toHaveProperty('channel_id')
  })

  it('can be shown as restricted to the person who opens it', async () => {
    await using world = await startEntityApp({ error: { status: 'restricted' } })
    const pane = await world.slack.user('U0GUEST001').openEntity(world.message)
    expect(pane).toMatchObject({ metadata: null, error: { status: 'restricted' } })
  })

  it.each([
    { invalid: { entity_type: 'slack#/entities/task' }, message: 'rich_previews' },
    { invalid: { external_ref: {} }, message: 'external_ref.id' },
    { invalid: { entity_payload: { attributes: {} } }, message: 'title.text' },
  ])('is rejected if it has $invalid', async ({ invalid, message }) => {
    await using world = await startWorld(undefined, { manifestPath })
    const metadata = { entities: [{ ...ENTITY, ...invalid }] }
    const answer = await world.api('chat.postMessage', { channel: GENERAL, text: 'x', metadata })
    expect(answer.error).toBe('invalid_metadata_format')
    expect(JSON.stringify(answer.response_metadata)).toContain(message)
  })

  it('can’t be opened with another object’s details or with an unknown trigger ID', async () => {
    await using world = await startWorld(undefined, { manifestPath })
    const otherEntity = { ...ENTITY, external_ref: { id: 'case-2' } }
    expect(
      await world.api('entity.presentDetails', { trigger_id: '1.2.3', metadata: otherEntity }),
    ).toMatchObject({
      error: 'entity_metadata_does_not_match_trigger',
    })
    expect(
      await world.api('entity.presentDetails', { trigger_id: '1.2.3', error: { status: 'not_found' } }),
    ).toMatchObject({ error: 'invalid_trigger_id' })
  })
})
