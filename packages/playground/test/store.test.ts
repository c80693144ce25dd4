import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startWorld } from './app.ts'

const GENERAL = 'C0GENERAL1'
const FOLDER = mkdtempSync(join(tmpdir(), 'stores-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

describe('the stored messages', () => {
  it('aren’t truncated, even with 1,500 messages in one channel', async () => {
    const initial = Array.from({ length: 1500 }, (_, index) => ({
      channel: GENERAL,
      user: 'U0ADMIN001',
      text: `${index}`,
    }))
    await using world = await startWorld(undefined, { messages: initial })
    const messages = await world.slack.member.messages()
    expect(messages.map(({ text }) => text)).toEqual(initial.map(({ text }) => text))
    expect(await world.api('conversations.history', { channel: GENERAL, limit: 999 })).toMatchObject({
      has_more: true,
    })
  })

  it('are restored in order after a restart, including files and direct messages', async () => {
    const storePath = join(FOLDER, 'restart.db')
    const initial = [{ channel: GENERAL, user: 'U0ADMIN001', text: 'first' }]
    {
      await using world = await startWorld(undefined, { storePath, messages: initial })
      const file = await world.slack.member.upload('a.csv', 'a,b')
      await world.slack.member.say('second', { files: [file.id] })
      await world.slack.member.say('to the app', { channel: 'dm' })
      const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text: 'gone' })
      await world.api('chat.delete', { channel: GENERAL, ts: ts ?? '' })
    }
    await using world = await startWorld(undefined, { storePath, messages: initial })
    const messages = await world.slack.member.messages()
    expect(messages.map(({ text }) => text)).toEqual(['first', 'second'])
    const href = messages[1]?.files[0]?.href
    expect(await (await fetch(world.playground.url + href)).text()).toBe('a,b')
    expect(await world.slack.member.messages('dm')).toMatchObject([{ text: 'to the app' }])
    const third = await world.api('chat.postMessage', { channel: GENERAL, text: 'third' })
    expect(Number(third.ts)).toBeGreaterThan(Number(messages[1]?.ts))
  })

  it('are deleted by a reset, except for the initial ones, and open pages receive a reset event', async () => {
    const initial = [{ channel: GENERAL, user: 'U0ADMIN001', text: 'first' }]
    await using world = await startWorld(undefined, { messages: initial })
    await world.slack.member.say('second')
    const { seq } = await world.slack.member.state()
    await world.slack.reset()
    expect(await world.slack.member.messages()).toMatchObject([{ text: 'first' }])
    const page = await fetch(`${world.playground.url}/_playground/events?user=U0MEMBER01&after=${seq}`)
    expect(JSON.stringify(await page.json())).toContain('"reset"')
  })

  it('can be downloaded as a snapshot that another playground can start from', async () => {
    const storePath = join(FOLDER, 'snapshot.db')
    {
      await using world = await startWorld()
      await world.slack.member.say('hello')
      const copy = await fetch(`${world.playground.url}/_playground/store`)
      writeFileSync(storePath, Buffer.from(await copy.arrayBuffer()))
    }
    await using world = await startWorld(undefined, { storePath })
    expect(await world.slack.member.messages()).toMatchObject([{ text: 'hello' }])
  })

  it('can’t be loaded from a file that isn’t a database', async () => {
    const storePath = join(FOLDER, 'text.db')
    writeFileSync(storePath, 'this is some text, and not a database')
    await expect(startWorld(undefined, { storePath })).rejects.toThrow('not a database')
  })
})
