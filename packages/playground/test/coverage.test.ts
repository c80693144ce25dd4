import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { webApi } from '@slack/bolt'
import { describe, expect, it } from 'vitest'
import { renderCoveragePage } from '../docs/coverage-page.ts'
import { METHOD_NAMES } from '../src/api/call.ts'
import { MISSING_METHODS, RETIRED_METHODS, USER_TOKEN_METHODS } from '../src/api/unsupported-methods.ts'
import { USER_EVENTS } from '../src/platform/events.ts'
import { EVENTS, MISSING_EVENTS } from '../src/protocol/event-names.ts'
import { startWorld } from './app.ts'

/** Functions of Slack's client that aren't Web API methods, or that call several of them. */
const OTHER_FUNCTIONS = ['fetchFn', 'files.uploadV2']

/** Lists the methods of Slack's client by walking its properties. */
function* listMethods(client: object, prefix = ''): Generator<string> {
  for (const [name, value] of Object.entries(client)) {
    if (typeof value === 'function') yield prefix + name
    const isFamily = typeof value === 'object' && value?.constructor === Object
    if (isFamily && name !== 'retryConfig') yield* listMethods(value, `${prefix}${name}.`)
  }
}

/** The events in @slack/types, with `message` replaced by the events per conversation type that apps subscribe to. */
function readSlackEvents(): Set<string> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@slack/types')), 'events')
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^ {4}type: '(\w+)'/gm)].map(([, name = '']) => name),
  )
  const messages = ['message.channels', 'message.groups', 'message.im', 'message.mpim', 'message.app_home']
  return new Set([...names.filter((name) => name !== 'message'), ...messages])
}

/** Methods of Slack that the installed client doesn't have yet. */
const NEWER_METHODS = ['assistant.search.context']

describe('the lists of supported and missing features', () => {
  it('contain every method of @slack/web-api', () => {
    const clientMethods = [...listMethods(new webApi.WebClient())].filter(
      (name) => !OTHER_FUNCTIONS.includes(name) && !RETIRED_METHODS.has(name),
    )
    expect(clientMethods.length).toBeGreaterThan(270)
    expect([...METHOD_NAMES, ...USER_TOKEN_METHODS, ...MISSING_METHODS].toSorted()).toEqual(
      [...clientMethods, ...NEWER_METHODS].toSorted(),
    )
  })

  it('contain every event of @slack/types', () => {
    const slackEvents = readSlackEvents()
    expect(slackEvents.size).toBeGreaterThan(80)
    expect([...EVENTS, ...MISSING_EVENTS, ...USER_EVENTS].toSorted()).toEqual([...slackEvents].toSorted())
  })

  it.each([
    { method: 'calls.add', message: "Slack has calls.add, but the playground doesn't support it" },
    { method: 'chat.postMesage', message: "The playground doesn't know chat.postMesage" },
  ])('are used to explain the error for $method', async ({ method, message }) => {
    await using world = await startWorld()
    const { error, response_metadata } = await world.api(method)
    expect(error).toBe('unknown_method')
    expect(JSON.stringify(response_metadata)).toContain(message)
  })

  it.each([
    {
      method: 'channels.list',
      error: 'method_deprecated',
      message: 'conversations.list or users.conversations',
    },
    { method: 'groups.setTopic', error: 'method_deprecated', message: 'Use conversations.setTopic instead.' },
    { method: 'files.upload', error: 'method_deprecated', message: 'files.getUploadURLExternal' },
    { method: 'workflows.stepCompleted', error: 'method_deprecated', message: 'functions.completeSuccess' },
    { method: 'rtm.connect', error: 'not_allowed_token_type', message: 'Use Socket Mode' },
  ])('suggest a replacement for the retired $method', async ({ method, error, message }) => {
    await using world = await startWorld()
    const answer = await world.api(method)
    expect(answer.error).toBe(error)
    expect(JSON.stringify(answer.response_metadata)).toContain(message)
  })

  it('match docs/coverage.md: npm run generate', () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/coverage.md'), 'utf8')
    expect(page).toBe(renderCoveragePage())
  })
})
