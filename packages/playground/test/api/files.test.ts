import { describe, expect, it } from 'vitest'
import { objectsIn } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, startWorld, type World } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })

/** Uploads a file to #general as the app. */
async function uploadAsApp({ api }: World, filename: string): Promise<string> {
  const { upload_url, file_id } = await api('files.getUploadURLExternal', { filename, length: 3 })
  await fetch(String(upload_url), { method: 'POST', body: 'abc' })
  const files = [{ id: file_id ?? '' }]
  await api('files.completeUploadExternal', { files, channel_id: 'C0GENERAL1' })
  return String(file_id)
}

/** Installs the app in Workshop, and returns the token. */
async function installInWorkshop({ api, playground }: World): Promise<string> {
  const client = { client_id: 'playground-client', client_secret: 'playground-client-secret' }
  const scope = 'chat:write,files:read,files:write'
  const page = await fetch(`${playground.url}/oauth/v2/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      client_id: client.client_id,
      scope,
      as: 'T0WORKSHOP U0WSADMIN1',
      decision: 'allow',
      channel: 'C0WSGENERL',
    }),
  })
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code')
  return String((await api('oauth.v2.access', { ...client, code }, '')).access_token)
}

describe('a file that the app can’t see', () => {
  const download = async ({ playground, api }: World, id: string, token: string) => {
    const address = `${playground.url}/files-pri/T0PLAYGRND-${id}/salaries.csv`
    const { status } = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    const { error, file } = await api('files.info', { file: id }, token)
    return { status, error, file }
  }

  it('can’t be read or deleted, until it is shared with the app', async () => {
    await using world = await start()
    const { member } = world.slack
    const { botToken } = world.playground
    const { id } = await member.upload('salaries.csv', 'x', 'text/csv')
    const hidden = { status: 404, error: 'file_not_found' }
    expect(await download(world, id, botToken)).toMatchObject(hidden)
    await member.createChannel('secret-plans', { privacy: 'private' })
    await member.say('look', { channel: 'secret-plans', files: [id] })
    expect(await download(world, id, botToken)).toMatchObject(hidden)
    expect(await world.api('files.delete', { file: id })).toMatchObject({ error: 'file_not_found' })
    await member.say('look', { channel: 'general', files: [id] })
    expect(await download(world, id, botToken)).toMatchObject({ status: 200, file: { id } })
  })

  it('can’t be read or completed with the token of another workspace', async () => {
    await using world = await start()
    const token = await installInWorkshop(world)
    const { id } = await world.slack.member.upload('salaries.csv', 'x', 'text/csv')
    await world.slack.member.say('look', { channel: 'general', files: [id] })
    expect(await download(world, id, token)).toMatchObject({ status: 404, error: 'file_not_found' })
    const upload = { filename: 'a.csv', length: 3 }
    const { upload_url, file_id } = await world.api('files.getUploadURLExternal', upload)
    await fetch(String(upload_url), { method: 'POST', body: 'abc' })
    const complete = (by?: string) =>
      world.api('files.completeUploadExternal', { files: [{ id: file_id ?? '' }] }, by)
    expect(await complete(token)).toMatchObject({ error: 'file_not_found' })
    expect(await complete()).toMatchObject({ ok: true, files: [{ user_team: 'T0PLAYGRND' }] })
  })
})

describe('the app’s files', () => {
  it('are listed newest first, and can be filtered by type, person, and channel', async () => {
    await using world = await start()
    const { member } = world.slack
    const appFile = await uploadAsApp(world, 'a.csv')
    const appPicture = await uploadAsApp(world, 'b.png')
    const memberFile = await member.upload('c.csv', 'x', 'text/csv')
    const hiddenFile = await member.upload('d.csv', 'x', 'text/csv')
    await member.say('here', { files: [memberFile.id] })
    await member.say('not for the app', { channel: 'C0RANDOM01', files: [hiddenFile.id] })
    const listFiles = async (args: object) =>
      objectsIn((await world.api('files.list', args)).files).map(({ id }) => id)
    expect(await listFiles({})).toEqual([memberFile.id, appPicture, appFile])
    expect(await listFiles({ types: 'images' })).toEqual([appPicture])
    const archive = await uploadAsApp(world, 'e.ZIP')
    expect(await listFiles({ types: 'zips' })).toEqual([archive])
    expect(await world.api('files.info', { file: archive })).toMatchObject({
      file: { filetype: 'zip', mimetype: 'application/zip' },
    })
    await world.api('files.delete', { file: archive })
    expect(await listFiles({ user: 'U0MEMBER01' })).toEqual([memberFile.id])
    expect(await listFiles({ channel: 'C0RANDOM01' })).toEqual([])
    expect(await listFiles({ ts_to: '1' })).toEqual([])
    const paged = await world.api('files.list', { count: 2, page: 2 })
    expect(paged).toMatchObject({
      files: [{ id: appFile }],
      paging: { count: 2, total: 3, page: 2, pages: 2 },
    })
    expect(await world.api('files.list', { types: 'films' })).toMatchObject({ error: 'unknown_type' })
    expect(await world.api('files.list', { user: 'U0NOPE' })).toMatchObject({ error: 'user_not_found' })
  })

  it('include files that the app uploaded but hasn’t shared', async () => {
    await using world = await start()
    const { upload_url, file_id } = await world.api('files.getUploadURLExternal', {
      filename: 'a.csv',
      length: 3,
    })
    await fetch(String(upload_url), { method: 'POST', body: 'abc' })
    await world.api('files.completeUploadExternal', { files: [{ id: file_id ?? '' }] })
    expect(await world.api('files.list', {})).toMatchObject({ files: [{ id: file_id }] })
    expect(await world.api('files.list', { channel: 'C0GENERAL1' })).toMatchObject({ files: [] })
  })

  it('aren’t shared if Slack rejects the message', async () => {
    await using world = await start()
    const { member } = world.slack
    const { id } = await member.upload('a.csv', 'x', 'text/csv')
    await expect(
      member.say('late', { channel: 'C0GENERAL1', threadTs: '1.000001', files: [id] }),
    ).rejects.toThrow('no message')
    expect(await world.api('files.list', {})).toMatchObject({ files: [] })
  })

  it('trigger events when a person shares them in a public channel', async () => {
    await using world = await start()
    const { id } = await world.slack.member.upload('a.csv', 'x', 'text/csv')
    await world.slack.member.say('here', { files: [id] })
    const fileEvent = { file_id: id, user_id: 'U0MEMBER01', file: { id } }
    expect(await world.waitForEvent('file_created')).toMatchObject(fileEvent)
    expect(await world.waitForEvent('file_public')).toMatchObject(fileEvent)
  })

  it('are removed from messages when the app deletes its own uploads, and an event is sent', async () => {
    await using world = await start()
    const file = await uploadAsApp(world, 'a.csv')
    const memberFile = await world.slack.member.upload('c.csv', 'x', 'text/csv')
    await world.slack.member.say('here', { files: [memberFile.id] })
    expect(await world.api('files.delete', { file })).toMatchObject({ ok: true })
    expect(await world.waitForEvent('file_deleted')).toMatchObject({
      file_id: file,
      channel_ids: ['C0GENERAL1'],
    })
    expect(await world.slack.member.messages('general')).toMatchObject([{ files: [] }, {}])
    expect(await world.api('files.info', { file })).toMatchObject({ error: 'file_not_found' })
    expect(await world.api('files.delete', { file })).toMatchObject({ error: 'file_not_found' })
    expect(await world.api('files.delete', { file: memberFile.id })).toMatchObject({
      error: 'cant_delete_file',
    })
  })
})
