import { Readable } from 'node:stream'
import { createDriver } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { createSlackClient } from '../../../packages/slack/src/client/slack-client.ts'
import { startFakeSlack } from '../fake-slack.ts'
import { startSlack } from '../playground.ts'

describe('files in Slack', () => {
  it('are uploaded as a stream to the DM that a message is in, and the message can still be edited', async () => {
    await using playground = await startSlack()
    const slack = createSlackClient(playground.botToken, playground.apiUrl)
    const posted = await slack.postDirect('U0MEMBER01', { text: 'On its way', blocks: [] })
    const bytes = Buffer.from('name,target\nweb,www.example.com\n')
    const body = Readable.from([bytes.subarray(0, 10), bytes.subarray(10)])
    const title = 'Health checks'
    const id = await slack.uploadFile({ name: 'checks.csv', title, bytes: bytes.length, body })
    await slack.shareFile(posted, { id, title })
    await slack.edit(posted, { text: 'Done', blocks: [] })
    const { member } = createDriver(playground.url)
    const messages = await member.messages('dm')
    expect(messages.map(({ text }) => text)).toEqual(['Done', ''])
    const [file] = messages[1]?.files ?? []
    expect(file).toMatchObject({ name: 'checks.csv', title: 'Health checks', size: bytes.length })
    expect(await (await fetch(`${playground.url}${file?.href}`)).text()).toBe(bytes.toString())
  })

  it('are downloaded after a person shares them, up to a size limit', async () => {
    await using playground = await startSlack()
    const slack = createSlackClient(playground.botToken, playground.apiUrl)
    const { member } = createDriver(playground.url)
    const by = (maxBytes: number) => ({ userId: 'U0MEMBER01', maxBytes })
    const share = async (name: string, content: string): Promise<string> => {
      const { id } = await member.upload(name, content, 'text/csv')
      await member.say('Here it is', { channel: 'dm', files: [id] })
      return id
    }
    const id = await share('a.csv', 'name\nweb\n')
    const { name, bytes } = await slack.download(id, by(100))
    expect([name, bytes.toString()]).toEqual(['a.csv', 'name\nweb\n'])
    await expect(slack.download(id, by(3))).rejects.toThrow('This file is too large')
    const long = await share('b.csv', 'x'.repeat(3000))
    await expect(slack.download(long, by(2048))).rejects.toThrow('The maximum is 2 KB')
    await expect(slack.download('F0NOTHERE', by(3))).rejects.toThrow(
      'This file was deleted. Upload it again.',
    )
  })

  it.each(['blocked_file_type', 'file_uploads_disabled', 'storage_limit_reached', 'restricted_action'])(
    'are refused for good with a sentence if Slack answers %s, at either step',
    async (code) => {
      for (const refusing of ['files.getUploadURLExternal', 'files.completeUploadExternal']) {
        await using fake = await startFakeSlack((method): object =>
          method === refusing
            ? { ok: false, error: code }
            : { ok: true, file_id: 'F1', upload_url: `${fake.url}upload` },
        )
        const slack = createSlackClient('xoxb-x', fake.url)
        const body = Buffer.from('x')
        const file = { name: 'a.csv', title: 'a', bytes: body.length, body }
        const uploading = slack.uploadFile(file)
        const sending = uploading.then((id) => slack.shareFile({ channelId: 'D1' }, { id, title: 'a' }))
        await expect(sending).rejects.toMatchObject({
          name: 'UserError',
          message: expect.stringContaining(`Slack doesn’t accept this file in this workspace (${code})`),
        })
      }
    },
  )

  it.each([
    { page: 'a sign-in page', type: 'text/html; charset=utf-8', mimetype: 'text/csv', isFile: false },
    { page: 'a page that a person uploaded', type: 'text/html', mimetype: 'text/html', isFile: true },
  ])('are told apart from Slack’s sign-in page: $page', async ({ type, mimetype, isFile }) => {
    await using fake = await startFakeSlack((method, _, response) => {
      if (method === 'files.info')
        return {
          ok: true,
          file: { id: 'F1', name: 'x', user: 'U1', size: 1, mimetype, url_private: `${fake.url}page` },
        }
      response.setHeader('content-type', type).end('<p>')
      return undefined
    })
    const slack = createSlackClient('xoxb-x', fake.url)
    const downloading = slack.download('F1', { userId: 'U1', maxBytes: 100 })
    if (isFile) expect((await downloading).bytes.toString()).toBe('<p>')
    else await expect(downloading).rejects.toThrow('The app may lack the scope files:read')
  })

  it.each([
    {
      fields: { is_external: true, url_private: 'https://drive.example.com/x' },
      error: 'isn’t stored in Slack',
    },
    { fields: { url_private: 'https://files.example.com/x' }, error: 'isn’t on its own hosts' },
    { fields: { url_private: 'https://slack.com.example.com/x' }, error: 'isn’t on its own hosts' },
    { fields: { url_private: 'http://files.slack.com/x' }, error: 'isn’t on its own hosts' },
  ])(
    'are never downloaded from a host that isn’t Slack’s: $fields.url_private',
    async ({ fields, error }) => {
      const file = { id: 'F1', name: 'x', user: 'U1', size: 1, ...fields }
      await using fake = await startFakeSlack(() => ({ ok: true, file }))
      const slack = createSlackClient('xoxb-x', fake.url)
      await expect(slack.download('F1', { userId: 'U1', maxBytes: 100 })).rejects.toThrow(error)
    },
  )
})
