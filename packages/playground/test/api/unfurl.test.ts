import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { isFields, objectsIn } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, receivedEvents, startWorld } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })
const LINK = 'https://app.example.com/7?a=1&b=2'
const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }
const blocks = [{ type: 'actions', elements: [button] }]

describe('a link to the app', () => {
  it('is sent to the app even from channels without its bot, and can be unfurled', async () => {
    await using world = await start()
    const text = `look: ${LINK} and https://example.org/x`
    const { ts } = await world.slack.member.say(text, { channel: 'C0RANDOM01' })
    const { unfurl_id, ...shared } = await world.waitForEvent('link_shared')
    expect(shared).toMatchObject({
      channel: 'C0RANDOM01',
      message_ts: ts,
      user: 'U0MEMBER01',
      is_bot_user_member: false,
      source: 'conversations_history',
      links: [{ domain: 'example.com', url: LINK }],
    })
    const source = { source: 'conversations_history', unfurl_id: unfurl_id ?? '' }
    expect(
      await world.api('chat.unfurl', { ...source, unfurls: { [LINK]: { text: 'first' } } }),
    ).toMatchObject({
      ok: true,
    })
    const secondUnfurl = { channel: 'C0RANDOM01', ts, unfurls: { [LINK]: { blocks } } }
    expect(await world.api('chat.unfurl', secondUnfurl)).toMatchObject({ ok: true })
    const [message] = (await world.slack.member.messages('C0RANDOM01')).slice(-1)
    expect(message?.edited).toBe(false)
    expect(message?.attachments).toMatchObject([{ id: 1, from_url: LINK, is_app_unfurl: true, blocks }])
    if (!message) throw new Error('The message is gone.')
    const { channel, attachments } = message
    const blockId = objectsIn(attachments?.[0]?.blocks)[0]?.block_id ?? ''
    const surface = { kind: 'message', channel, ts }
    await world.callControlApi('action', { user: 'U0MEMBER01', surface, blockId, actionId: 'go' })
    expect(world.sent.at(-1)?.body).toMatchObject({
      container: { type: 'message_attachment', attachment_id: 1, is_app_unfurl: true, app_unfurl_url: LINK },
      app_unfurl: { from_url: LINK },
    })
  })

  it('can be shared and previewed by the driver, which returns the unfurls', async () => {
    await using world = await start()
    const { member } = world.slack
    world.setHandler(async ({ body: { event } }) => {
      if (!isFields(event) || event.type !== 'link_shared') return {}
      const { unfurl_id = '', source = '' } = event
      await world.api('chat.unfurl', { source, unfurl_id, unfurls: { [LINK]: { text: 'A page' } } })
      return {}
    })
    expect((await member.share(LINK, { channel: 'random' })).attachments).toMatchObject([{ text: 'A page' }])
    expect(await member.preview(LINK)).toMatchObject([{ from_url: LINK, text: 'A page' }])
    const waiting = member.share('https://example.org/', { waitMs: 1 })
    await expect(waiting).rejects.toThrow('https://example.org/ with an unfurl')
  })

  it('is sent to the app while a person types it, and only that person sees the preview', async () => {
    await using world = await start()
    await world.callControlApi('links', { user: 'U0MEMBER01', urls: [LINK, 'https://example.org/x'] })
    const { unfurl_id = '', channel } = await world.waitForEvent('link_shared')
    expect(channel).toBe('COMPOSER')
    const unfurls = { [LINK]: { title: 'A page' } }
    expect(await world.api('chat.unfurl', { source: 'composer', unfurl_id, unfurls })).toMatchObject({
      ok: true,
    })
    expect(await world.api('chat.unfurl', { channel, ts: unfurl_id, unfurls })).toMatchObject({ ok: true })
    expect((await world.slack.member.state()).previews).toMatchObject([{ from_url: LINK, title: 'A page' }])
    expect((await world.slack.admin.state()).previews).toEqual([])
    await world.callControlApi('links', { user: 'U0MEMBER01', urls: [LINK] })
    await world.callControlApi('links', { user: 'U0WSMEMBR1', urls: [LINK] })
    expect(receivedEvents(world)).toHaveLength(1)
  })

  it('can be unfurled as a work object, and can ask the person to log in', async () => {
    await using world = await start()
    const { ts } = await world.slack.member.say(LINK)
    const messageId = { channel: 'C0GENERAL1', ts }
    const entity = {
      app_unfurl_url: LINK,
      url: LINK,
      entity_type: 'slack#/entities/incident',
      external_ref: { id: '7' },
      entity_payload: { attributes: { title: { text: 'Incident 7' } } },
    }
    expect(await world.api('chat.unfurl', { ...messageId, metadata: { entities: [entity] } })).toMatchObject({
      ok: true,
    })
    const login = { user_auth_required: true, user_auth_message: 'Log in first' }
    expect(await world.api('chat.unfurl', { ...messageId, ...login })).toMatchObject({ ok: true })
    const [message, loginPrompt] = (await world.slack.member.messages('general')).slice(-2)
    expect(message?.entities).toMatchObject([{ external_ref: { id: '7' } }])
    expect(loginPrompt).toMatchObject({ text: 'Log in first', ephemeral: true })
    expect(await world.slack.admin.messages('general')).toHaveLength(1)
  })

  const messageId = { channel: 'C0GENERAL1', ts: '$ts' }
  const unfurls = { [LINK]: { text: 'x' } }
  it.each<[args: Fields, error: string]>([
    [{ ts: '$ts', unfurls }, 'missing_channel'],
    [{ channel: 'C0GENERAL1', unfurls }, 'missing_ts'],
    [{ source: 'composer', unfurls }, 'missing_unfurl_id'],
    [{ unfurl_id: 'x', unfurls }, 'missing_source'],
    [{ unfurl_id: 'x', source: 'mail', unfurls }, 'invalid_source'],
    [{ unfurl_id: 'x', source: 'composer', unfurls }, 'invalid_unfurl_id'],
    [{ ...messageId, channel: 'C0NOPE', unfurls }, 'cannot_find_channel'],
    [{ ...messageId, ts: '1.000001', unfurls }, 'cannot_find_message'],
    [{ ...messageId }, 'missing_unfurls'],
    [{ ...messageId, unfurls: 'x' }, 'invalid_unfurls_format'],
    [{ ...messageId, unfurls: { [LINK]: 'x' } }, 'invalid_unfurls_format'],
    [{ ...messageId, unfurls: { 'https://example.com/else': {} } }, 'cannot_unfurl_message'],
    [{ ...messageId, unfurls: { 'https://example.org/x': {} } }, 'cannot_unfurl_url'],
    [{ ...messageId, unfurls: { [LINK]: { blocks: [{ type: 'nope' }] } } }, 'cannot_parse_attachment'],
    [{ ...messageId, metadata: { entities: [] } }, 'invalid_metadata_format'],
  ])('isn’t unfurled by a call with %j (%s)', async (args, error) => {
    await using world = await start()
    const { ts } = await world.slack.member.say(`${LINK} https://example.org/x`)
    const params: unknown = JSON.parse(JSON.stringify(args).replace('$ts', ts))
    expect(await world.api('chat.unfurl', isFields(params) ? params : {})).toMatchObject({ error })
  })
})
