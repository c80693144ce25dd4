import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receivedEvents, startWorld, type World } from '../app.ts'

const manifestPath = new URL('../shapes/manifest.yml', import.meta.url).pathname
const GENERAL = 'C0GENERAL1'
const metadata = (type: string, id = '7') => ({ event_type: type, event_payload: { id } })
let folder: string
let unsubscribedManifest: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'metadata-'))
  unsubscribedManifest = join(folder, 'manifest.yml')
  writeFileSync(
    unsubscribedManifest,
    readFileSync(manifestPath, 'utf8').replace(/^.*(?:message_metadata_|metadata_sub).*\n/gm, ''),
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

const metadataEvents = (world: World) =>
  receivedEvents(world).filter(({ type }) => String(type).startsWith('message_metadata_'))

/** Posts, changes, and deletes messages with metadata. Then posts a last message and waits until the app gets it. */
async function changeMessages(world: World): Promise<string> {
  const post = async (args: object) =>
    String((await world.api('chat.postMessage', { channel: GENERAL, text: 'x', ...args })).ts)
  const ts = await post({ metadata: metadata('task_created') })
  await post({ metadata: metadata('not_subscribed') })
  await post({})
  const change = (args: object) => world.api('chat.update', { channel: GENERAL, ts, text: 'y', ...args })
  await change({})
  await change({ metadata: metadata('task_created', '8') })
  await change({ metadata: {} })
  await change({ metadata: metadata('task_created', '9') })
  await world.api('chat.delete', { channel: GENERAL, ts })
  await post({ text: 'the end' })
  await world.eventually('the end', () => receivedEvents(world).some(({ text }) => text === 'the end'))
  return ts
}

describe('message metadata', () => {
  it('triggers an event when it’s added, changed, or removed', async () => {
    await using world = await startWorld(undefined, { manifestPath, rate: 'off' })
    const message_ts = await changeMessages(world)
    const appIdentity = {
      app_id: 'A0PLAYGRND',
      bot_id: 'B0PLAYGRND',
      user_id: 'U0PLAYGBOT',
      team_id: 'T0PLAYGRND',
    }
    const eventFields = { ...appIdentity, channel_id: GENERAL, message_ts }
    const [first, second, third] = ['7', '8', '9'].map((id) => metadata('task_created', id))
    expect(metadataEvents(world)).toMatchObject([
      { type: 'message_metadata_posted', ...eventFields, metadata: first, event_ts: message_ts },
      { type: 'message_metadata_updated', ...eventFields, previous_metadata: first, metadata: second },
      { type: 'message_metadata_deleted', ...eventFields, previous_metadata: second },
      { type: 'message_metadata_posted', ...eventFields, metadata: third },
      {
        type: 'message_metadata_deleted',
        ...eventFields,
        previous_metadata: third,
        deleted_ts: expect.any(String),
      },
    ])
    // No event has a `user`, and the two deletions have no `metadata`.
    expect(metadataEvents(world).filter((event) => 'user' in event || 'metadata' in event)).toHaveLength(3)
  })

  it.each([
    { missing: 'the scope', options: () => ({ manifestPath, missingScopes: ['metadata.message:read'] }) },
    { missing: 'a subscription', options: () => ({ manifestPath: unsubscribedManifest }) },
  ])('triggers no event without $missing', async ({ options }) => {
    await using world = await startWorld(undefined, { rate: 'off', ...options() })
    await changeMessages(world)
    expect(metadataEvents(world)).toEqual([])
  })
})
