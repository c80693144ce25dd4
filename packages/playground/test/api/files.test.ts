import { describe, expect, it } from 'vitest'
import { authorize, exchange, FULL_MANIFEST, startWorld, type World } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST })

describe('a file that the app can’t see', () => {
  const download = async ({ playground, api }: World, id: string, token: string) => {
    const address = `${playground.url}/files-pri/T0PLAYGRND-${id}/salaries.csv`
    const { status } = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    const { error, file } = await api('files.info', { file: id }, token)
    return { status, error, file }
  }

  it('can’t be read until it is shared with the app', async () => {
    await using world = await start()
    const { member } = world.slack
    const { botToken } = world.playground
    const { id } = await member.upload('salaries.csv', 'x', 'text/csv')
    const hidden = { status: 404, error: 'file_not_found' }
    expect(await download(world, id, botToken)).toMatchObject(hidden)
    await member.say('look', { channel: 'random', files: [id] })
    expect(await download(world, id, botToken)).toMatchObject(hidden)
    await member.say('look', { channel: 'general', files: [id] })
    expect(await download(world, id, botToken)).toMatchObject({ status: 200, file: { id } })
  })

  it('can’t be read or completed with the token of another workspace', async () => {
    await using world = await start()
    const installed = await authorize(world, { scope: 'chat:write,files:read,files:write' })
    const token = String((await exchange(world, installed)).access_token)
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
